// The bar at the top: mark, menus, command field in the middle, device at the right.
#pragma once

#include <QAbstractButton>
#include <QWidget>

class QMenuBar;

namespace braid::ui {

// Looks like a field, is a button: the palette opens in its place.
class CommandField : public QAbstractButton {
    Q_OBJECT

public:
    explicit CommandField(QWidget* parent = nullptr);
    void setKeys(const QString& keys);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString keys_;
};

// "CPU · 2 cores", "H200": a dot and a text in a round frame.
class DeviceChip : public QWidget {
    Q_OBJECT

public:
    explicit DeviceChip(QWidget* parent = nullptr);
    void setDevice(const QString& text, bool accelerator);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString text_;
    bool accelerator_ = false;
};

class TopBar : public QWidget {
    Q_OBJECT

public:
    explicit TopBar(QWidget* parent = nullptr);
    QMenuBar* menuBar() const { return menuBar_; }
    CommandField* commandField() const { return field_; }
    DeviceChip* deviceChip() const { return chip_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void arrange();
    QMenuBar* menuBar_;
    CommandField* field_;
    DeviceChip* chip_;
};

}  // namespace braid::ui
