// Feeds core/analysis/axis.h to a QCPAxis. The QCPAxis itself is always linear: it works in places
// (AxisMap::forward), so that linear, log and symlog share one way of panning, zooming and drawing.
#pragma once

#include "core/analysis/axis.h"
#include "widgets/plot/qcustomplot.h"

namespace braid::ui {

class AxisTicker : public QCPAxisTicker {
public:
    void set(const AxisMap& map, const TickOptions& options) {
        map_ = map;
        options_ = options;
    }
    Ticks ticksOf(const QCPRange& places) const {
        return make_ticks(map_, {map_.backward(places.lower), map_.backward(places.upper)}, options_);
    }
    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks,
                  QVector<double>* subTicks, QVector<QString>* labels) override {
        const Ticks made = ticksOf(range);
        ticks.clear();
        for (const Tick& tick : made.major) {
            ticks.append(map_.forward(tick.value));
        }
        if (labels) {
            labels->clear();
            for (const Tick& tick : made.major) {
                labels->append(QString::fromStdString(tick.label));
            }
        }
        if (subTicks) {
            subTicks->clear();
            for (const Tick& tick : made.minor) {
                subTicks->append(map_.forward(tick.value));
            }
        }
    }

private:
    AxisMap map_;
    TickOptions options_;
};

}  // namespace braid::ui
