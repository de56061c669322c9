// Measures how long the event loop was ever busy: a window that keeps its promise stays below 50 ms.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace braid::ui {

class StallMeter : public QObject {
    Q_OBJECT

public:
    explicit StallMeter(QObject* parent = nullptr);
    void start();
    // Milliseconds between two turns of the event loop, at most, since start().
    qint64 longest() const { return longest_; }

private:
    QTimer heartbeat_;
    QElapsedTimer since_;
    qint64 longest_ = 0;
};

}  // namespace braid::ui
