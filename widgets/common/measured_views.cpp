#include "widgets/common/measured_views.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/mixers/builtin.h"
#include "core/record/head_formation.h"
#include "widgets/common/format.h"
#include "widgets/common/run_view.h"

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("MeasuredViews", text); }
QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

int axisOf(const MeasuredArray& array, std::string_view name) {
    for (std::size_t i = 0; i < array.axes.size(); ++i)
        if (array.axes[i].name == name) return int(i);
    return -1;
}

bool isNumeric(const MeasuredAxis& axis) {
    return !axis.ticks.empty() && std::all_of(axis.ticks.begin(), axis.ticks.end(), [](const AxisTick& tick) {
        return std::holds_alternative<double>(tick);
    });
}

// The colours of several maps and of one checkpoint after another can be compared where the span is known
// beforehand.
void span(LayerMap& map) {
    double least = 0, most = 0;
    for (const LayerRow& row : map.rows)
        for (const MeasuredCell& cell : row.cells) {
            if (!std::isfinite(cell.value)) continue;
            least = std::min(least, cell.value);
            most = std::max(most, cell.value);
        }
    if (map.isSigned) {
        const double reach = std::max({most, -least, 1e-12});
        map.least = -reach;
        map.most = reach;
        return;
    }
    map.least = least;
    map.most = map.unit == "%" && least >= 0 ? 100 : most > least ? most : least + 1;
}

// Heads in order of what they have at the end; `last` is the first value of the last point.
std::vector<std::size_t> topPlaces(const std::vector<double>& values, std::size_t first,
                                   std::size_t most = top_heads) {
    std::vector<std::size_t> places;
    for (std::size_t i = first; i < values.size(); ++i)
        if (std::isfinite(values[i])) places.push_back(i - first);
    const std::size_t wanted = std::min(most, places.size());
    std::partial_sort(places.begin(), places.begin() + std::ptrdiff_t(wanted), places.end(),
                      [&](std::size_t a, std::size_t b) { return values[first + a] > values[first + b]; });
    places.resize(wanted);
    return places;
}

std::vector<std::size_t> topPlacesOf(const MeasurementRecord& record, std::size_t most = top_heads) {
    const MeasuredArray* mass = record.find("mass");
    if (!mass || mass->axes.size() != 3 || mass->values.empty()) return {};
    return topPlaces(mass->values,
                     mass->values.size() - mass->axes[1].ticks.size() * mass->axes[2].ticks.size(), most);
}

std::vector<double> numbers(const MeasuredAxis& axis) {
    std::vector<double> list;
    for (const AxisTick& tick : axis.ticks) list.push_back(std::get<double>(tick));
    return list;
}

// Points without a value are left out: a head that was not recorded at a step is no gap in the others. So is
// the distance of a token from itself: profiles over distance have a logarithmic axis.
CurvePtr curveOf(const MeasuredAxis& axis, const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> known_x, known_y;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (std::isfinite(y[i]) && (x[i] > 0 || axis.name != "distance")) {
            known_x.push_back(x[i]);
            known_y.push_back(y[i]);
        }
    return Curve::make(known_x, known_y);
}

MeasuredCurve lineOf(const MeasuredArray& array, std::size_t first, const std::vector<double>& x) {
    const auto part = [&](const std::vector<double>& list) {
        return list.empty() ? Curve::empty()
                            : curveOf(array.axes.back(), x,
                                      {list.begin() + std::ptrdiff_t(first),
                                       list.begin() + std::ptrdiff_t(first + x.size())});
    };
    MeasuredCurve curve{.mean = part(array.values), .low = part(array.low), .high = part(array.high)};
    if (!array.samples.empty()) curve.samples = array.samples[array.samples.size() == 1 ? 0 : first];
    return curve;
}

void addLayerRows(LayerMap& map, const MeasuredArray& array, std::size_t source) {
    const auto layer = std::size_t(axisOf(array, "layer"));
    const std::size_t layers = array.axes[layer].ticks.size();
    const std::size_t others = array.axes.size() == 1 ? 1 : array.axes[1 - layer].ticks.size();
    for (std::size_t r = 0; r < others; ++r) {
        LayerRow row{.source = source, .label = map.runs[source].name};
        if (array.axes.size() == 2 && others == 1) {
            const MeasuredAxis& axis = array.axes[1 - layer];
            map.fixed = QStringLiteral("%1 %2").arg(text(axis.name), tickText(axis.ticks[0]));
            if (!axis.unit.empty()) map.fixed += QLatin1Char(' ') + text(axis.unit);
        } else if (array.axes.size() == 2) {
            const QString tick = tickText(array.axes[1 - layer].ticks[r]);
            row.label = map.rowName.isEmpty() && map.runs.size() > 1
                            ? map.runs[source].name + QStringLiteral(", ") + tick
                            : tick;
        }
        for (std::size_t l = 0; l < layers; ++l)
            row.cells.push_back(measuredCell(array, array.axes.size() == 1 ? l
                                                    : layer == 0           ? array.at(l, r)
                                                                           : array.at(r, l)));
        map.rows.push_back(std::move(row));
    }
}

}  // namespace

MeasuredCell measuredCell(const MeasuredArray& array, std::size_t at) {
    MeasuredCell cell{.value = array.values[at]};
    if (!array.low.empty()) cell.low = array.low[at];
    if (!array.high.empty()) cell.high = array.high[at];
    if (!array.samples.empty())
        cell.samples = array.samples.size() == 1 ? array.samples[0] : array.samples[at];
    return cell;
}

MeasuredRun measuredRun(const RunView& run, const MeasurementRecord& record) {
    MeasuredRun measured{
        .run = run.id.str(), .name = run.name, .colour = run.paletteIndex, .record = &record};
    if (run.plan) measured.layers = run.plan->architecture.layers;
    return measured;
}

std::size_t LayerMap::layers() const {
    std::size_t deepest = 0;
    for (const LayerRow& row : rows) deepest = std::max(deepest, row.cells.size());
    return deepest;
}

MeasuredForm measuredForm(const MeasuredArray& array) {
    const int layer = axisOf(array, "layer"), tokens = axisOf(array, "tokens");
    if (tokens == 0 && array.axes.size() == 3) return MeasuredForm::curves;
    if (layer >= 0 && array.axes.size() <= 2) return MeasuredForm::map;
    if (array.axes.size() == 2 && axisOf(array, "kind") == 1) return MeasuredForm::bars;
    if (layer < 0 && !array.axes.empty() && array.axes.size() <= 2 && isNumeric(array.axes.back()))
        return MeasuredForm::curves;
    return MeasuredForm::values;
}

bool isSignedArray(const std::string& kind, const std::string& array) {
    return array == "gain" || (kind != "change" && array.find("change") != std::string::npos);
}

QString arrayTitle(const std::string& kind, const std::string& array) {
    struct Name {
        const char *kind, *array, *title;
    };
    static const Name names[] = {
        {"probe", "accuracy", QT_TRANSLATE_NOOP("MeasuredViews", "Probing accuracy")},
        {"probe", "gain", QT_TRANSLATE_NOOP("MeasuredViews", "Gain over the layer below")},
        {"probe", "class_accuracy", QT_TRANSLATE_NOOP("MeasuredViews", "Probing accuracy by class")},
        {"probe", "comparison", QT_TRANSLATE_NOOP("MeasuredViews", "Probing accuracy by classifier")},
        {"heads", "mass", QT_TRANSLATE_NOOP("MeasuredViews", "Retrieval score by head")},
        {"heads", "copy", QT_TRANSLATE_NOOP("MeasuredViews", "Copy score by head (Wu et al.)")},
        {"gradient", "g", QT_TRANSLATE_NOOP("MeasuredViews", "Gradient influence G(d)")},
        {"trace", "entropy", QT_TRANSLATE_NOOP("MeasuredViews", "Attention entropy H(t)")},
        {"trace", "entropy_keys",
         QT_TRANSLATE_NOOP("MeasuredViews", "Attention entropy H(t), without the sink")},
        {"trace", "mass", QT_TRANSLATE_NOOP("MeasuredViews", "Attention mass on the needle")},
        {"trace", "hit_rate", QT_TRANSLATE_NOOP("MeasuredViews", "Hit rate")},
        {"trace", "sink", QT_TRANSLATE_NOOP("MeasuredViews", "Share of the sink")},
        {"trace", "d_qk", QT_TRANSLATE_NOOP("MeasuredViews", "Distance to final W_Q, W_K")},
        {"trace", "grad_norm", QT_TRANSLATE_NOOP("MeasuredViews", "Gradient norm of W_Q")},
        {"entropy", "entropy", QT_TRANSLATE_NOOP("MeasuredViews", "Attention entropy by head")},
        {"entropy", "entropy_keys",
         QT_TRANSLATE_NOOP("MeasuredViews", "Attention entropy by head, without the sink")},
        {"entropy", "hit_rate", QT_TRANSLATE_NOOP("MeasuredViews", "Hit rate by head")},
        {"restrict", "change_by_layer",
         QT_TRANSLATE_NOOP("MeasuredViews", "Loss when one layer is restricted")},
        {"restrict", "change_by_kind", QT_TRANSLATE_NOOP("MeasuredViews", "Receptive field")},
        {"change", "change", QT_TRANSLATE_NOOP("MeasuredViews", "Change of weights")},
        {"ablate", "change", QT_TRANSLATE_NOOP("MeasuredViews", "Loss without the head")},
        {"noise", "change", QT_TRANSLATE_NOOP("MeasuredViews", "Loss under noise")},
        {"internals", "memory", QT_TRANSLATE_NOOP("MeasuredViews", "Effective memory of states")},
        {"internals", "decay", QT_TRANSLATE_NOOP("MeasuredViews", "Decay of states")},
        {"internals", "write", QT_TRANSLATE_NOOP("MeasuredViews", "Write strength of states")},
    };
    for (const Name& name : names)
        if (kind == name.kind && array == name.array) return tr(name.title);
    QString plain = text(array);
    plain.replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!plain.isEmpty()) plain[0] = plain[0].toUpper();
    return plain;
}

QString axisTitle(const MeasuredAxis& axis) {
    if (axis.name == "tokens") return tr("tokens seen");
    if (axis.name == "sigma") return tr("noise, in units of the RMS");
    const QString name = text(axis.name);
    return axis.unit.empty() ? name : QStringLiteral("%1 (%2)").arg(name, text(axis.unit));
}

QString tickText(const AxisTick& tick) {
    if (const std::string* name = std::get_if<std::string>(&tick)) return text(*name);
    const double value = std::get<double>(tick);
    return value == std::floor(value) && std::abs(value) < 1e15 ? formatCount(std::int64_t(value))
                                                                : formatSignificant(value, 3);
}

namespace {

QString measuredNumber(double value, const std::string& unit, bool isSigned) {
    QString number = unit == "%"                            ? formatFixed(value, 1)
                     : unit == "tokens"                     ? formatSignificant(value, 3)
                     : std::abs(value) < 5e-4 && value != 0 ? formatSignificant(value, 2)
                                                            : formatFixed(value, 3);
    if (isSigned && value > 0) number.prepend(QLatin1Char('+'));
    return number;
}

}  // namespace

QString measuredText(double value, const std::string& unit, bool isSigned) {
    if (!std::isfinite(value)) return QStringLiteral("—");
    const QString number = measuredNumber(value, unit, isSigned);
    return unit.empty() ? number : number + QLatin1Char(' ') + text(unit);
}

QString intervalText(const MeasuredCell& cell, const std::string& unit, bool isSigned) {
    if (!std::isfinite(cell.low) || !std::isfinite(cell.high)) return {};
    return tr("%1 to %2")
        .arg(measuredNumber(cell.low, unit, isSigned), measuredNumber(cell.high, unit, isSigned));
}

QString samplesText(std::int64_t samples) {
    return samples == 1 ? tr("1 sample") : tr("%1 samples").arg(formatCount(samples));
}

QString headText(std::size_t layer, std::size_t head) {
    return QStringLiteral("L%1.H%2").arg(layer).arg(head);
}

QString cellText(const MeasuredCell& cell, const std::string& unit, bool isSigned, const QString& missing) {
    if (!std::isfinite(cell.value))
        return missing.isEmpty() ? tr("not measured") : tr("no value, %1").arg(missing);
    QString all = measuredText(cell.value, unit, isSigned);
    if (const QString interval = intervalText(cell, unit, isSigned); !interval.isEmpty())
        all += QStringLiteral(" (%1)").arg(interval);
    if (cell.samples > 0) all += QStringLiteral(", ") + samplesText(cell.samples);
    return all;
}

LayerMap layerMap(const std::vector<MeasuredRun>& runs, const std::string& name) {
    LayerMap map{.array = name};
    for (const MeasuredRun& run : runs) {
        const MeasuredArray* array = run.record->find(name);
        if (!array || measuredForm(*array) != MeasuredForm::map) continue;
        map.kind = run.record->kind;
        map.unit = array->unit;
        map.isSigned = isSignedArray(map.kind, name);
        if (!array->missing.empty()) map.missing = text(array->missing);
        const bool byHead = array->axes.size() == 2 && axisOf(*array, "layer") == 0;
        if (byHead) map.rowName = text(array->axes[1].name);
        map.runs.push_back(run);
        if (byHead) break;  // the rows are its heads
    }
    for (std::size_t i = 0; i < map.runs.size(); ++i) addLayerRows(map, *map.runs[i].record->find(name), i);
    span(map);
    if (map.rowName == QLatin1String("head") && (name == "mass" || name == "copy" || name == "hit_rate")) {
        const MeasuredArray& array = *map.runs[0].record->find(name);
        const std::size_t heads = array.axes[1].ticks.size();
        for (const std::size_t place : topPlaces(array.values, 0))
            if (array.values[place] >= marked_mass) map.top.emplace_back(place % heads, place / heads);
    }
    return map;
}

std::vector<MeasuredCurve> measuredCurves(const std::vector<MeasuredRun>& runs, const std::string& name,
                                          std::size_t most) {
    std::vector<MeasuredCurve> curves;
    for (std::size_t s = 0; s < runs.size(); ++s) {
        const MeasuredArray* array = runs[s].record->find(name);
        if (!array || measuredForm(*array) != MeasuredForm::curves) continue;
        if (array->axes.size() == 3) {  // [tokens, layer, head]
            const std::vector<double> tokens = numbers(array->axes[0]);
            const std::vector<std::size_t> heads = topPlacesOf(*runs[s].record, most);
            const std::size_t width = array->axes[1].ticks.size() * array->axes[2].ticks.size();
            std::vector<double> mean(tokens.size(), std::nan(""));
            for (std::size_t t = 0; t < tokens.size(); ++t) {
                double sum = 0;
                for (const std::size_t head : heads)
                    if (head < width) sum += array->values[t * width + head];
                if (!heads.empty()) mean[t] = sum / double(heads.size());
            }
            curves.push_back(
                {.source = s, .label = runs[s].name, .mean = curveOf(array->axes[0], tokens, mean)});
            if (!array->samples.empty()) curves.back().samples = array->samples[0];
            continue;
        }
        const std::vector<double> x = numbers(array->axes.back());
        const std::size_t lines = array->axes.size() == 2 ? array->axes[0].ticks.size() : 1;
        for (std::size_t i = 0; i < lines; ++i) {
            MeasuredCurve curve = lineOf(*array, i * x.size(), x);
            curve.source = s;
            curve.label = runs[s].name;
            if (lines > 1 && array->axes[0].name == "component")
                if (const auto* component = std::get_if<std::string>(&array->axes[0].ticks[i]))
                    curve.component = *component;
            if (lines > 1) {
                const QString tick = tickText(array->axes[0].ticks[i]);
                curve.label = runs.size() > 1 ? runs[s].name + QStringLiteral(", ") + tick : tick;
            }
            curves.push_back(std::move(curve));
        }
    }
    std::erase_if(curves, [](const MeasuredCurve& curve) { return curve.mean->is_empty(); });
    return curves;
}

std::vector<MeasuredBar> measuredBars(const std::vector<MeasuredRun>& runs, const std::string& name) {
    std::vector<MeasuredBar> bars;
    for (std::size_t s = 0; s < runs.size(); ++s) {
        const MeasuredArray* array = runs[s].record->find(name);
        if (!array || measuredForm(*array) != MeasuredForm::bars || array->values.empty()) continue;
        for (std::size_t k = 0; k < array->axes[1].ticks.size(); ++k)
            bars.push_back(
                {.source = s, .what = tickText(array->axes[1].ticks[k]), .value = measuredCell(*array, k)});
    }
    return bars;
}

QString topHeadsText(const MeasurementRecord& record) {
    const MeasuredArray* mass = record.find("mass");
    QStringList heads;
    for (const std::size_t place : topPlacesOf(record)) {
        const std::size_t width = mass->axes[2].ticks.size();
        heads << headText(place / width, place % width);
    }
    return heads.join(QStringLiteral(", "));
}

std::vector<double> windowsOf(const MeasuredRun& run) {
    std::set<double> windows;
    for (const LayerSpec& layer : run.layers)
        for (const HeadGroup& group : layer.groups) {
            const MixerKind* kind = builtin_mixers().find(group.mixer);
            if (!kind) continue;
            const auto& described = kind->description().parameters;
            if (find_parameter(described, "window"))
                windows.insert(double(group.parameters.integer("window", described)));
        }
    return {windows.begin(), windows.end()};
}

std::optional<double> summaryValue(const MeasurementRecord& record, std::string_view name) {
    for (const ScoreSummary& one : record.summary)
        if (one.name == name) return one.value;
    return std::nullopt;
}

}  // namespace braid::ui
