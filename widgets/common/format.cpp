#include "widgets/common/format.h"

#include <QCoreApplication>
#include <cmath>

namespace braid::ui {

QString formatPercent(double fraction) {
    // 100 % is said of what is complete only.
    const int percent = fraction >= 1 ? 100 : std::min(99, int(std::floor(fraction * 100 + 1e-9)));
    return QStringLiteral("%1 %").arg(percent);
}

QString formatEta(double seconds, double plusMinus) {
    const QString range =
        plusMinus < 60 ? QStringLiteral("%1 s").arg(int(std::ceil(plusMinus))) : formatDuration(plusMinus);
    return QCoreApplication::translate("Format", "%1 ± %2 left").arg(formatClock(seconds), range);
}

}  // namespace braid::ui
