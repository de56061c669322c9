#include "widgets/common/controls.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QShortcut>
#include <QVBoxLayout>

#include "widgets/common/icons.h"
#include "widgets/common/style.h"

namespace braid::ui {

namespace {

QPushButton* button(const QString& text, const QString& iconName, const char* role, QWidget* parent) {
    auto* result = new QPushButton(text, parent);
    result->setAccessibleName(text);
    result->setAutoDefault(false);
    result->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    if (role) result->setProperty(style_property::role, QLatin1String(role));
    if (!iconName.isEmpty()) result->setIcon(icon(iconName));
    return result;
}

QColor levelColour(int level) {
    const Tokens& t = tokens();
    return level <= 1 ? t.text1 : level == 2 ? t.text2 : t.text3;
}

QColor statusColour(const QString& status) {
    const Tokens& t = tokens();
    if (status == QLatin1String("ok")) return t.ok;
    if (status == QLatin1String("warn")) return t.warn;
    if (status == QLatin1String("error")) return t.error;
    return t.info;
}

// A line or frame that asks the theme for its colours while it paints.
class ThemedFrame : public QFrame {
public:
    enum Kind { line, card };
    ThemedFrame(Kind kind, QWidget* parent) : QFrame(parent), kind_(kind) {}

protected:
    void paintEvent(QPaintEvent*) override {
        const Tokens& t = tokens();
        QPainter painter(this);
        if (kind_ == line) {
            painter.fillRect(rect(), t.border);
            return;
        }
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(t.border);
        painter.setBrush(t.surface);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusCard,
                                metrics::radiusCard);
    }

private:
    Kind kind_;
};

}  // namespace

QPushButton* makeButton(const QString& text, const QString& iconName, QWidget* parent) {
    return button(text, iconName, nullptr, parent);
}
QPushButton* makePrimaryButton(const QString& text, const QString& iconName, QWidget* parent) {
    QPushButton* result = button(text, QString(), "primary", parent);
    if (!iconName.isEmpty()) result->setIcon(icon(iconName));
    return result;
}
QPushButton* makeDangerButton(const QString& text, const QString& iconName, QWidget* parent) {
    QPushButton* result = button(text, QString(), "danger", parent);
    if (!iconName.isEmpty()) result->setIcon(icon(iconName, ColourRole::error));
    return result;
}

void setDisabledReason(QWidget* widget, const QString& reason) {
    widget->setEnabled(reason.isEmpty());
    widget->setToolTip(reason);
    widget->setAccessibleDescription(reason);
}

QToolButton* makeIconButton(const QString& iconName, const QString& name, QWidget* parent) {
    auto* result = new QToolButton(parent);
    result->setIcon(icon(iconName));
    result->setIconSize(QSize(16, 16));
    result->setAutoRaise(true);
    result->setToolTip(name);
    result->setAccessibleName(name);
    result->setFocusPolicy(Qt::TabFocus);
    return result;
}

TextLabel::TextLabel(const QString& text, TypeStep step, int weight, int level, QWidget* parent)
    : QLabel(text, parent), step_(step), weight_(weight), level_(level) {
    setTextFormat(Qt::PlainText);
    restyle();
    connect(&Theme::instance(), &Theme::changed, this, &TextLabel::restyle);
}

void TextLabel::setStatus(const QString& status) {
    if (status_ == status) return;
    status_ = status;
    restyle();
}

void TextLabel::restyle() {
    setFont(Theme::instance().font(step_, weight_));
    QPalette palette = this->palette();
    const QColor colour = status_.isEmpty() ? levelColour(level_) : statusColour(status_);
    palette.setColor(QPalette::WindowText, colour);
    palette.setColor(QPalette::Text, colour);
    palette.setColor(QPalette::Disabled, QPalette::WindowText, tokens().disabled);
    setPalette(palette);
}

void TextLabel::setElided(Qt::TextElideMode mode) {
    elide_ = mode;
    updateGeometry();
    update();
}

QSize TextLabel::minimumSizeHint() const {
    if (elide_ == Qt::ElideNone) return QLabel::minimumSizeHint();
    return QSize(fontMetrics().horizontalAdvance(QStringLiteral("mmm…")), fontMetrics().height());
}

void TextLabel::paintEvent(QPaintEvent* event) {
    if (elide_ == Qt::ElideNone) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    painter.setPen(
        palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::WindowText));
    const QString shown = fontMetrics().elidedText(text(), elide_, contentsRect().width());
    if (shown != text()) {
        if (toolTip().isEmpty()) setToolTip(text());
    } else if (toolTip() == text()) {
        setToolTip({});
    }
    painter.drawText(contentsRect(), int(alignment()) | Qt::TextSingleLine, shown);
}

SectionTitle::SectionTitle(const QString& title, const QString& note, QWidget* parent)
    : QWidget(parent),
      title_(new TextLabel(title, TypeStep::control, 600, 1)),
      note_(new TextLabel(note, TypeStep::table, 400, 3)),
      layout_(new QHBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(metrics::gap2);
    layout_->addWidget(title_);
    note_->setElided(Qt::ElideRight);
    layout_->addWidget(note_, 1);
    setMinimumHeight(metrics::dockTitle - 2);
}

void SectionTitle::setTitle(const QString& title) { title_->setText(title); }
void SectionTitle::setNote(const QString& note) { note_->setText(note); }
void SectionTitle::addWidget(QWidget* widget) { layout_->addWidget(widget); }

QFrame* makeSeparator(Qt::Orientation orientation, QWidget* parent) {
    auto* line = new ThemedFrame(ThemedFrame::line, parent);
    if (orientation == Qt::Horizontal) {
        line->setFixedHeight(1);
    } else {
        line->setFixedWidth(1);
    }
    return line;
}

QFrame* makeCard(QWidget* parent) {
    auto* card = new ThemedFrame(ThemedFrame::card, parent);
    card->setContentsMargins(1, 1, 1, 1);
    return card;
}

KeyHint::KeyHint(const QString& keys, QWidget* parent) : QLabel(keys, parent) {
    setFont(Theme::instance().font(TypeStep::tick, 500));
    connect(&Theme::instance(), &Theme::changed, this,
            [this] { setFont(Theme::instance().font(TypeStep::tick, 500)); });
    setAlignment(Qt::AlignCenter);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize KeyHint::sizeHint() const {
    return QSize(std::max(20, fontMetrics().horizontalAdvance(text()) + 12), fontMetrics().height() + 5);
}

void KeyHint::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(t.sunken);
    painter.setPen(t.border);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusCell,
                            metrics::radiusCell);
    painter.setPen(t.text2);
    painter.drawText(rect(), Qt::AlignCenter, text());
}

QString KeyHint::text(const QKeySequence& sequence) {
    QString keys = sequence.toString(QKeySequence::NativeText);
    keys.replace(QStringLiteral("Up"), QStringLiteral("↑"))
        .replace(QStringLiteral("Down"), QStringLiteral("↓"));
    return keys.replace(QLatin1Char('+'), QLatin1Char(' '));
}

EmptyState::EmptyState(const QString& sentence, const QString& buttonText, QWidget* parent)
    : QWidget(parent), sentence_(new TextLabel(sentence, TypeStep::control, 400, 2)) {
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(metrics::gap4);
    layout->addStretch();
    sentence_->setWordWrap(true);
    sentence_->setAlignment(Qt::AlignCenter);
    layout->addWidget(sentence_);
    if (!buttonText.isEmpty()) {
        button_ = makePrimaryButton(buttonText);
        connect(button_, &QPushButton::clicked, this, &EmptyState::clicked);
        layout->addWidget(button_, 0, Qt::AlignHCenter);
    }
    layout->addStretch();
}

void EmptyState::setSentence(const QString& sentence) { sentence_->setText(sentence); }

}  // namespace braid::ui
