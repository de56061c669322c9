// Short messages at the bottom right of a window: 6 s, stay under the pointer, at most three.
#pragma once

#include <QWidget>
#include <functional>

namespace braid::ui {

class ToastHost : public QObject {
    Q_OBJECT

public:
    // Toasts are children of `window`, above its status bar of `bottomMargin` pixels.
    explicit ToastHost(QWidget* window, int bottomMargin = 42);

    void show(const QString& text, const QString& actionText = {}, std::function<void()> action = {});
    int count() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void arrange();
    QWidget* window_;
    int bottomMargin_;
    QList<QWidget*> toasts_;
};

}  // namespace braid::ui
