#include "core/base/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace braid {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

std::string text(system_clock::time_point time, bool with_milliseconds) {
    const auto since_epoch = std::chrono::floor<milliseconds>(time).time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
    const std::time_t whole = seconds.count();
    std::tm parts{};
    ::gmtime_r(&whole, &parts);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::string result = date.data();
    if (with_milliseconds) {
        std::array<char, 8> fraction{};
        std::snprintf(fraction.data(), fraction.size(), ".%03d",
                      static_cast<int>((since_epoch - seconds).count() % 1000));
        result += fraction.data();
    }
    return result + "Z";
}

}  // namespace

std::string utc_text(system_clock::time_point time) { return text(time, false); }
std::string utc_text_ms(system_clock::time_point time) { return text(time, true); }

}  // namespace braid
