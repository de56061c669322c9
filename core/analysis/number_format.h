// Numbers for people: true minus, thin grouping, SI prefixes, a space before the unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

// "12,240"
std::string format_count(std::int64_t value);
// "0.987", "−0.137": fixed decimals. "NaN", "+∞", "−∞" for what is no number.
std::string format_fixed(double value, int decimals);
// Shortest with `digits` significant digits: "3.227", "1.953e−3", "612,000".
std::string format_significant(double value, int digits = 4);
// Three digits and a prefix of counts: "2.46 M", "90.1 k", "47.7 B"; below 1,000 as it is, from 10^15 on
// "2.46×10¹⁸".
std::string format_si(double value, std::string_view unit = {});
// "10⁻³"
std::string format_power_of_ten(int exponent);
// "49 s", "3 min 24 s", "12 h 51 min", "4.7 days"
std::string format_duration(double seconds);
// "01:12", "1:02:03"
std::string format_clock(double seconds);
// "64 GiB", "1.0 KiB"
std::string format_bytes(double bytes);
// Shortest text that reads back as the same double; "nan", "inf", "-inf". For files, not for people.
std::string exact_number(double value);

}  // namespace braid
