#include "app/workbench/stall_meter.h"

#include <algorithm>

namespace braid::ui {

StallMeter::StallMeter(QObject* parent) : QObject(parent) {
    heartbeat_.setTimerType(Qt::PreciseTimer);
    heartbeat_.setInterval(1);
    connect(&heartbeat_, &QTimer::timeout, this, [this] { longest_ = std::max(longest_, since_.restart()); });
}

void StallMeter::start() {
    longest_ = 0;
    since_.start();
    heartbeat_.start();
}

}  // namespace braid::ui
