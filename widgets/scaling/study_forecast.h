// What of a study is done, what works, what waits, and how long it takes at the speed measured so far.
#pragma once

#include <QString>
#include <vector>

#include "widgets/scaling/scaling_content.h"

namespace braid::ui {

// Floating-point operations a second that runs reached on a device, as training counts them.
struct DeviceSpeed {
    std::string device = {};
    double flops_per_second = 0;  // the median of its runs
    std::size_t runs = 0;
};

struct StudyForecast {
    std::vector<int> working = {};  // points of the view, the furthest first
    std::vector<int> failed = {};
    std::vector<int> waiting = {};  // in the order they are trained
    double flops_left = 0;
    std::vector<DeviceSpeed> speeds = {};
};

// What these runs reached, by device, most runs first.
std::vector<DeviceSpeed> deviceSpeeds(const std::vector<RunPointer>& runs);

StudyForecast forecast(const ScalingContent& content);
// "Left on cuda", from the words for a named device and those without; "auto" is no name.
QString onDevice(const QString& plain, const QString& named, const DeviceSpeed& speed);
// "full: 5 h 12 min" of training left on a device at its speed.
QString leftText(const StudyForecast& forecast, const DeviceSpeed& speed);

}  // namespace braid::ui
