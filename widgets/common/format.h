// Numbers and times as QString: core/analysis/number_format.h for the window.
#pragma once

#include <QString>

#include "core/analysis/number_format.h"

namespace braid::ui {

inline QString formatCount(std::int64_t value) { return QString::fromStdString(format_count(value)); }
inline QString formatFixed(double value, int decimals) {
    return QString::fromStdString(format_fixed(value, decimals));
}
inline QString formatSignificant(double value, int digits = 4) {
    return QString::fromStdString(format_significant(value, digits));
}
inline QString formatSi(double value, std::string_view unit = {}) {
    return QString::fromStdString(format_si(value, unit));
}
inline QString formatDuration(double seconds) { return QString::fromStdString(format_duration(seconds)); }
inline QString formatClock(double seconds) { return QString::fromStdString(format_clock(seconds)); }
inline QString formatBytes(double bytes) { return QString::fromStdString(format_bytes(bytes)); }
QString formatPercent(double fraction);               // "43 %"
QString formatEta(double seconds, double plusMinus);  // "01:12 ± 8 s left"

}  // namespace braid::ui
