#include "widgets/figure/figure.h"

#include <algorithm>
#include <cmath>

#include "core/base/json_reader.h"
#include "widgets/figure/figure_kind.h"

namespace braid::ui {
namespace {

// Enumerators and their words, written once each.
template <class E>
struct Words {
    std::vector<std::string_view> words;
    std::string_view of(E value) const { return words[static_cast<std::size_t>(value)]; }
    std::optional<E> parse(std::string_view text) const {
        const auto found = std::find(words.begin(), words.end(), text);
        return found == words.end() ? std::nullopt : std::optional(static_cast<E>(found - words.begin()));
    }
    std::string list() const {
        std::string text;
        for (const std::string_view word : words) {
            text += (text.empty() ? "" : ", ") + std::string(word);
        }
        return text;
    }
};

const Words<FigureSize> sizes{{"single", "double", "slide", "custom"}};
const Words<FigureLegend> legends{{"below", "inside", "labels"}};
const Words<SeriesBy> series_by{{"hue+dash", "hue", "dash"}};
const Words<TextAs> texts{{"embedded", "paths"}};
const Words<SeedSpread> spreads{{"range", "interval", "none"}};
const Words<AxisScale> scales{{"linear", "log", "symlog"}};

constexpr double least_mm = 20;
constexpr double most_mm = 1000;

template <class E>
void read_word(JsonReader& reader, const std::string& key, const Words<E>& words, E& value) {
    const Json* json = reader.find(key);
    if (!json) {
        return;
    }
    const auto parsed = json->is_string() ? words.parse(json->get<std::string>()) : std::nullopt;
    if (parsed) {
        value = *parsed;
    } else {
        reader.report(reader.place(key), "must be one of " + words.list(), *json);
    }
}

void read_number(JsonReader& reader, const std::string& key, double low, double high, double& value) {
    const Json* json = reader.find(key);
    if (!json) {
        return;
    }
    reader.number(key, value);
    if (json->is_number() && !(value >= low && value <= high)) {
        reader.report(reader.place(key), "must be between " + Json(low).dump() + " and " + Json(high).dump(),
                      *json);
    }
}

void read_range(JsonReader& reader, const std::string& key, AxisScale scale,
                std::array<std::optional<double>, 2>& range) {
    const Json* json = reader.find(key);
    if (!json) {
        return;
    }
    const auto is_end = [](const Json& end) { return end.is_null() || end.is_number(); };
    if (!json->is_array() || json->size() != 2 || !is_end((*json)[0]) || !is_end((*json)[1])) {
        reader.report(reader.place(key), "must be [lower, upper], each a number or null", *json);
        return;
    }
    for (const std::size_t end : {0u, 1u}) {
        if ((*json)[end].is_number()) {
            range[end] = (*json)[end].get<double>();
            if (scale == AxisScale::log && *range[end] <= 0) {
                reader.report(reader.place(key), "must be positive on a log axis", (*json)[end]);
            }
        }
    }
    if (range[0] && range[1] && !(*range[0] < *range[1])) {
        reader.report(reader.place(key), "must have its lower end first", *json);
    }
}

FigurePanel read_panel(const Json& json, const std::string& place, Diagnostics& problems) {
    FigurePanel panel;
    JsonReader reader(json, place, problems);
    if (reader.is_object() && reader.require("metric")) {
        reader.text("metric", panel.metric);
        if (panel.metric.empty()) {
            reader.report(reader.place("metric"), "must name a metric, such as \"recall/far\"");
        }
    }
    if (const Json* axis = reader.find("x")) {
        const auto& axes = figure_axes();
        if (axis->is_string() &&
            std::find(axes.begin(), axes.end(), axis->get<std::string>()) != axes.end()) {
            panel.x = axis->get<std::string>();
        } else {
            std::string known;
            for (const std::string& one : axes) known += (known.empty() ? "" : ", ") + one;
            reader.report(reader.place("x"), "must be one of " + known, *axis);
        }
    }
    read_number(reader, "smoothing", 0, 0.9999, panel.smoothing);
    reader.text("x_title", panel.x_title);
    reader.text("y_title", panel.y_title);
    read_word(reader, "x_scale", scales, panel.x_scale);
    read_word(reader, "y_scale", scales, panel.y_scale);
    read_range(reader, "x_range", panel.x_scale, panel.x_range);
    read_range(reader, "y_range", panel.y_scale, panel.y_range);
    read_range(reader, "colour_range", AxisScale::log, panel.colour_range);
    if (const Json* threshold = reader.find("threshold"); threshold && !threshold->is_null()) {
        if (threshold->is_number()) {
            panel.threshold = threshold->get<double>();
        } else {
            reader.report(reader.place("threshold"), "must be a number", *threshold);
        }
    }
    if (const Json* step = reader.find("step"); step && !step->is_null()) {
        if (step->is_number_integer() && step->get<std::int64_t>() >= 0) {
            panel.step = step->get<std::int64_t>();
        } else {
            reader.report(reader.place("step"), "must be a step, 0 or more", *step);
        }
    }
    reader.text("score", panel.score);
    reader.flag("compare_crossings", panel.compare_crossings);
    reader.refuse_unknown_keys();
    return panel;
}

FigureStyle read_style(const Json& json, Diagnostics& problems) {
    FigureStyle style;
    JsonReader reader(json, "style", problems);
    read_word(reader, "size", sizes, style.size);
    style.width_mm = standard_width_mm(style.size, style.width_mm);
    read_number(reader, "width_mm", least_mm, most_mm, style.width_mm);
    read_number(reader, "height_mm", least_mm, most_mm, style.height_mm);
    if (std::abs(style.width_mm - standard_width_mm(style.size, style.width_mm)) > 1e-9) {
        style.size = FigureSize::custom;
    }
    reader.text("font", style.font);
    read_number(reader, "font_pt", 3, 48, style.font_pt);
    read_number(reader, "line_pt", 0.1, 10, style.line_pt);
    read_word(reader, "legend", legends, style.legend);
    read_word(reader, "series_by", series_by, style.series_by);
    read_word(reader, "text", texts, style.text);
    reader.refuse_unknown_keys();
    return style;
}

FigureSource read_source(const Json& json, Diagnostics& problems) {
    FigureSource source;
    JsonReader reader(json, "source", problems);
    reader.text("study", source.study);
    if (const Json* runs = reader.find("runs")) {
        if (!runs->is_array()) {
            reader.report(reader.place("runs"), "must be a list of run ids", *runs);
        } else {
            for (std::size_t i = 0; i < runs->size(); ++i) {
                if ((*runs)[i].is_string()) {
                    source.runs.push_back((*runs)[i].get<std::string>());
                } else {
                    reader.report("source.runs[" + std::to_string(i) + "]", "must be a run id", (*runs)[i]);
                }
            }
        }
    }
    reader.text("checkpoint", source.checkpoint);
    reader.text("growth", source.growth);
    reader.refuse_unknown_keys();
    const int named = int(!source.study.empty()) + int(!source.runs.empty()) +
                      int(!source.checkpoint.empty()) + int(!source.growth.empty());
    if (reader.is_object() && named != 1)
        reader.report("source", "must name one of study, runs, checkpoint, growth");
    return source;
}

Json range_json(const std::array<std::optional<double>, 2>& range) {
    Json json = Json::array();
    for (const auto& end : range) {
        json.push_back(end ? Json(*end) : Json(nullptr));
    }
    return json;
}

}  // namespace

std::string_view to_text(FigureSize size) { return sizes.of(size); }
std::string_view to_text(FigureLegend legend) { return legends.of(legend); }
std::string_view to_text(SeriesBy by) { return series_by.of(by); }
std::string_view to_text(TextAs text) { return texts.of(text); }
std::string_view to_text(SeedSpread spread) { return spreads.of(spread); }

const std::vector<std::string>& figure_axes() {
    static const std::vector<std::string> axes{"tokens", "step", "flops", "time_s"};
    return axes;
}

double standard_width_mm(FigureSize size, double custom) {
    switch (size) {
        case FigureSize::single:
            return 84;
        case FigureSize::double_column:
            return 174;
        case FigureSize::slide:
            return 254;
        case FigureSize::custom:
            break;
    }
    return custom;
}

Json to_json(const FigureSpec& spec) {
    Json source = Json::object();
    if (!spec.source.study.empty()) {
        source["study"] = spec.source.study;
    }
    if (!spec.source.runs.empty()) {
        source["runs"] = spec.source.runs;
    }
    if (!spec.source.checkpoint.empty()) {
        source["checkpoint"] = spec.source.checkpoint;
    }
    if (!spec.source.growth.empty()) {
        source["growth"] = spec.source.growth;
    }
    Json panels = Json::array();
    for (const FigurePanel& panel : spec.panels) {
        Json json{{"metric", panel.metric},
                  {"x", panel.x},
                  {"smoothing", panel.smoothing},
                  {"x_title", panel.x_title},
                  {"y_title", panel.y_title},
                  {"x_scale", scales.of(panel.x_scale)},
                  {"y_scale", scales.of(panel.y_scale)},
                  {"x_range", range_json(panel.x_range)},
                  {"y_range", range_json(panel.y_range)},
                  {"compare_crossings", panel.compare_crossings}};
        if (panel.colour_range[0] || panel.colour_range[1]) {
            json["colour_range"] = range_json(panel.colour_range);
        }
        if (panel.threshold) {
            json["threshold"] = *panel.threshold;
        }
        if (panel.step) {
            json["step"] = *panel.step;
        }
        if (!panel.score.empty()) {
            json["score"] = panel.score;
        }
        panels.push_back(std::move(json));
    }
    const FigureStyle& style = spec.style;
    Json json{{"schema_version", figure_schema_version},
              {"kind", spec.kind},
              {"title", spec.title},
              {"source", source},
              {"spread", to_text(spec.spread)},
              {"panels", panels},
              {"style",
               {{"size", to_text(style.size)},
                {"width_mm", style.width_mm},
                {"height_mm", style.height_mm},
                {"font", style.font},
                {"font_pt", style.font_pt},
                {"line_pt", style.line_pt},
                {"legend", to_text(style.legend)},
                {"series_by", to_text(style.series_by)},
                {"text", to_text(style.text)}}}};
    if (!spec.colours.empty()) {
        json["colours"] = spec.colours;
    }
    return json;
}

Checked<FigureSpec> figure_from_json(const Json& json) {
    Diagnostics problems;
    FigureSpec spec;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(figure_schema_version)) {
        return tl::unexpected<Diagnostics>(std::move(problems));
    }
    if (reader.require("kind")) {
        reader.text("kind", spec.kind);
    }
    reader.text("title", spec.title);
    if (const Json* source = reader.require("source")) {
        spec.source = read_source(*source, problems);
    }
    read_word(reader, "spread", spreads, spec.spread);
    if (const Json* colours = reader.find("colours")) {
        if (!colours->is_object()) {
            reader.report("colours", "must map series to palette indices", *colours);
        } else {
            for (const auto& [label, index] : colours->items()) {
                if (index.is_number_integer() && index.get<std::int64_t>() >= 0 &&
                    index.get<std::int64_t>() < 10'000) {
                    spec.colours[label] = index.get<int>();
                } else {
                    reader.report("colours." + label, "must be a palette index, 0 or more", index);
                }
            }
        }
    }
    if (const Json* panels = reader.require("panels")) {
        if (!panels->is_array() || panels->empty()) {
            reader.report("panels", "must be a list of at least one panel", *panels);
        } else {
            for (std::size_t i = 0; i < panels->size(); ++i) {
                spec.panels.push_back(
                    read_panel((*panels)[i], "panels[" + std::to_string(i) + "]", problems));
            }
        }
    }
    if (const Json* style = reader.find("style")) {
        spec.style = read_style(*style, problems);
    }
    reader.refuse_unknown_keys();
    const FigureKind* kind = find_figure_kind(spec.kind);
    if (kind) {
        if (!spec.source.checkpoint.empty() && !kind->readsCheckpoints()) {
            reader.report("source.checkpoint", "must be a study or runs for this kind of figure",
                          spec.source.checkpoint);
        }
        if (!spec.source.growth.empty() && !kind->readsGrowth()) {
            reader.report("source.growth", "is for figures of kind growth alone", spec.source.growth);
        }
        kind->validate(spec, problems);
    } else {
        std::string known;
        for (const FigureKind* one : figure_kinds()) {
            known += (known.empty() ? "" : ", ") + std::string(one->id());
        }
        reader.report("kind", "must be one of " + known, spec.kind);
    }
    if (!problems.empty()) {
        return tl::unexpected<Diagnostics>(std::move(problems));
    }
    return spec;
}

Result<FigureSpec> read_figure(const std::string& file) {
    return read_json(file).and_then([&](const Json& json) -> Result<FigureSpec> {
        Checked<FigureSpec> spec = figure_from_json(json);
        if (!spec) {
            return fail(to_error(spec.error(), file));
        }
        return std::move(*spec);
    });
}

Result<void> write_figure(const std::string& file, const FigureSpec& spec) {
    return write_json_atomically(file, to_json(spec));
}

}  // namespace braid::ui
