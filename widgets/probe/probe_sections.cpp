#include "widgets/probe/probe_sections.h"

#include <QCoreApplication>
#include <algorithm>

#include "widgets/common/format.h"
#include "widgets/common/layer_kinds.h"
#include "widgets/probe/probe_choice.h"

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("ProbeSections", text); }

struct MapKind {
    const char *kind, *array;
};
constexpr MapKind standing[] = {{"probe", "accuracy"}, {"probe", "gain"}, {"heads", "mass"}};
constexpr MapKind further[] = {
    {"restrict", "change_by_layer"}, {"heads", "copy"},       {"entropy", "hit_rate"},
    {"entropy", "entropy"},          {"internals", "memory"}, {"internals", "decay"},
    {"internals", "write"},          {"ablate", "change"},    {"change", "change"}};

QString noteOf(const LayerMap& map) {
    QStringList note;
    if (!map.rowName.isEmpty() && !map.runs.empty()) note << map.runs.front().name;
    if (map.kind == "probe" && map.array == "accuracy")
        note << tr("eight-class needle, last token after each layer");
    if (!map.unit.empty() && map.unit != "%") note << QString::fromStdString(map.unit);
    if (!map.fixed.isEmpty()) note << map.fixed;
    if (map.isSigned) note << tr("centred at 0");
    if (map.kind == "heads" && map.array == "mass") note << tr("attention mass on the needle");
    std::int64_t fewest = 0, most = 0;
    for (const LayerRow& row : map.rows)
        for (const MeasuredCell& cell : row.cells) {
            if (cell.samples <= 0) continue;
            fewest = most == 0 ? cell.samples : std::min(fewest, cell.samples);
            most = std::max(most, cell.samples);
        }
    if (most > 0) note << samplesRangeText(fewest, most);
    return note.join(QStringLiteral(", "));
}

}  // namespace

std::vector<LayerMapView::Section> probeSections(const ProbeChoice& choice, bool byKind) {
    std::vector<LayerMapView::Section> sections;
    const auto add = [&](const MapKind& one, bool optional = false) {
        std::vector<MeasuredRun> runs = choice.measured(one.kind);
        // Maps of heads show one run: the current one, where it was measured.
        const auto current = std::find_if(runs.begin(), runs.end(), [&](const MeasuredRun& run) {
            return choice.current() && run.run == choice.current()->id.str();
        });
        if (current != runs.end() && !layerMap(runs, one.array).rowName.isEmpty())
            std::rotate(runs.begin(), current, std::next(current));
        LayerMap map = layerMap(runs, one.array);
        if (map.isEmpty()) return;
        if (byKind) map = byKindOfLayer(map);
        QString note = noteOf(map);
        if (map.kind == "probe" && !choice.classifier().isEmpty())
            note.prepend(choice.classifier() + QStringLiteral(", "));
        sections.push_back({std::move(map), arrayTitle(one.kind, one.array), note, optional});
    };
    for (const MapKind& one : further)
        if (choice.kind() == one.kind) add(one);
    for (const MapKind& one : standing) add(one);
    for (const MapKind& one : further)
        if (choice.kind() != one.kind) add(one, true);
    return sections;
}

QString samplesRangeText(std::int64_t fewest, std::int64_t most) {
    return fewest == most ? samplesText(most) : tr("%1 to %2").arg(formatCount(fewest), samplesText(most));
}

const std::vector<const char*>& standingKinds() {
    static const std::vector<const char*> kinds{"probe", "heads"};
    return kinds;
}

}  // namespace braid::ui
