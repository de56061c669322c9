#include "widgets/common/layer_kinds.h"

#include <algorithm>
#include <cmath>

namespace braid::ui {

namespace {

bool hasMixer(const LayerSpec& layer, const std::string& mixer) {
    return std::any_of(layer.groups.begin(), layer.groups.end(),
                       [&](const HeadGroup& group) { return group.mixer == mixer; });
}

std::vector<std::string> mixersOf(const std::vector<MeasuredRun>& runs) {
    std::vector<std::string> mixers;
    for (const MeasuredRun& run : runs)
        for (const LayerSpec& layer : run.layers)
            for (const HeadGroup& group : layer.groups)
                if (std::find(mixers.begin(), mixers.end(), group.mixer) == mixers.end())
                    mixers.push_back(group.mixer);
    return mixers;
}

}  // namespace

LayerMap byKindOfLayer(const LayerMap& map) {
    if (!map.rowName.isEmpty()) return map;
    LayerMap divided = map;
    divided.rows.clear();
    for (const std::string& mixer : mixersOf(map.runs))
        for (const LayerRow& row : map.rows) {
            const std::vector<LayerSpec>& layers = map.runs[row.source].layers;
            LayerRow part = row;
            part.mixer = mixer;
            bool any = false;
            for (std::size_t l = 0; l < part.cells.size(); ++l) {
                const bool inside = l < layers.size() && hasMixer(layers[l], mixer);
                if (!inside) part.cells[l] = MeasuredCell{.isOutside = true};
                any = any || inside;
            }
            if (any) divided.rows.push_back(std::move(part));
        }
    return divided.rows.empty() ? map : divided;
}

RowMean rowMean(const LayerRow& row) {
    RowMean mean;
    double sum = 0;
    for (const MeasuredCell& cell : row.cells)
        if (!cell.isOutside && std::isfinite(cell.value)) {
            sum += cell.value;
            ++mean.layers;
        }
    if (mean.layers > 0) mean.value = sum / double(mean.layers);
    return mean;
}

}  // namespace braid::ui
