// Many requests, one piece of work: the first request starts a wait, those that come during it are served by
// the same work at its end. So the last state is always shown, at most once an interval.
#pragma once

#include <QTimer>
#include <utility>

namespace braid::ui {

class Throttle {
public:
    template <class Work>
    Throttle(int interval_ms, QObject* receiver, Work&& work) {
        timer_.setSingleShot(true);
        timer_.setInterval(interval_ms);
        QObject::connect(&timer_, &QTimer::timeout, receiver, std::forward<Work>(work));
    }
    void request() {
        if (!timer_.isActive()) timer_.start();
    }

private:
    QTimer timer_;
};

}  // namespace braid::ui
