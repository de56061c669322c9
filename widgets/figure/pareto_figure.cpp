// Quality against cost: a mark an architecture and size, the front drawn through those that nothing beats.
#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "core/base/csv_table.h"
#include "widgets/common/theme.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/pareto_front.h"
#include "widgets/figure/scaling_load.h"
#include "widgets/figure/scaling_paper.h"

namespace braid::ui {

namespace {

CostKind kind_of(const FigurePanel& panel) {
    const Checked<ScalingPanelWish> wish = scaling_wish(panel.metric, {});
    return wish ? cost_kind(wish->against).value_or(CostKind::kv_bytes) : CostKind::kv_bytes;
}

std::vector<FrontPoint> points_of(const FigurePanel& panel, const ScalingFigureData& data, std::size_t p) {
    ScalingView view = data.views[p];
    const ScalingPanelWish wish = scaling_wish(panel.metric, {}).value_or(ScalingPanelWish{});
    for (ScalingViewPoint& point : view.points)
        if (!is_meant(wish, data.spec, data.state, view, point)) point.value.reset();
    return pareto_points(data.state, view, kind_of(panel));
}

QColor colour_of(const ScalingView& view, const FrontPoint& point) {
    QColor colour = lightTokens().runs[std::size_t(view.curves[point.curve].colour % run_colour_count)];
    if (point.dominated)
        colour = QColor::fromRgbF(0.6F + 0.4F * float(colour.redF()), 0.6F + 0.4F * float(colour.greenF()),
                                  0.6F + 0.4F * float(colour.blueF()));
    return colour;
}

class ParetoFigure final : public FigureKind {
public:
    std::string_view id() const override { return "pareto"; }
    bool showsCurves() const override { return false; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        if (spec.source.study.empty()) problems.push_back({"source", "must name a study for a pareto", ""});
        for (std::size_t i = 0; i < spec.panels.size(); ++i) {
            const std::string place = "panels[" + std::to_string(i) + "].metric";
            const Checked<ScalingPanelWish> wish = scaling_wish(spec.panels[i].metric, place);
            if (!wish)
                problems.insert(problems.end(), wish.error().begin(), wish.error().end());
            else if (!cost_kind(wish->against) || wish->residual || !wish->x.empty())
                problems.push_back({place, "must be METRIC against kv_bytes, parameters or flops_per_token",
                                    spec.panels[i].metric});
        }
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        return load_scaling(project_folder, spec);
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        if (!data.scaling) return;
        const double width = canvas.page().width() / double(spec.panels.size());
        for (std::size_t p = 0; p < spec.panels.size(); ++p)
            drawPanel(spec.panels[p], *data.scaling, p, canvas, width * double(p), width);
        canvas.facts().fewest_seeds = std::max<std::size_t>(1, data.scaling->spec.seeds.size());
        canvas.facts().spread_shown = true;
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        CsvTable table{.titles = {"panel", "metric", "curve", "scale", "cost_kind", "cost", "value",
                                  "half_width_90", "seeds", "dominated"}};
        for (std::size_t p = 0; data.scaling && p < spec.panels.size(); ++p) {
            const ScalingView& view = data.scaling->views[p];
            for (const FrontPoint& point : points_of(spec.panels[p], *data.scaling, p))
                table.rows.push_back(
                    {.cells = {std::to_string(p + 1), view.metric, view.curves[point.curve].name,
                               view.scales[point.scale].name, std::string(to_text(kind_of(spec.panels[p]))),
                               exact_number(point.cost), exact_number(point.value),
                               exact_number(point.half_width), std::to_string(point.seeds),
                               point.dominated ? "yes" : "no"}});
        }
        return to_csv(table);
    }

    QString dataSummary(const FigureSpec& spec, const FigureData& data) const override {
        std::size_t points = 0;
        for (std::size_t p = 0; data.scaling && p < spec.panels.size(); ++p)
            points += points_of(spec.panels[p], *data.scaling, p).size();
        return QStringLiteral("%1 points").arg(points);
    }

    double fittingHeight(const FigureSpec& spec, const FigureData&) const override {
        return std::clamp(spec.style.width_mm / double(spec.panels.size()) * 0.7, 55.0, 100.0);
    }

private:
    static void drawPanel(const FigurePanel& panel, const ScalingFigureData& data, std::size_t p,
                          FigureCanvas& canvas, double left, double width) {
        const std::vector<FrontPoint> points = points_of(panel, data, p);
        if (points.empty()) return;
        const ScalingView& view = data.views[p];
        const double line = canvas.textHeight();
        double low = INFINITY, high = -INFINITY;
        for (const FrontPoint& point : points) {
            low = std::min(low, point.value - point.half_width);
            high = std::max(high, point.value + point.half_width);
        }
        FigureCanvas::Frame frame;
        frame.panel = QRectF(left + FigureCanvas::mm(12), FigureCanvas::mm(2), width - FigureCanvas::mm(15),
                             canvas.page().height() - FigureCanvas::mm(3) - line * 2.6);
        frame.x_map = {AxisScale::log};
        frame.y_map = {AxisScale::linear};
        frame.x_range = padded_range(frame.x_map, points.front().cost, points.back().cost, 0.14);
        frame.y_range = padded_range(frame.y_map, low, high, 0.12);
        drawPaperAxes(
            canvas, frame,
            QString::fromStdString(panel.x_title.empty() ? cost_title(kind_of(panel)) : panel.x_title),
            QString::fromStdString(panel.y_title.empty() ? view.metric : panel.y_title));
        const FrontPoint* before = nullptr;
        for (const FrontPoint& point : points) {
            if (point.dominated) continue;
            if (before)
                canvas.line(frame.place(before->cost, before->value), frame.place(point.cost, point.value),
                            FigureCanvas::axisInk(), canvas.linePt());
            before = &point;
        }
        std::vector<QRectF> taken;
        for (const bool dominated : {true, false})
            for (const FrontPoint& point : points) {
                if (point.dominated != dominated) continue;
                const QPointF place = frame.place(point.cost, point.value);
                const QColor colour = colour_of(view, point);
                if (point.half_width > 0)
                    canvas.line(frame.place(point.cost, point.value - point.half_width),
                                frame.place(point.cost, point.value + point.half_width), colour, 0.7);
                canvas.marker(place, int(point.scale), colour, FigureCanvas::mm(1));
                ++canvas.facts().points;
                QString name = QString::fromStdString(view.curves[point.curve].name);
                if (view.scales.size() > 1)
                    name += QStringLiteral(", ") + QString::fromStdString(view.scales[point.scale].name);
                const double wide = canvas.textWidth(name);
                const bool leftward = place.x() + wide + FigureCanvas::mm(2) > frame.panel.right();
                const double x =
                    leftward ? place.x() - FigureCanvas::mm(1.6) : place.x() + FigureCanvas::mm(1.6);
                QRectF box(leftward ? x - wide : x, place.y() - line * 1.15, wide, line);
                for (int tries = 0; tries < 8; ++tries) {
                    const bool free = std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) {
                        return other.intersects(box);
                    });
                    if (free) break;
                    box.translate(0, tries % 2 == 0 ? line * (tries + 1) * 0.6 : -line * (tries + 1) * 0.6);
                }
                taken.push_back(box);
                canvas.text({leftward ? box.right() : box.left(), box.center().y()}, name,
                            leftward ? TextAnchor::right : TextAnchor::left, 400,
                            point.dominated ? FigureCanvas::axisInk() : FigureCanvas::ink());
            }
        canvas.facts().series += points.size();
        canvas.facts().legend_entries += points.size();
    }
};

const ParetoFigure the_kind;

}  // namespace

extern const FigureKind& pareto_figure;
const FigureKind& pareto_figure = the_kind;

}  // namespace braid::ui
