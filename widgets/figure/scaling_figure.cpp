// Points of a study on logarithmic axes with fitted lines and bands, an overlay or small multiples (paper
// Figs. 2, 6-10); residuals as a panel of their own.
#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "core/base/csv_table.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/scaling_load.h"
#include "widgets/figure/scaling_paper.h"

namespace braid::ui {

namespace {

ScalingPanelWish wish_of(const FigurePanel& panel) {
    return scaling_wish(panel.metric, "panels.metric").value_or(ScalingPanelWish{.metric = panel.metric});
}

class ScalingFigure final : public FigureKind {
public:
    std::string_view id() const override { return "scaling"; }
    bool showsCurves() const override { return false; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        if (spec.source.study.empty()) problems.push_back({"source", "must name a study for a scaling", ""});
        for (std::size_t i = 0; i < spec.panels.size(); ++i) {
            const FigurePanel& panel = spec.panels[i];
            const std::string place = "panels[" + std::to_string(i) + "].";
            const Checked<ScalingPanelWish> wish = scaling_wish(panel.metric, place + "metric");
            if (!wish)
                problems.insert(problems.end(), wish.error().begin(), wish.error().end());
            else if (!wish->against.empty() || !wish->x.empty())
                problems.push_back({place + "metric",
                                    "must be METRIC or residual of METRIC, with where RULE behind it",
                                    panel.metric});
            if (panel.x != "tokens" && panel.x != "flops")
                problems.push_back({place + "x", "must be tokens or flops for a scaling", panel.x});
        }
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        return load_scaling(project_folder, spec);
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        if (data.scaling) drawScaling(spec, *data.scaling, canvas);
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        CsvTable table{.titles = {"panel", "metric", "curve", "scale", "point", "seed", "parameters",
                                  "tokens", "value", "fitted", "log_residual", "use", "reason",
                                  "extrapolated", "run"}};
        if (!data.scaling) return to_csv(table);
        for (std::size_t p = 0; p < spec.panels.size(); ++p) {
            const ScalingView& view = data.scaling->views[p];
            const ScalingPanelWish wish = wish_of(spec.panels[p]);
            for (const ScalingViewPoint& point : view.points) {
                if (!point.finished() || !point.value ||
                    !is_meant(wish, data.scaling->spec, data.scaling->state, view, point))
                    continue;
                const auto number = [](double value) {
                    return std::isfinite(value) ? exact_number(value) : std::string();
                };
                table.rows.push_back(
                    {.cells = {std::to_string(p + 1), wish.metric, view.curves[point.curve].name,
                               view.scales[point.scale].name, point.label, std::to_string(point.seed),
                               number(point.parameters), number(point.tokens), number(*point.value),
                               number(point.predicted), number(point.log_residual),
                               std::string(to_text(point.use)), point.reason,
                               point.extrapolated ? "yes" : "no", point.run}});
            }
        }
        return to_csv(table);
    }

    QString dataSummary(const FigureSpec& spec, const FigureData& data) const override {
        if (!data.scaling) return {};
        std::size_t points = 0;
        for (std::size_t p = 0; p < spec.panels.size(); ++p)
            for (const ScalingViewPoint& point : data.scaling->views[p].points)
                points += point.finished() && point.value &&
                          is_meant(wish_of(spec.panels[p]), data.scaling->spec, data.scaling->state,
                                   data.scaling->views[p], point);
        return QStringLiteral("%1 points").arg(points);
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        return scalingHeight(spec, data.scaling ? data.scaling->views.front().curves.size() : 1);
    }
};

const ScalingFigure the_kind;

}  // namespace

extern const FigureKind& scaling_figure;
const FigureKind& scaling_figure = the_kind;

}  // namespace braid::ui
