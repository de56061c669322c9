#include "widgets/probe/cell_facts.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("CellFacts", text); }

QString intervalOf(const MeasuredCell& cell, const LayerMap& map) {
    if (!std::isfinite(cell.value)) return map.missing;
    QStringList parts;
    if (const QString interval = intervalText(cell, map.unit, map.isSigned); !interval.isEmpty())
        parts << interval;
    if (cell.samples > 0) parts << samplesText(cell.samples);
    return parts.join(QStringLiteral(", "));
}

// The row of the layer's strongest head in a map of heads of the same run.
std::size_t strongest(const LayerMapView& maps, const LayerMapView::Place& place) {
    const std::string& run = maps.run(place).run;
    for (const LayerMapView::Section& section : maps.sections()) {
        const LayerMap& map = section.map;
        if (map.rowName != QLatin1String("head") || map.runs.front().run != run) continue;
        std::size_t best = 0;
        double most = -1;
        for (std::size_t r = 0; r < map.rows.size(); ++r) {
            if (place.layer >= map.rows[r].cells.size()) break;
            const double value = map.rows[r].cells[place.layer].value;
            if (std::isfinite(value) && value > most) {
                most = value;
                best = r;
            }
        }
        return best;
    }
    return 0;
}

std::vector<MeasuredCell> classesOf(const MeasuredRun& run, std::size_t layer) {
    std::vector<MeasuredCell> cells;
    const MeasuredArray* array = run.record->find("class_accuracy");
    if (!array || array->axes.size() != 2 || array->axes[0].name != "layer" ||
        layer >= array->axes[0].ticks.size())
        return cells;
    for (std::size_t c = 0; c < array->axes[1].ticks.size(); ++c)
        cells.push_back(measuredCell(*array, array->at(layer, c)));
    return cells;
}

}  // namespace

CellFacts cellFacts(const LayerMapView& maps, LayerMapView::Place place) {
    const MeasuredRun& run = maps.run(place);
    const std::vector<LayerMapView::Section>& sections = maps.sections();
    const LayerMap& own = sections[place.section].map;
    CellFacts facts;
    facts.title = tr("%1, layer %2").arg(run.name).arg(place.layer);
    if (place.layer < run.layers.size()) {
        QStringList groups;
        for (const HeadGroup& group : run.layers[place.layer].groups)
            groups << tr("%1, %2 heads, %3 kv heads")
                          .arg(QString::fromStdString(group.mixer))
                          .arg(group.heads)
                          .arg(group.kv_heads);
        facts.mixer = QString::fromStdString(run.layers[place.layer].groups.front().mixer);
        facts.note = groups.join(QStringLiteral("; "));
    }
    QStringList lines{facts.title};
    const auto add = [&](LayerMapView::Place at) {
        const LayerMap& map = sections[at.section].map;
        const MeasuredCell& cell = maps.cell(at);
        QString name = sections[at.section].title;
        if (!map.rowName.isEmpty()) name = tr("%1 %2: %3").arg(map.rowName, map.rows[at.row].label, name);
        facts.values.push_back(
            {name, measuredText(cell.value, map.unit, map.isSigned), intervalOf(cell, map)});
        lines << maps.text(at);
    };
    add(place);
    for (std::size_t s = 0; s < maps.shown(); ++s) {
        const LayerMap& map = sections[s].map;
        if (s == place.section || !map.rowName.isEmpty()) continue;
        for (std::size_t r = 0; r < map.rows.size(); ++r)
            if (map.runs[map.rows[r].source].run == run.run && place.layer < map.rows[r].cells.size() &&
                !map.rows[r].cells[place.layer].isOutside)
                add({s, r, place.layer});
    }
    if (own.kind == "probe") facts.classes = classesOf(run, place.layer);
    facts.head = HeadChoice{RunId(run.run), run.record->checkpoint.step, place.layer,
                            own.rowName == QLatin1String("head") ? place.row : strongest(maps, place)};
    facts.copied = lines.join(QLatin1Char('\n'));
    return facts;
}

}  // namespace braid::ui
