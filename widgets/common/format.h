// Numbers and times as the window writes them: thousands separators, true minus, space before the unit.
#pragma once

#include <QString>
#include <cstdint>

namespace braid::ui {

QString formatCount(std::int64_t value);                   // "1,024"
QString formatSi(double value, const QString& unit = {});  // "402.2 M", "1.94 G": powers of 1000, 4 digits
QString formatBytes(std::int64_t bytes);                   // "684 MiB", "1.50 GiB", "0 B"
QString formatNumber(double value, int digits = 4);        // significant digits; "NaN", "+∞"; "1.953e-3"
QString formatFixed(double value, int decimals);           // equal decimals in a column; true minus
QString formatPercent(double fraction, int decimals = 0);  // "43 %"
QString formatDuration(double seconds);                    // "01:12", "2 h 05 min", "3 d 4 h"
QString formatEta(double seconds, double range);           // "01:12 ± 8 s left"
QString formatTokens(double tokens);                       // "2.46 M"

}  // namespace braid::ui
