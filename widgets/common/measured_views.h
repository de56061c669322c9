// What a measurement shows: an array of a record as a map over layers, as curves, or as bars. The same for
// the screen and for paper.
#pragma once

#include <QString>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/curve.h"
#include "core/record/measurement.h"
#include "core/spec/architecture.h"

namespace braid::ui {

struct RunView;

// A record with what is known of its run.
struct MeasuredRun {
    std::string run = {};  // id
    QString name = {};
    int colour = 0;  // palette index of the run
    std::vector<LayerSpec> layers = {};
    const MeasurementRecord* record = nullptr;  // never null in lists of them
};
MeasuredRun measuredRun(const RunView& run, const MeasurementRecord& record);

// One value with what stands behind it. NaN: none, `missing` says why.
struct MeasuredCell {
    double value = std::numeric_limits<double>::quiet_NaN();
    double low = std::numeric_limits<double>::quiet_NaN();  // ends of its interval, or NaN
    double high = std::numeric_limits<double>::quiet_NaN();
    std::int64_t samples = 0;
    bool isOutside = false;  // not of this row at all: neither a value nor the lack of one
};
MeasuredCell measuredCell(const MeasuredArray& array, std::size_t at);

struct LayerRow {
    std::size_t source = 0;  // index into the runs of the map
    QString label = {};      // "SWA-128", "3"
    std::vector<MeasuredCell> cells = {};
    std::string mixer = {};  // of its layers, where the rows are by kind of layer; else empty
};

// Rows of one value a layer: the runs themselves ([layer]), the heads of the first run ([layer, head]), or
// each other tick of each run ([matrix, layer]).
struct LayerMap {
    std::string kind = {}, array = {}, unit = {};
    QString rowName = {};  // "head": rows are numbers of one run; empty: rows have names of their own
    QString fixed = {};    // "horizon 2,048 tokens": what is the same for all of it
    QString missing = {};  // why cells without a value have none
    bool isSigned = false;
    double least = 0, most = 1;  // what the colours span
    std::vector<MeasuredRun> runs = {};
    std::vector<LayerRow> rows = {};
    std::vector<std::pair<std::size_t, std::size_t>> top = {};  // row, layer: to be circled

    bool isEmpty() const { return rows.empty(); }
    std::size_t layers() const;  // of the deepest run
    double share(double value) const { return (value - least) / (most - least); }
};

// A line over tokens, distance, position or noise.
struct MeasuredCurve {
    std::size_t source = 0;
    std::string component = {};  // "full", "ffn": of a part of a model; empty: of all of it
    QString label = {};
    CurvePtr mean = Curve::empty(), low = Curve::empty(), high = Curve::empty();
    std::int64_t samples = 0;
    bool hasBand() const { return !low->is_empty(); }
};

struct MeasuredBar {
    std::size_t source = 0;
    QString what = {};  // "full", "swa": a mixer
    MeasuredCell value = {};
};

enum class MeasuredForm { map, curves, bars, values };  // values: a table and no picture
MeasuredForm measuredForm(const MeasuredArray& array);

// Differences and gains have a sign: red and blue from a middle at 0.
bool isSignedArray(const std::string& kind, const std::string& array);
// "Probing accuracy", "Attention entropy H(t)"; the name itself where nothing better is known.
QString arrayTitle(const std::string& kind, const std::string& array);
// "tokens seen", "distance (tokens)"
QString axisTitle(const MeasuredAxis& axis);
QString tickText(const AxisTick& tick);
// "73.5 %", "+0.247 nats", "—"
QString measuredText(double value, const std::string& unit, bool isSigned = false);
QString intervalText(const MeasuredCell& cell, const std::string& unit,
                     bool isSigned);                    // "69.2 to 77.8", or ""
QString samplesText(std::int64_t samples);              // "1 sample"
QString headText(std::size_t layer, std::size_t head);  // "L8.H3"
// "73.5 % (69.2 to 77.8), 400 samples"; `missing` where there is no value.
QString cellText(const MeasuredCell& cell, const std::string& unit, bool isSigned, const QString& missing);

LayerMap layerMap(const std::vector<MeasuredRun>& runs, const std::string& array);
// Of [tokens, layer, head]: the mean of the `heads` with the most mass on the needle at the end.
inline constexpr std::size_t top_heads = 2;
std::vector<MeasuredCurve> measuredCurves(const std::vector<MeasuredRun>& runs, const std::string& array,
                                          std::size_t heads = top_heads);
// At the first horizon.
std::vector<MeasuredBar> measuredBars(const std::vector<MeasuredRun>& runs, const std::string& array);
// "L8.H3, L10.H7": the top heads at the end.
QString topHeadsText(const MeasurementRecord& record);

// Lengths of the windows of the run's layers, each once, ascending.
std::vector<double> windowsOf(const MeasuredRun& run);

std::optional<double> summaryValue(const MeasurementRecord& record, std::string_view name);

}  // namespace braid::ui
