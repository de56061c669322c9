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

}  // namespace braid::ui
