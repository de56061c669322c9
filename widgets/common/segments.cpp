#include "widgets/common/segments.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "widgets/common/style_paint.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int padding = 13;

class SegmentButton : public QAbstractButton {
public:
    SegmentButton(const QString& text, bool first, bool last, QWidget* parent)
        : QAbstractButton(parent), first_(first), last_(last) {
        setText(text);
        setAccessibleName(text);
        setCheckable(true);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override {
        const QFontMetrics bold(Theme::instance().font(TypeStep::control, 600));
        return QSize(bold.horizontalAdvance(text()) + 2 * padding,
                     std::max(metrics::control, bold.height() + 12));
    }
    QSize minimumSizeHint() const override {
        const QSize hint = sizeHint();
        return QSize(hint.width() - 2 * padding + 8, hint.height());
    }

protected:
    void keyPressEvent(QKeyEvent* event) override {
        const int key = event->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down) {
            event->ignore();  // Segments moves the choice
        } else {
            QAbstractButton::keyPressEvent(event);
        }
    }
    void paintEvent(QPaintEvent*) override {
        const Tokens& t = tokens();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF edge = QRectF(rect()).adjusted(first_ ? 0.5 : -0.5, 0.5, last_ ? -0.5 : 0.5, -0.5);
        const QColor fill = !isEnabled()                ? t.sunken
                            : isChecked()               ? t.checked
                            : underMouse() && !isDown() ? t.hover
                            : isDown()                  ? t.checked
                                                        : t.raised;
        painter.setBrush(fill);
        painter.setPen(QPen(isChecked() && isEnabled() ? t.axis : t.borderStrong, 1));
        painter.drawPath(outline(edge));
        if (!first_) {
            painter.fillRect(QRectF(0, 0, 1, height()), isChecked() && isEnabled() ? t.axis : t.borderStrong);
        }
        if (style::hasVisibleFocus(*this)) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(t.ink, 2));
            painter.drawPath(outline(QRectF(rect()).adjusted(1, 1, -1, -1)));
        }
        painter.setFont(Theme::instance().font(TypeStep::control, isChecked() ? 600 : 500));
        painter.setPen(!isEnabled() ? t.disabled : t.text1);
        painter.drawText(rect(), Qt::AlignCenter, text());
    }

private:
    QPainterPath outline(const QRectF& r) const {
        const qreal radius = metrics::radiusButton;
        QPainterPath path;
        path.setFillRule(Qt::WindingFill);
        path.addRoundedRect(r, radius, radius);
        if (!first_) path.addRect(QRectF(r.left(), r.top(), radius, r.height()));
        if (!last_) path.addRect(QRectF(r.right() - radius, r.top(), radius, r.height()));
        return path.simplified();
    }
    bool first_, last_;
};

}  // namespace

Segments::Segments(const QString& name, const QStringList& choices, QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)) {
    setAccessibleName(name);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    group_->setExclusive(true);
    connect(group_, &QButtonGroup::idClicked, this, [this](int index) {
        setCurrent(index);
        Q_EMIT chosen(index);
    });
    setChoices(choices);
}

void Segments::setChoices(const QStringList& choices) {
    for (QAbstractButton* old : group_->buttons()) delete old;
    for (int i = 0; i < choices.size(); ++i) {
        auto* segment = new SegmentButton(choices[i], i == 0, i == choices.size() - 1, this);
        group_->addButton(segment, i);
        layout()->addWidget(segment);
    }
    if (!choices.isEmpty()) setCurrent(0);
}

int Segments::count() const { return int(group_->buttons().size()); }
int Segments::current() const { return group_->checkedId(); }

void Segments::setCurrent(int index) {
    for (QAbstractButton* segment : group_->buttons()) {
        const bool checked = group_->id(segment) == index;
        if (checked) segment->setChecked(true);
        // Tab stops once in a group of choices.
        segment->setFocusPolicy(checked ? Qt::TabFocus : Qt::NoFocus);
    }
    if (index >= 0) return;
    group_->setExclusive(false);
    for (QAbstractButton* segment : group_->buttons()) segment->setChecked(false);
    group_->setExclusive(true);
    if (QAbstractButton* first = button(0)) first->setFocusPolicy(Qt::TabFocus);
}

void Segments::setChoiceEnabled(int index, bool enabled, const QString& reason) {
    QAbstractButton* segment = button(index);
    if (!segment) return;
    segment->setEnabled(enabled);
    segment->setToolTip(enabled ? QString() : reason);
    segment->setAccessibleDescription(enabled ? QString() : reason);
}

QAbstractButton* Segments::button(int index) const { return group_->button(index); }

void Segments::keyPressEvent(QKeyEvent* event) {
    const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    const bool forward = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    if (!back && !forward) {
        QWidget::keyPressEvent(event);
        return;
    }
    for (int next = current() + (back ? -1 : 1); next >= 0 && next < count(); next += back ? -1 : 1) {
        if (!button(next)->isEnabled()) continue;
        setCurrent(next);
        button(next)->setFocus(Qt::TabFocusReason);
        Q_EMIT chosen(next);
        return;
    }
}

}  // namespace braid::ui
