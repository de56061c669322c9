// From what a map shows to its scene and the tiles it lacks. No drawing, no widgets.
#pragma once

#include <QSizeF>
#include <memory>
#include <vector>

#include "widgets/heads/heads_state.h"
#include "widgets/heads/map_layout.h"
#include "widgets/heads/map_scene.h"
#include "widgets/heads/tile_store.h"

namespace braid::ui {

struct MapSceneRequest {
    const HeadsState& state;
    HeadSide side = HeadSide::a;
    QSizeF size;       // device-independent pixels
    double ratio = 1;  // device pixels in each
    bool focused = false;
};

struct MadeScene {
    std::shared_ptr<const MapScene> scene;
    std::vector<TilePlace> missing;  // the nearest to the cursor first
    int level = 0;                   // of the tiles
};

// Tiles that are there are drawn, for others the coarser ones that cover them.
MadeScene makeMapScene(const MapSceneRequest& request, TileStore& tiles);

// "8,192" or "8k" beside an axis: ticks of a viewport, as round as their distance allows.
struct TokenTick {
    std::int64_t token = 0;
    QString label;
};
std::vector<TokenTick> tokenTicks(double first, double span, int most);

}  // namespace braid::ui
