// What was measured of mechanism, of several runs side by side: an array of a record a panel. Arrays over
// layers become maps with one layer axis, those over tokens, distances or noise curves, those over kinds of
// layers bars.
#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "core/spec/measurement_kind.h"
#include "widgets/common/layer_kinds.h"
#include "widgets/common/run_palette.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/found_runs.h"
#include "widgets/figure/measured_maps.h"
#include "widgets/figure/measured_scatter.h"
#include "widgets/figure/series_look.h"

namespace braid::ui {

extern const FigureKind& curves_figure;

namespace {

std::string kind_of(const FigurePanel& panel) { return panel.metric.substr(0, panel.metric.find('/')); }
// Behind KIND/: the array; behind that what rows stand for.
std::string array_of(const FigurePanel& panel) {
    const std::string rest = panel.metric.substr(std::min(panel.metric.size(), kind_of(panel).size() + 1));
    return rest.substr(0, rest.find('/'));
}
// Curves of the one head with the most mass at the end instead of the mean of the top two.
constexpr std::string_view top_head = "/top";
std::size_t heads_of(const FigurePanel& panel) { return panel.metric.ends_with(top_head) ? 1 : top_heads; }
constexpr std::string_view by_kind = "/by-kind";
bool is_by_kind(const FigurePanel& panel) { return panel.metric.ends_with(by_kind); }

// Two arrays against each other: entropy/scatter.
bool is_scatter(const FigurePanel& panel) { return panel.metric == "entropy/scatter"; }

// What the panel shows of the record.
std::vector<const MeasuredArray*> arrays_of(const FigurePanel& panel, const MeasurementRecord& record) {
    std::vector<const MeasuredArray*> arrays;
    const std::vector<std::string> names =
        is_scatter(panel) ? std::vector<std::string>{"hit_rate", "entropy"} : std::vector{array_of(panel)};
    for (const std::string& name : names)
        if (const MeasuredArray* array = record.find(name)) arrays.push_back(array);
    return arrays.size() == names.size() ? arrays : std::vector<const MeasuredArray*>{};
}

const MeasuredArray* first_array(const FigurePanelData& panel, const std::string& name) {
    for (const MeasuredRun& run : panel.measured)
        if (const MeasuredArray* array = run.record->find(name)) return array;
    return nullptr;
}

MeasuredForm form_of(const FigurePanelData& panel, const std::string& name) {
    const MeasuredArray* array = first_array(panel, name);
    return array ? measuredForm(*array) : MeasuredForm::values;
}

bool shows_curves(const FigureSpec& spec, const FigureData& data) {
    for (std::size_t i = 0; i < data.panels.size(); ++i)
        if (!data.panels[i].measured.empty() &&
            form_of(data.panels[i], array_of(spec.panels[i])) != MeasuredForm::curves)
            return false;
    return true;
}

// The titles that a panel has without being asked.
FigureSpec completed(const FigureSpec& spec, const FigureData& data) {
    FigureSpec full = spec;
    for (std::size_t i = 0; i < full.panels.size(); ++i) {
        FigurePanel& panel = full.panels[i];
        const MeasuredArray* array = first_array(data.panels[i], array_of(panel));
        if (!array) continue;
        const MeasuredAxis& x = array->axes.size() == 3 ? array->axes.front() : array->axes.back();
        panel.x = x.name == "tokens" ? "tokens" : "step";
        if (panel.x_title.empty()) panel.x_title = axisTitle(x).toStdString();
        if (panel.y_title.empty()) {
            panel.y_title = arrayTitle(kind_of(panel), array_of(panel)).toStdString();
            if (array->axes.size() == 3)
                panel.y_title.append(heads_of(panel) == 1 ? ", top head" : ", mean of the top 2");
            if (!array->unit.empty()) panel.y_title.append(" (").append(array->unit).append(")");
        }
    }
    return full;
}

void add_series(const FigureData& data, const FigureSpec& spec, const FigurePanel& panel,
                FigurePanelData& drawn) {
    int number = 0;
    for (const MeasuredCurve& curve : measuredCurves(drawn.measured, array_of(panel), heads_of(panel))) {
        const MeasuredRun& run = drawn.measured[curve.source];
        const bool own_colour = curve.label == run.name;
        FigureSeries series{.label = curve.label.toStdString(),
                            .colour = own_colour ? run.colour : number,
                            .component = curve.component};
        const auto at = std::find_if(data.runs.begin(), data.runs.end(),
                                     [&](const FigureRun& one) { return one.id == run.run; });
        series.lines.push_back({.run = std::size_t(at - data.runs.begin()), .raw = curve.mean});
        FigurePanel plain = panel;  // no crossings: a threshold is a line and no more
        plain.threshold.reset();
        plain.smoothing = 0;
        finish_series(spec, plain, series);
        if (curve.hasBand()) {
            series.low = curve.low;
            series.high = curve.high;
            series.band = "95 % interval";
        }
        if (kind_of(panel) == "gradient" && !panel.threshold) {
            series.level = summaryValue(*run.record, "far baseline").value_or(std::nan(""));
            series.arrival =
                summaryValue(*run.record, "distance where the baseline is met").value_or(std::nan(""));
            series.level_name = "far level, and where it is met";
        }
        drawn.series.push_back(std::move(series));
        ++number;
    }
}

// One of all runs, or, where the rows are heads, one a run.
std::vector<LayerMap> maps_of(const FigurePanel& panel, const std::vector<MeasuredRun>& runs) {
    std::vector<LayerMap> maps;
    LayerMap all = layerMap(runs, array_of(panel));
    if (all.rowName.isEmpty()) {
        if (!all.isEmpty()) maps.push_back(is_by_kind(panel) ? byKindOfLayer(all) : std::move(all));
        return maps;
    }
    double most = 0, least = 0;
    for (const MeasuredRun& run : runs) {
        LayerMap map = layerMap({run}, array_of(panel));
        if (map.isEmpty()) continue;
        most = std::max(most, map.most);
        least = std::min(least, map.least);
        maps.push_back(std::move(map));
    }
    for (LayerMap& map : maps) {  // one scale
        map.most = most;
        map.least = least;
    }
    return maps;
}

QString title_of(QString title, const LayerMap& map, std::size_t runs) {
    if (!map.fixed.isEmpty()) title += QStringLiteral(", ") + map.fixed;
    if (!map.rowName.isEmpty() && runs > 1) title += QStringLiteral(", ") + map.runs.front().name;
    return title;
}

class MeasurementFigure final : public FigureKind {
public:
    std::string_view id() const override { return "measurement"; }
    bool showsCurves() const override { return false; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        for (std::size_t i = 0; i < spec.panels.size(); ++i) {
            const std::string place = "panels[" + std::to_string(i) + "].";
            const FigurePanel& panel = spec.panels[i];
            if (array_of(panel).empty() || !find_measurement(kind_of(panel)))
                problems.push_back({place + "metric",
                                    "must be KIND/ARRAY of a measurement, such as probe/accuracy",
                                    panel.metric});
            const std::size_t parts = std::size_t(std::count(panel.metric.begin(), panel.metric.end(), '/'));
            const bool further =
                is_by_kind(panel) || (panel.metric.ends_with(top_head) && kind_of(panel) == "trace");
            if (parts > 1 && !(parts == 2 && further))
                problems.push_back({place + "metric",
                                    "must end in its array, in /by-kind, or of a trace in /top",
                                    panel.metric});
            if (is_scatter(panel) && spec.panels.size() > 1)
                problems.push_back({place + "metric", "needs a figure of its own", panel.metric});
            if (panel.compare_crossings)
                problems.push_back({place + "compare_crossings", "is for curves over training", "true"});
        }
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        Result<Project> project = Project::open(project_folder);
        if (!project) return fail(project.error());
        FigureData data;
        std::vector<FoundRun> found = find_runs(*project, spec, {}, data);
        RunPalette palette;
        palette.load(project->folder() + "/ui.json");
        for (FoundRun& run : found) {
            run.view.measurements = readRunMeasurements(run.view.folder);
            run.view.name = QString::fromStdString(run.series);
            const auto colour = spec.colours.find(run.series);
            run.view.paletteIndex = colour != spec.colours.end()
                                        ? colour->second
                                        : palette.indexOf(RunPalette::keyOf(*run.view.plan));
            if (!run.view.measurements->problem.isEmpty())
                data.notes.push_back(run.view.measurements->problem.toStdString());
        }
        bool any = false;
        for (const FigurePanel& panel : spec.panels) {
            FigurePanelData drawn;
            for (const FoundRun& run : found) {
                const MeasurementRecord* record =
                    run.view.measurements->latest(kind_of(panel), panel.step, panel.score);
                const auto arrays = record ? arrays_of(panel, *record) : std::vector<const MeasuredArray*>{};
                if (arrays.empty() || measuredForm(*arrays.front()) == MeasuredForm::values) {
                    data.notes.push_back(no_record(run, panel, !arrays.empty()));
                    continue;
                }
                drawn.measured.push_back(measuredRun(run.view, *record));
                drawn.records.push_back(run.view.measurements);
                // Of several runs with the same settings the names alone would be the same.
                std::string file = run.view.id.str();
                file.append(record->file.substr(record->file.rfind('/')));
                if (std::find(data.scores.begin(), data.scores.end(), file) == data.scores.end())
                    data.scores.push_back(file);
                any = true;
            }
            if (form_of(drawn, array_of(panel)) == MeasuredForm::curves) add_series(data, spec, panel, drawn);
            data.panels.push_back(std::move(drawn));
        }
        if (!any)
            return nothing_to_draw(
                data, project_folder,
                "Measure a checkpoint first: braid-engine measure " + kind_of(spec.panels.front()) + " RUN");
        return data;
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        if (shows_curves(spec, data)) return curves_figure.draw(completed(spec, data), data, canvas);
        if (is_scatter(spec.panels.front())) return drawHeadScatter(canvas, data.panels.front().measured);
        MeasuredMaps maps(canvas);
        for (std::size_t i = 0; i < data.panels.size(); ++i) {
            const std::string array = array_of(spec.panels[i]);
            const QString title = spec.panels[i].y_title.empty()
                                      ? arrayTitle(kind_of(spec.panels[i]), array)
                                      : QString::fromStdString(spec.panels[i].y_title);
            if (form_of(data.panels[i], array) == MeasuredForm::bars)
                maps.addBars(title, data.panels[i].measured, array);
            else if (form_of(data.panels[i], array) == MeasuredForm::map)
                for (LayerMap& map : maps_of(spec.panels[i], data.panels[i].measured)) {
                    const QString whose = title_of(title, map, data.panels[i].measured.size());
                    maps.addMap(whose, std::move(map));
                }
            else if (!data.panels[i].measured.empty())
                maps.addNote(title + QStringLiteral(": curves stand in a figure of their own"));
        }
        maps.draw();
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        std::string text = "panel,kind,array,run,name,step,axes,value,low,high,samples,unit\n";
        for (std::size_t p = 0; p < spec.panels.size(); ++p)
            for (const MeasuredRun& run : data.panels[p].measured)
                for (const MeasuredArray* array : arrays_of(spec.panels[p], *run.record))
                    add_rows(text, p, run, *array);
        return text;
    }

    QString dataSummary(const FigureSpec& spec, const FigureData& data) const override {
        std::size_t values = 0;
        for (std::size_t p = 0; p < spec.panels.size(); ++p)
            for (const MeasuredRun& run : data.panels[p].measured)
                for (const MeasuredArray* array : arrays_of(spec.panels[p], *run.record))
                    values += array->values.size();
        return QStringLiteral("%1 values").arg(values);
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        if (is_scatter(spec.panels.front()))
            return std::round(std::clamp(spec.style.width_mm * 0.45, 45.0, 70.0));
        if (shows_curves(spec, data)) return curves_figure.fittingHeight(spec, data);
        double height = 10;
        for (std::size_t i = 0; i < data.panels.size(); ++i) {
            const std::string array = array_of(spec.panels[i]);
            const std::size_t bars = measuredBars(data.panels[i].measured, array).size();
            if (bars > 0) height += 7 + 4.5 * double(bars);
            for (const LayerMap& map : maps_of(spec.panels[i], data.panels[i].measured))
                height += 7 + (map.rowName.isEmpty() ? 5.5 : 3.0) * double(map.rows.size());
        }
        return std::round(std::clamp(height, 25.0, 220.0));
    }

private:
    static void add_rows(std::string& text, std::size_t panel, const MeasuredRun& run,
                         const MeasuredArray& array) {
        std::string head = std::to_string(panel + 1);
        for (const std::string& field : {run.record->kind, array.name, run.run, run.name.toStdString(),
                                         std::to_string(run.record->checkpoint.step.value)})
            head.append(",").append(csv_field(field));
        for (std::size_t i = 0; i < array.values.size(); ++i) {
            text.append(head).append(",").append(csv_field(axes_text(array, i)));
            for (const std::vector<double>* list : {&array.values, &array.low, &array.high}) {
                text.append(",");
                if (!list->empty() && std::isfinite((*list)[i])) text.append(exact_number((*list)[i]));
            }
            text.append(",");
            if (!array.samples.empty())
                text.append(std::to_string(array.samples[array.samples.size() == 1 ? 0 : i]));
            text.append(",").append(csv_field(array.unit)).append("\n");
        }
    }

    static std::string no_record(const FoundRun& run, const FigurePanel& panel, bool without_form) {
        std::string text = "run ";
        text.append(run.view.id.str());
        text.append(without_form ? ": this array cannot be drawn, " : " has no measurement ")
            .append(panel.metric);
        if (panel.step) text.append(" at step ").append(std::to_string(*panel.step));
        return text;
    }

    // "layer=3 head=1"
    static std::string axes_text(const MeasuredArray& array, std::size_t at) {
        std::string text;
        for (std::size_t axis = array.axes.size(); axis-- > 0;) {
            const std::vector<AxisTick>& ticks = array.axes[axis].ticks;
            const AxisTick& tick = ticks[at % ticks.size()];
            at /= ticks.size();
            const std::string* name = std::get_if<std::string>(&tick);
            std::string part = array.axes[axis].name + "=";
            part.append(name ? *name : exact_number(std::get<double>(tick)));
            text = text.empty() ? part : part.append(" ").append(text);
        }
        return text;
    }
};

const MeasurementFigure instance;

}  // namespace

extern const FigureKind& measurement_figure;
const FigureKind& measurement_figure = instance;

}  // namespace braid::ui
