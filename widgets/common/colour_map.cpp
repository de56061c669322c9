#include "widgets/common/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace braid::ui {

namespace {

// Ten of its colours, evenly spaced; between them it is close to linear.
constexpr std::array<QRgb, 10> stops = {0xff00224e, 0xff123570, 0xff3b496c, 0xff575d6d, 0xff707173,
                                        0xff8a8678, 0xffa59c74, 0xffc3b369, 0xffe1cc55, 0xfffee838};

}  // namespace

QColor cividis(double share) {
    const double place = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0) * (stops.size() - 1);
    const auto first = std::min(std::size_t(place), stops.size() - 2);
    const double part = place - double(first);
    const auto mix = [&](int shift) {
        const double a = (stops[first] >> shift) & 0xff, b = (stops[first + 1] >> shift) & 0xff;
        return int(std::lround(a + (b - a) * part));
    };
    return QColor(mix(16), mix(8), mix(0));
}

QColor redBlue(double share, const QColor& middle) {
    constexpr std::array<QRgb, 4> reds = {0xfff4a582, 0xffd6604d, 0xffb2182b, 0xffb2182b};
    constexpr std::array<QRgb, 4> blues = {0xff92c5de, 0xff4393c3, 0xff2166ac, 0xff2166ac};
    const double reach = std::clamp(std::isfinite(share) ? std::abs(share) : 0.0, 0.0, 1.0) * 3;
    const auto first = std::size_t(reach);
    const auto& side = share < 0 ? reds : blues;
    const QColor from = first == 0 ? middle : QColor(side[first - 1]);
    const QColor to(side[std::min<std::size_t>(first, 3)]);
    const double part = reach - double(first);
    const auto mix = [part](int a, int b) { return int(std::lround(a + (b - a) * part)); };
    return QColor(mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue()));
}

}  // namespace braid::ui
