// Which maps over layers stand on Probe's page: those of the kind that is selected, then the standing ones;
// the others where there is room.
#pragma once

#include <vector>

#include "widgets/probe/layer_map_view.h"

namespace braid::ui {

class ProbeChoice;

// `byKind`: a row for each kind of layer of each run in place of one a run.
std::vector<LayerMapView::Section> probeSections(const ProbeChoice& choice, bool byKind);

// Kinds of measurements whose maps are always wanted.
const std::vector<const char*>& standingKinds();

// "100 samples", "64 to 100 samples" where they differ.
QString samplesRangeText(std::int64_t fewest, std::int64_t most);

}  // namespace braid::ui
