// clang-format off
// A figure as a value: what to show and how it is set on paper. No pixels, no data. The same description draws on the
// screen, renders to PDF, SVG and PNG, and writes its data and provenance.
//
// JSON (figures/NAME.json); everything but schema_version, kind, source and panels has a default:
// {
//   "schema_version": 1,
//   "kind": "curves",                       one of figureKinds(); metric of a "needle-map": "niah/niah_single_1",
//                                           of an "attention-map": "attention/LAYER.HEAD", with "/row" (shares of each row's
//                                           largest) or "/less/LAYER.HEAD@STEP" behind it; x_range: keys, y_range: queries;
//                                           of "loss-by-position": "loss", or "difference" (to what it was scored against)
//                                           of a measurement its kind and array, "heads/mass", with "/by-kind" behind it where
//                                           rows are kinds of layers; of a "trace", "trace/mass", "/top" draws the top head
//                                           of each run alone, in place of the mean of its top two
//   "title": "Far recall against tokens",   not drawn: for lists and the PDF's title
//   "source": {"study": "laziness"},        or {"runs": ["a91", "7c2"]}; a study's variants are its series;
//                                           or, of an attention-map, {"checkpoint": FOLDER} that belongs to no run
//                                           or, of a "growth", {"growth": FILE} of braid-engine bench step --out; its metrics are
//                                           "tokens_per_s", "step_ms", "flops_per_s" with "/context" or "/parameters" behind it
//   "colours": {"Window 4": 0},             palette index by series label (variant, or run name); others in order
//   "spread": "range",                      several seeds of a variant: mean with "range", "interval" (90 % of the mean), "none"
//   "panels": [{
//     "metric": "recall/far", "x": "tokens",           "tokens", "step", "flops", "time_s"
//     "step": null, "score": "",                       of scores: the checkpoint's step and the settings ("1f2e3d4c", the
//                                                      end of the score's name; of measurements several, with commas); without them the last one
//     "smoothing": 0.0,                                debiased EMA, 0 = off
//     "x_title": "", "y_title": "far recall",          empty: from the metric and the axis
//     "x_scale": "linear", "y_scale": "linear",        "linear", "log", "symlog"
//     "x_range": [null, null], "y_range": [0, 1],      null: from the data
//     "colour_range": [0.005, 0.5],                    of an attention-map, magnitudes of the weights; absent: from the data
//     "threshold": 0.9, "compare_crossings": true      line, dots, and the bracket between the slowest two
//   }],
//   "style": {"size": "double", "width_mm": 174, "height_mm": 72, "font": "", "font_pt": 7, "line_pt": 0.75,
//             "legend": "below", "series_by": "hue+dash", "text": "embedded"}
// }
// clang-format on
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/axis.h"
#include "core/base/error.h"
#include "core/base/json.h"

namespace braid::ui {

inline constexpr int figure_schema_version = 1;

enum class FigureSize { single, double_column, slide, custom };  // 84 mm, 174 mm, 254 mm, any
enum class FigureLegend { below, inside, labels };
enum class SeriesBy { hue_and_dash, hue, dash };
enum class TextAs { embedded, paths };
enum class SeedSpread { range, interval, none };

struct FigureStyle {
    FigureSize size = FigureSize::double_column;
    double width_mm = 174;
    double height_mm = 72;
    std::string font = {};  // family; empty: the program's own
    double font_pt = 7;     // the smallest text printed
    double line_pt = 0.75;
    FigureLegend legend = FigureLegend::below;
    SeriesBy series_by = SeriesBy::hue_and_dash;
    TextAs text = TextAs::embedded;
    bool operator==(const FigureStyle&) const = default;
};

struct FigureSource {
    std::string study = {};              // the name of a study, or
    std::vector<std::string> runs = {};  // run ids, or
    std::string checkpoint = {};         // a folder; relative ones start at the project's, or
    std::string growth = {};             // a file of `bench step --out`; relative likewise
    bool operator==(const FigureSource&) const = default;
};

struct FigurePanel {
    std::string metric = {};
    std::string x = "tokens";
    double smoothing = 0;
    std::string x_title = {};
    std::string y_title = {};
    AxisScale x_scale = AxisScale::linear;
    AxisScale y_scale = AxisScale::linear;
    std::array<std::optional<double>, 2> x_range = {};
    std::array<std::optional<double>, 2> y_range = {};
    // Of an attention-map, of all its panels the first one's: magnitudes at the ends of its colours.
    std::array<std::optional<double>, 2> colour_range = {};
    std::optional<double> threshold = {};
    std::optional<std::int64_t> step = {};  // of a checkpoint, for kinds that show a score of one
    std::string score = {};                 // score_settings_hash() of that score; empty: any
    bool compare_crossings = false;
    bool operator==(const FigurePanel&) const = default;
};

struct FigureSpec {
    std::string kind = "curves";
    std::string title = {};
    FigureSource source = {};
    std::map<std::string, int> colours = {};
    SeedSpread spread = SeedSpread::range;
    std::vector<FigurePanel> panels = {};
    FigureStyle style = {};
    bool operator==(const FigureSpec&) const = default;
};

Json to_json(const FigureSpec& spec);
// Every problem at once: unknown keys, wrong types, values out of range.
Checked<FigureSpec> figure_from_json(const Json& json);
Result<FigureSpec> read_figure(const std::string& file);

Result<void> write_figure(const std::string& file, const FigureSpec& spec);  // atomically

// The size's own width; custom keeps what is there.
double standard_width_mm(FigureSize size, double custom);

// Words of the JSON form, in the order of the enumerators: for forms and options.
std::string_view to_text(FigureSize size);
std::string_view to_text(FigureLegend legend);
std::string_view to_text(SeriesBy by);
std::string_view to_text(TextAs text);
std::string_view to_text(SeedSpread spread);
// "tokens", "step", "flops", "time_s"
const std::vector<std::string>& figure_axes();

}  // namespace braid::ui
