#include "widgets/design/insert_bar.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDrag>
#include <QHBoxLayout>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>

#include "widgets/common/controls.h"
#include "widgets/common/mixer_style.h"
#include "widgets/design/stack_model.h"

namespace braid::ui {

namespace {

constexpr int bar_height = 33;

// Texture and key cap; inserts on click, can be dragged between layers.
class MixerKey : public QAbstractButton {
public:
    MixerKey(const MixerDescription& mixer, QWidget* parent) : QAbstractButton(parent), mixer_(mixer) {
        const QString title = QString::fromStdString(mixer.title);
        setObjectName(QStringLiteral("design.insert.") + QString::fromStdString(mixer.id));
        setAccessibleName(InsertBar::tr("Insert %1").arg(title));
        setToolTip(
            InsertBar::tr("Insert %1 after the selection (%2)").arg(title, QChar(QLatin1Char(mixer.letter))));
        setFocusPolicy(Qt::TabFocus);
        setFixedSize(28, 22);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Tokens& colours = tokens();
        QPainter painter(this);
        paintMixer(painter, QRectF(0, 2, 7, 18), mixer_.id);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(hasFocus() ? colours.ink : colours.border, hasFocus() ? 2 : 1));
        painter.setBrush(isDown() ? colours.checked : underMouse() ? colours.hover : colours.raised);
        painter.drawRoundedRect(QRectF(9.5, 1.5, 17, 19), metrics::radiusCell, metrics::radiusCell);
        painter.setPen(colours.text1);
        painter.setFont(Theme::instance().font(TypeStep::tick, 500));
        painter.drawText(QRectF(9, 1, 18, 20), Qt::AlignCenter, QChar(QLatin1Char(mixer_.letter)));
    }
    void mousePressEvent(QMouseEvent* event) override {
        pressed_ = event->pos();
        QAbstractButton::mousePressEvent(event);
    }
    void mouseMoveEvent(QMouseEvent* event) override {
        const bool far = (event->pos() - pressed_).manhattanLength() >= QApplication::startDragDistance();
        if (!(event->buttons() & Qt::LeftButton) || !far) {
            QAbstractButton::mouseMoveEvent(event);
            return;
        }
        setDown(false);
        auto* drag = new QDrag(this);
        auto* mime = new QMimeData;
        mime->setData(StackModel::mixerMimeType(), QByteArray::fromStdString(mixer_.id));
        drag->setMimeData(mime);
        drag->setPixmap(grab());
        drag->exec(Qt::CopyAction);
    }

private:
    MixerDescription mixer_;
    QPoint pressed_;
};

}  // namespace

InsertBar::InsertBar(const MixerCatalog& catalog, QWidget* parent) : QWidget(parent), keys_(new QWidget) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    line->setSpacing(metrics::gap2);
    line->addWidget(new TextLabel(tr("Insert"), TypeStep::table, 400, 2));
    line->addSpacing(metrics::gap1);
    for (const auto& kind : catalog.all()) {
        auto* key = new MixerKey(kind->description(), this);
        connect(key, &QAbstractButton::clicked, this,
                [this, id = kind->description().id] { Q_EMIT chosen(id); });
        line->addWidget(key);
    }
    line->addStretch(1);
    auto* hints = new QHBoxLayout(keys_);
    hints->setContentsMargins(0, 0, 0, 0);
    hints->setSpacing(metrics::gap2);
    const std::pair<QString, QString> entries[] = {
        {tr("Alt ↑↓"), tr("move")}, {tr("Ctrl D"), tr("duplicate")}, {tr("Del"), tr("remove")}};
    for (const auto& [keys, what] : entries) {
        auto* hint = new QWidget;
        auto* both = new QHBoxLayout(hint);
        both->setContentsMargins(0, 0, metrics::gap1, 0);
        both->setSpacing(metrics::gap2);
        both->addWidget(new KeyHint(keys));
        both->addWidget(new TextLabel(what, TypeStep::table, 400, 2));
        hints->addWidget(hint);
        hints_ << hint;
    }
    bare_ = line->sizeHint().width() + metrics::gap2;
    line->addWidget(keys_);
    setFixedHeight(bar_height);
}

// As many as there is room for, none of them cut.
void InsertBar::resizeEvent(QResizeEvent*) {
    int left = width() - bare_;
    for (QWidget* hint : hints_) {
        left -= hint->sizeHint().width() + metrics::gap2;
        hint->setVisible(left >= 0);
    }
}

void InsertBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().panel);
    painter.fillRect(QRect(0, 0, width(), 1), tokens().border);
}

}  // namespace braid::ui
