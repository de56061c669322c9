// What an axis without a title of its own is called.
#pragma once

#include <QString>

#include "widgets/common/run_scores.h"
#include "widgets/figure/figure.h"

namespace braid::ui {

inline QString metricTitle(const std::string& metric) {
    static const std::map<std::string, QString> titles{
        {"loss", QStringLiteral("training loss (nats/token)")},
        {"eval/loss", QStringLiteral("validation loss (nats/token)")},
        {"eval/log_longppl", QStringLiteral("log LongPPL")},
        {"recall/near", QStringLiteral("near recall")},
        {"recall/mid", QStringLiteral("mid recall")},
        {"recall/far", QStringLiteral("far recall")},
        {"lr", QStringLiteral("learning rate")},
        {"grad_norm", QStringLiteral("gradient norm")},
        {"tokens_per_s", QStringLiteral("tokens per second")},
        {"time_s", QStringLiteral("training time (s)")},
    };
    const auto found = titles.find(metric);
    return found == titles.end() ? metricName(metric) : found->second;
}

// With the factor its labels share: "training tokens (M)".
inline QString axisTitle(const std::string& axis, const std::string& own, const std::string& factor) {
    QString title = !own.empty()       ? QString::fromStdString(own)
                    : axis == "tokens" ? QStringLiteral("training tokens")
                    : axis == "flops"  ? QStringLiteral("training FLOPs")
                    : axis == "time_s" ? QStringLiteral("training time (s)")
                                       : QStringLiteral("step");
    if (!factor.empty()) {
        title += QStringLiteral(" (") + QString::fromStdString(factor) + QLatin1Char(')');
    }
    return title;
}

}  // namespace braid::ui
