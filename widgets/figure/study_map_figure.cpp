// Two factors of a study against each other: a cell a pair of values with mean, interval and number of runs.
#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "core/base/csv_table.h"
#include "widgets/common/colour_map.h"
#include "widgets/common/theme.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/scaling_load.h"
#include "widgets/figure/study_map.h"

namespace braid::ui {

namespace {

constexpr double row_mm = 11, bar_mm = 2;
constexpr int bands = 48;

// What stays fixed: the conditions of the panel's rule.
StudyMap map_of(const FigurePanel& panel, const ScalingFigureData& data, const ScalingView& view) {
    const ScalingPanelWish wish = scaling_wish(panel.metric, {}).value_or(ScalingPanelWish{});
    std::vector<std::pair<std::string, std::string>> fixed;
    if (wish.where)
        for (const RowCondition& condition : wish.where->conditions)
            fixed.emplace_back(condition.column, condition.value);
    const auto factors = first_factors(study_factors(data.spec, data.state));
    return study_map(data.spec, data.state, view, wish.x.empty() ? factors.first : wish.x,
                     wish.y.empty() ? factors.second : wish.y, fixed);
}

QString cell_text(const StudyCell& cell) {
    if (!cell.mean) return cell.planned > 0 ? QStringLiteral("not trained") : QStringLiteral("–");
    return QString::fromStdString(format_significant(*cell.mean, 4));
}

QString count_text(const StudyCell& cell) {
    QString text = QStringLiteral("n = %1").arg(cell.runs);
    if (cell.runs > 1)
        text.prepend(
            QStringLiteral("± %1, ").arg(QString::fromStdString(format_significant(cell.half_width, 2))));
    return text;
}

class StudyMapFigure final : public FigureKind {
public:
    std::string_view id() const override { return "study-map"; }
    bool showsCurves() const override { return false; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        if (spec.source.study.empty())
            problems.push_back({"source", "must name a study for a study-map", ""});
        for (std::size_t i = 0; i < spec.panels.size(); ++i) {
            const std::string place = "panels[" + std::to_string(i) + "].metric";
            const Checked<ScalingPanelWish> wish = scaling_wish(spec.panels[i].metric, place);
            if (!wish)
                problems.insert(problems.end(), wish.error().begin(), wish.error().end());
            else if (!wish->against.empty() || wish->residual || (wish->x == wish->y && !wish->x.empty()))
                problems.push_back({place,
                                    "must be METRIC, or METRIC by X and Y, with where FACTOR=VALUE behind it",
                                    spec.panels[i].metric});
        }
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        Result<FigureData> data = load_scaling(project_folder, spec);
        if (!data) return data;
        for (std::size_t p = 0; p < spec.panels.size(); ++p) {
            const StudyMap map = map_of(spec.panels[p], *data->scaling, data->scaling->views[p]);
            if (map.cells.empty())
                return fail(ErrorKind::invalid_input,
                            "a study-map needs two factors of the study that have more than one value",
                            "panels[" + std::to_string(p) + "].metric");
            if (!map.has_values()) data->notes.push_back("no run of this map has finished");
        }
        return data;
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        if (!data.scaling) return;
        const double height = canvas.page().height() / double(spec.panels.size());
        for (std::size_t p = 0; p < spec.panels.size(); ++p) {
            const StudyMap map = map_of(spec.panels[p], *data.scaling, data.scaling->views[p]);
            if (map.cells.empty()) continue;
            drawMap(spec.panels[p], map, data.scaling->views[p].metric, canvas,
                    QRectF(0, height * double(p), canvas.page().width(), height));
        }
        canvas.facts().fewest_seeds = 1;
        canvas.facts().legend_entries = canvas.facts().series;
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        CsvTable table{.titles = {"panel", "metric", "x_factor", "x", "y_factor", "y", "fixed", "mean",
                                  "half_width_90", "runs", "planned"}};
        for (std::size_t p = 0; data.scaling && p < spec.panels.size(); ++p) {
            const StudyMap map = map_of(spec.panels[p], *data.scaling, data.scaling->views[p]);
            std::string fixed;
            for (const auto& [name, value] : map.fixed)
                fixed.append(fixed.empty() ? "" : ", ").append(name).append("=").append(value);
            for (std::size_t y = 0; y < map.y.values.size(); ++y)
                for (std::size_t x = 0; x < map.x.values.size(); ++x) {
                    const StudyCell& cell = map.at(y, x);
                    table.rows.push_back(
                        {.cells = {std::to_string(p + 1), data.scaling->views[p].metric, map.x.name,
                                   map.x.values[x], map.y.name, map.y.values[y], fixed,
                                   cell.mean ? exact_number(*cell.mean) : "", exact_number(cell.half_width),
                                   std::to_string(cell.runs), std::to_string(cell.planned)}});
                }
        }
        return to_csv(table);
    }

    QString dataSummary(const FigureSpec& spec, const FigureData& data) const override {
        std::size_t cells = 0;
        for (std::size_t p = 0; data.scaling && p < spec.panels.size(); ++p)
            cells += map_of(spec.panels[p], *data.scaling, data.scaling->views[p]).cells.size();
        return QStringLiteral("%1 cells").arg(cells);
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        double height = 0;
        for (std::size_t p = 0; data.scaling && p < spec.panels.size(); ++p)
            height +=
                20 +
                row_mm *
                    double(std::max<std::size_t>(
                        1, map_of(spec.panels[p], *data.scaling, data.scaling->views[p]).y.values.size()));
        return std::max(height, 30.0);
    }

private:
    static void drawMap(const FigurePanel& panel, const StudyMap& map, const std::string& metric,
                        FigureCanvas& canvas, const QRectF& place) {
        const double line = canvas.textHeight();
        double names = 0;
        for (const std::string& value : map.y.values)
            names = std::max(names, canvas.textWidth(QString::fromStdString(value)));
        const double left = place.left() + names + line * 2.6;
        const double right = FigureCanvas::mm(bar_mm + 3) + canvas.textWidth(QStringLiteral("0.0000"));
        const QRectF area(left, place.top() + line * 1.7, place.right() - left - right,
                          place.height() - line * 5.2);
        QString title = QString::fromStdString(panel.y_title.empty() ? metric : panel.y_title);
        for (const auto& [name, value] : map.fixed)
            title +=
                QStringLiteral(", %1 %2").arg(QString::fromStdString(name), QString::fromStdString(value));
        canvas.text({area.left(), place.top() + line * 0.7}, title, TextAnchor::left, 600);
        const double width = area.width() / double(map.x.values.size());
        const double height = area.height() / double(map.y.values.size());
        const double span = map.high > map.low ? map.high - map.low : 1;
        for (std::size_t y = 0; y < map.y.values.size(); ++y) {
            const double top = area.top() + height * double(y);
            canvas.text({area.left() - FigureCanvas::mm(1), top + height / 2},
                        QString::fromStdString(map.y.values[y]), TextAnchor::right);
            for (std::size_t x = 0; x < map.x.values.size(); ++x) {
                const StudyCell& cell = map.at(y, x);
                const QRectF box(area.left() + width * double(x), top, width, height);
                const QColor fill =
                    cell.mean ? cividis((*cell.mean - map.low) / span) : QColor(0xf1, 0xf3, 0xf6);
                canvas.rectangle(box.adjusted(6, 6, -6, -6), fill);
                const QColor ink = cell.mean ? strongestOn(fill) : FigureCanvas::faintInk();
                const bool two = cell.mean && height > line * 2.4;
                canvas.text(box.center() - QPointF(0, two ? line * 0.5 : 0), cell_text(cell),
                            TextAnchor::centre, two ? 600 : 400, ink);
                if (two)
                    canvas.text(box.center() + QPointF(0, line * 0.6), count_text(cell), TextAnchor::centre,
                                400, ink);
                ++canvas.facts().points;
                canvas.facts().missing += cell.mean ? 0 : 1;
            }
        }
        for (std::size_t x = 0; x < map.x.values.size(); ++x)
            canvas.text({area.left() + width * (double(x) + 0.5), area.bottom() + line * 0.8},
                        QString::fromStdString(map.x.values[x]), TextAnchor::centre);
        canvas.text({area.center().x(), area.bottom() + line * 2.1}, QString::fromStdString(map.x.name),
                    TextAnchor::centre);
        canvas.text({place.left() + line * 0.7, area.center().y()}, QString::fromStdString(map.y.name),
                    TextAnchor::centre, 400, FigureCanvas::ink(), true);
        ++canvas.facts().series;
        if (!map.has_values()) return;
        const QRectF bar(area.right() + FigureCanvas::mm(2), area.top(), FigureCanvas::mm(bar_mm),
                         area.height());
        for (int i = 0; i < bands; ++i)
            canvas.rectangle({bar.left(), bar.bottom() - bar.height() / bands * (i + 1), bar.width(),
                              bar.height() / bands * (i == 0 ? 1.0 : 1.3)},
                             cividis((i + 0.5) / bands));
        const double x = bar.right() + FigureCanvas::mm(0.8);
        canvas.text({x, bar.bottom() - line * 0.4}, QString::fromStdString(format_significant(map.low, 4)));
        canvas.text({x, bar.top() + line * 0.4}, QString::fromStdString(format_significant(map.high, 4)));
    }
};

const StudyMapFigure the_kind;

}  // namespace

extern const FigureKind& study_map_figure;
const FigureKind& study_map_figure = the_kind;

}  // namespace braid::ui
