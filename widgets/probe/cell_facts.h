// What is known of one cell of the maps over layers, told: for the inspector and for the clipboard.
#pragma once

#include <QString>
#include <vector>

#include "widgets/common/project_session.h"
#include "widgets/probe/layer_map_view.h"

namespace braid::ui {

struct CellFacts {
    QString title, note;  // "SWA-128, layer 8"; "full attention, 12 heads"
    QString mixer;        // "full"
    struct Value {
        QString name, value, interval;  // "Accuracy", "73.5 %", "69.2 to 77.8, 400 samples"
    };
    std::vector<Value> values;          // the cell itself first, then the others of its run and layer
    std::vector<MeasuredCell> classes;  // accuracy of each class, where it was recorded
    HeadChoice head;                    // to be looked at; the strongest of the layer where it names none
    QString copied;                     // all of it as lines
};

CellFacts cellFacts(const LayerMapView& maps, LayerMapView::Place place);

}  // namespace braid::ui
