// A map over layers with a row for each kind of layer of each run, so that layers of one kind can be compared
// across models.
#pragma once

#include "widgets/common/measured_views.h"

namespace braid::ui {

// Kinds in the order in which they first appear, each with all runs that have it. Maps of heads stay as they
// are.
LayerMap byKindOfLayer(const LayerMap& map);

// Mean of the values of a row, and how many there are.
struct RowMean {
    double value = std::numeric_limits<double>::quiet_NaN();
    std::size_t layers = 0;
};
RowMean rowMean(const LayerRow& row);

}  // namespace braid::ui
