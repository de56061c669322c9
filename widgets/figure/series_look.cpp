#include "widgets/figure/series_look.h"

#include <algorithm>

#include "widgets/common/mixer_style.h"

namespace braid::ui {

std::vector<SeriesLook> collect_looks(const FigureSpec& spec, const FigureData& data) {
    std::vector<SeriesLook> looks;
    for (const FigurePanelData& panel : data.panels) {
        for (const FigureSeries& series : panel.series) {
            const QString label = QString::fromStdString(series.label);
            const bool known = std::any_of(looks.begin(), looks.end(),
                                           [&](const SeriesLook& look) { return look.label == label; });
            if (!known) {
                looks.push_back(
                    seriesLook(spec.style.series_by, static_cast<int>(looks.size()), series.colour, label));
                if (!series.component.empty() && spec.style.series_by != SeriesBy::dash) {
                    looks.back().colour = componentLook(series.component, lightTokens()).colour;
                }
            }
        }
    }
    return looks;
}

const SeriesLook& look_of(const std::vector<SeriesLook>& looks, const FigureSeries& series) {
    const QString label = QString::fromStdString(series.label);
    return *std::find_if(looks.begin(), looks.end(),
                         [&](const SeriesLook& look) { return look.label == label; });
}

QPen pen_of(const SeriesLook& look, double width_pt) {
    QPen pen(look.colour, FigureCanvas::pt(width_pt), Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    const QVector<qreal> dashes = figureDashes(look.dash);
    if (!dashes.isEmpty()) {
        pen.setDashPattern(dashes);
    }
    return pen;
}

bool several_seeds(const FigureSeries& series) { return series.lines.size() > 1; }

bool has_band(const FigureSeries& series) { return several_seeds(series) || !series.band.empty(); }

bool separate_seeds(const FigureSpec& spec, const FigureSeries& series) {
    return several_seeds(series) && spec.spread == SeedSpread::none;
}

}  // namespace braid::ui
