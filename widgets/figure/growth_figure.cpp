// How training speed changes with the context, or with the size of the model, on one device: a line an
// architecture on logarithmic axes, from a file of `braid-engine bench step --contexts .. --out FILE`.
#include <algorithm>
#include <filesystem>
#include <set>

#include "core/analysis/number_format.h"
#include "core/base/csv_table.h"
#include "core/record/growth.h"
#include "widgets/figure/figure_kind.h"

namespace braid::ui {

extern const FigureKind& curves_figure;

namespace {

// A metric is a quantity, '/', and what it stands against.
struct Quantity {
    std::string_view name;
    std::string_view title;
    double (*value)(const GrowthRow&);
};
constexpr Quantity quantities[] = {
    {"tokens_per_s", "tokens/s", [](const GrowthRow& row) { return row.tokens_per_s(); }},
    {"step_ms", "step (ms)", [](const GrowthRow& row) { return row.step_ms(); }},
    {"flops_per_s", "FLOP/s", [](const GrowthRow& row) { return row.tokens_per_s() * row.flops_per_token; }}};

struct Axis {
    std::string_view name;
    std::string_view title;
    double (*value)(const GrowthRow&);
    std::string (*label)(double value);
    // Rows of one line have this in common.
    std::string (*other)(const GrowthRow&);
};
// "16K" of 16,384
std::string length_text(double tokens) {
    const auto count = std::int64_t(tokens);
    return count % 1024 == 0 ? format_count(count / 1024).append("K") : format_count(count);
}

constexpr Axis axes[] = {
    {"context", "context (tokens)", [](const GrowthRow& row) { return double(row.context); }, length_text,
     [](const GrowthRow& row) { return row.scale; }},
    {"parameters", "parameters", [](const GrowthRow& row) { return double(row.parameters); },
     [](double value) { return format_si(value); },
     [](const GrowthRow& row) { return format_count(row.context).append(" tokens"); }}};

struct Wish {
    const Quantity* quantity = nullptr;
    const Axis* axis = nullptr;
};

Wish wish_of(std::string_view metric) {
    Wish wish;
    const std::size_t slash = metric.find('/');
    if (slash == std::string_view::npos) return wish;
    for (const Quantity& one : quantities)
        if (one.name == metric.substr(0, slash)) wish.quantity = &one;
    for (const Axis& one : axes)
        if (one.name == metric.substr(slash + 1)) wish.axis = &one;
    return wish;
}

// Lines of one panel, in the order of the file. What stands at one place of the axis alone is a line only
// where nothing else is one: it was measured for the other axis.
std::vector<std::vector<const GrowthRow*>> lines_of(const GrowthRecord& record, const Axis& axis) {
    std::vector<std::vector<const GrowthRow*>> lines;
    for (const GrowthRow& row : record.rows) {
        if (!row.measured()) continue;
        const auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& rows) {
            return rows.front()->spec == row.spec && axis.other(*rows.front()) == axis.other(row);
        });
        if (line == lines.end())
            lines.push_back({&row});
        else
            line->push_back(&row);
    }
    const auto alone = [](const auto& rows) { return rows.size() == 1; };
    if (!std::all_of(lines.begin(), lines.end(), alone)) std::erase_if(lines, alone);
    for (auto& rows : lines)
        std::stable_sort(rows.begin(), rows.end(), [&](const GrowthRow* a, const GrowthRow* b) {
            return axis.value(*a) < axis.value(*b);
        });
    return lines;
}

// At what was measured. Architectures of one scale differ a little in their parameters: one tick for all.
std::vector<Tick> ticks_of(const Axis& axis, const std::vector<std::vector<const GrowthRow*>>& lines) {
    std::set<double> values;
    for (const auto& rows : lines)
        for (const GrowthRow* row : rows) values.insert(axis.value(*row));
    std::vector<Tick> ticks;
    for (const double value : values)
        if (ticks.empty() || value > 1.05 * ticks.back().value)
            ticks.push_back({.value = value, .label = axis.label(value)});
    return ticks;
}

FigurePanelData panel_of(const FigureSpec& spec, const FigurePanel& panel, const GrowthRecord& record) {
    const Wish wish = wish_of(panel.metric);
    const auto lines = lines_of(record, *wish.axis);
    std::set<std::string> others;
    for (const auto& rows : lines) others.insert(wish.axis->other(*rows.front()));
    std::vector<std::string> specs;  // colours follow the architecture, in all panels alike
    for (const GrowthRow& row : record.rows)
        if (std::find(specs.begin(), specs.end(), row.spec) == specs.end()) specs.push_back(row.spec);
    FigurePanelData drawn;
    drawn.x_ticks = ticks_of(*wish.axis, lines);
    for (const auto& rows : lines) {
        const std::string& name = rows.front()->spec;
        std::string label = name;
        if (others.size() > 1) label.append(", ").append(wish.axis->other(*rows.front()));
        std::vector<double> x, y;
        for (const GrowthRow* row : rows) {
            x.push_back(wish.axis->value(*row));
            y.push_back(wish.quantity->value(*row));
        }
        const auto chosen = spec.colours.find(name);
        const CurvePtr curve = Curve::make(x, y);
        drawn.series.push_back(
            {.label = label,
             .colour = chosen != spec.colours.end()
                           ? chosen->second
                           : int(std::find(specs.begin(), specs.end(), name) - specs.begin()),
             .lines = {{.run = 0, .raw = curve, .shown = curve}},
             .mean = curve,
             .low = curve,
             .high = curve});
    }
    return drawn;
}

std::string file_of(const std::string& project_folder, const FigureSpec& spec) {
    return (std::filesystem::path(project_folder) / spec.source.growth).string();  // absolute ones stay
}

class GrowthFigure final : public FigureKind {
public:
    std::string_view id() const override { return "growth"; }
    bool showsCurves() const override { return false; }
    bool readsGrowth() const override { return true; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        if (spec.source.growth.empty())
            problems.push_back({"source", "must name a file of bench step --out as growth", ""});
        for (std::size_t i = 0; i < spec.panels.size(); ++i) {
            const Wish wish = wish_of(spec.panels[i].metric);
            if (wish.quantity != nullptr && wish.axis != nullptr) continue;
            std::string place = "panels[";
            place.append(std::to_string(i)).append("].metric");
            problems.push_back({place,
                                "must be tokens_per_s, step_ms or flops_per_s with /context or /parameters "
                                "behind it",
                                spec.panels[i].metric});
        }
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        const std::string file = file_of(project_folder, spec);
        const Result<GrowthRecord> record = read_growth(file);
        if (!record) return fail(record.error());
        FigureData data;
        bool any = false;
        for (const FigurePanel& panel : spec.panels) {
            data.panels.push_back(panel_of(spec, panel, *record));
            any = any || !data.panels.back().series.empty();
        }
        for (const GrowthRow& row : record->rows) {
            if (row.measured()) continue;
            std::string note = row.spec;
            note.append(", ").append(row.scale).append(", ").append(format_count(row.context));
            data.notes.push_back(note.append(" tokens: ").append(row.problem));
        }
        if (!any) return fail(ErrorKind::not_found, "nothing in it was measured", file);
        data.scores.push_back(spec.source.growth);
        data.growth = std::make_shared<const GrowthRecord>(*record);
        return data;
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        FigureSpec full = spec;
        for (FigurePanel& panel : full.panels) {
            const Wish wish = wish_of(panel.metric);
            panel.x = "tokens";
            panel.x_scale = panel.y_scale = AxisScale::log;
            panel.threshold.reset();
            if (panel.x_title.empty()) panel.x_title = wish.axis->title;
            if (!panel.y_title.empty()) continue;
            panel.y_title = wish.quantity->title;
            if (data.growth && !data.growth->title.empty())
                panel.y_title.append(", ").append(data.growth->title);
        }
        curves_figure.draw(full, data, canvas);
        canvas.facts().spread_shown = true;  // medians of rounds; there are no seeds
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        CsvTable table{.titles = {"panel", "metric", "spec", "scale", "context", "batch", "parameters",
                                  "flops_per_token", "step_ms", "tokens_per_s", "value", "device"}};
        for (std::size_t p = 0; data.growth && p < spec.panels.size(); ++p) {
            const Wish wish = wish_of(spec.panels[p].metric);
            for (const auto& rows : lines_of(*data.growth, *wish.axis))
                for (const GrowthRow* row : rows)
                    table.rows.push_back(
                        {.cells = {std::to_string(p + 1), spec.panels[p].metric, row->spec, row->scale,
                                   std::to_string(row->context), std::to_string(row->batch),
                                   std::to_string(row->parameters), exact_number(row->flops_per_token),
                                   exact_number(row->step_ms()), exact_number(row->tokens_per_s()),
                                   exact_number(wish.quantity->value(*row)), data.growth->title}});
        }
        return to_csv(table);
    }

    QString dataSummary(const FigureSpec& spec, const FigureData& data) const override {
        return curves_figure.dataSummary(spec, data);
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        return curves_figure.fittingHeight(spec, data);
    }
};

const GrowthFigure instance;

}  // namespace

extern const FigureKind& growth_figure;
const FigureKind& growth_figure = instance;

}  // namespace braid::ui
