#include "widgets/common/toast.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QPropertyAnimation>
#include <QTimer>

#include "widgets/common/controls.h"

namespace braid::ui {

namespace {

constexpr int life_ms = 6'000, fade_ms = 160, most = 3, side_margin = 16, gap = 8;

class Toast : public QWidget {
public:
    Toast(const QString& text, const QString& actionText, std::function<void()> action, QWidget* parent)
        : QWidget(parent) {
        setObjectName(QStringLiteral("toast"));
        setAccessibleName(text);
        setAttribute(Qt::WA_Hover);
        auto* layout = new QHBoxLayout(this);
        layout->setContentsMargins(metrics::gap4, metrics::gap2, metrics::gap2, metrics::gap2);
        layout->setSpacing(metrics::gap3);
        auto* label = new TextLabel(text);
        label->setWordWrap(text.size() > 60);
        if (text.size() > 60) label->setMinimumWidth(320);
        layout->addWidget(label);
        if (!actionText.isEmpty()) {
            QPushButton* button = makeButton(actionText);
            connect(button, &QPushButton::clicked, this, [this, action] {
                if (action) action();
                deleteLater();
            });
            layout->addWidget(button);
        }
        QToolButton* close = makeIconButton(QStringLiteral("close"), QObject::tr("Dismiss"));
        connect(close, &QToolButton::clicked, this, &QObject::deleteLater);
        layout->addWidget(close);
        timer_.setSingleShot(true);
        connect(&timer_, &QTimer::timeout, this, &QObject::deleteLater);
        timer_.start(life_ms);
    }

protected:
    bool event(QEvent* event) override {
        if (event->type() == QEvent::HoverEnter) timer_.stop();
        if (event->type() == QEvent::HoverLeave) timer_.start(life_ms);
        return QWidget::event(event);
    }
    void paintEvent(QPaintEvent*) override {
        const Tokens& t = tokens();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(t.raised);
        painter.setPen(t.borderStrong);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::radiusCard,
                                metrics::radiusCard);
    }

private:
    QTimer timer_;
};

}  // namespace

ToastHost::ToastHost(QWidget* window, int bottomMargin)
    : QObject(window), window_(window), bottomMargin_(bottomMargin) {
    window_->installEventFilter(this);
}

void ToastHost::show(const QString& text, const QString& actionText, std::function<void()> action) {
    while (toasts_.size() >= most) delete toasts_.takeFirst();
    auto* toast = new Toast(text, actionText, std::move(action), window_);
    toasts_.push_back(toast);
    connect(toast, &QObject::destroyed, this, [this, toast] {
        toasts_.removeAll(static_cast<QWidget*>(toast));
        arrange();
    });
    toast->adjustSize();
    arrange();
    toast->show();
    toast->raise();
    QAccessibleEvent alert(toast, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
    const int duration = Theme::instance().motion(fade_ms);
    if (duration > 0) {
        auto* slide = new QPropertyAnimation(toast, "pos", toast);
        slide->setDuration(duration);
        slide->setStartValue(toast->pos() + QPoint(0, 12));
        slide->setEndValue(toast->pos());
        slide->start(QAbstractAnimation::DeleteWhenStopped);
    }
}

int ToastHost::count() const { return int(toasts_.size()); }

void ToastHost::arrange() {
    int bottom = window_->height() - bottomMargin_;
    for (auto it = toasts_.rbegin(); it != toasts_.rend(); ++it) {
        QWidget* toast = *it;
        toast->move(window_->width() - toast->width() - side_margin, bottom - toast->height());
        bottom -= toast->height() + gap;
    }
}

bool ToastHost::eventFilter(QObject* watched, QEvent* event) {
    if (watched == window_ && event->type() == QEvent::Resize) arrange();
    return QObject::eventFilter(watched, event);
}

}  // namespace braid::ui
