#include "widgets/figure/study_map.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/seeds.h"
#include "core/base/csv_table.h"

namespace braid::ui {

namespace {

std::string value_of(const StudyFields& fields, const std::string& name) {
    for (const auto& [field, value] : fields)
        if (field == name) return value;
    return {};
}

std::size_t index_of(const StudyFactor& factor, const std::string& value) {
    return std::size_t(std::find(factor.values.begin(), factor.values.end(), value) - factor.values.begin());
}

}  // namespace

std::vector<StudyFactor> study_factors(const StudySpec& spec, const StudyState& state) {
    std::vector<StudyFactor> factors;
    for (const std::string& name : field_names(spec))
        if (name != "seed") factors.push_back({.name = name});
    for (const PointState& point : state.points) {
        const StudyFields fields = fields_of(spec, point.planned.point);
        for (StudyFactor& factor : factors) {
            const std::string value = value_of(fields, factor.name);
            if (index_of(factor, value) == factor.values.size()) factor.values.push_back(value);
        }
    }
    std::erase_if(factors, [](const StudyFactor& factor) { return factor.values.size() < 2; });
    return factors;
}

std::pair<std::string, std::string> first_factors(const std::vector<StudyFactor>& factors) {
    if (factors.size() < 2) return {};
    std::vector<std::string> axes, others;
    for (const StudyFactor& factor : factors) {
        const bool own = factor.name != "architecture" && factor.name != "scale" && factor.name != "budget";
        (own ? axes : others).push_back(factor.name);
    }
    if (axes.size() >= 2) return {axes[0], axes[1]};
    if (axes.size() == 1) return {axes[0], others.front()};
    return {others.back(), others[others.size() - 2]};
}

StudyMap study_map(const StudySpec& spec, const StudyState& state, const ScalingView& view,
                   const std::string& x, const std::string& y,
                   const std::vector<std::pair<std::string, std::string>>& fixed) {
    StudyMap map;
    map.low = INFINITY;
    map.high = -INFINITY;
    for (const StudyFactor& factor : study_factors(spec, state)) {
        if (factor.name == x) {
            map.x = factor;
        } else if (factor.name == y) {
            map.y = factor;
        } else {
            std::string value = factor.name == "architecture" ? factor.values.front() : factor.values.back();
            for (const auto& [name, wanted] : fixed)
                if (name == factor.name && index_of(factor, wanted) < factor.values.size()) value = wanted;
            map.fixed.emplace_back(factor.name, value);
        }
    }
    if (map.x.values.empty() || map.y.values.empty()) return map;
    const std::size_t columns = map.x.values.size();
    map.cells.resize(columns * map.y.values.size());
    std::vector<std::vector<double>> values(map.cells.size());
    for (std::size_t i = 0; i < view.points.size(); ++i) {
        const ScalingViewPoint& point = view.points[i];
        const StudyFields fields = fields_of(spec, state.points[point.point].planned.point);
        const bool here = std::all_of(map.fixed.begin(), map.fixed.end(), [&](const auto& condition) {
            return value_of(fields, condition.first) == condition.second;
        });
        if (!here) continue;
        const std::size_t at =
            index_of(map.y, value_of(fields, y)) * columns + index_of(map.x, value_of(fields, x));
        StudyCell& cell = map.cells[at];
        ++cell.planned;
        if (cell.point < 0) cell.point = int(i);
        if (point.finished() && point.value && std::isfinite(*point.value))
            values[at].push_back(*point.value);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].empty()) continue;
        double sum = 0, squares = 0;
        for (const double value : values[i]) sum += value;
        const double mean = sum / double(values[i].size());
        for (const double value : values[i]) squares += (value - mean) * (value - mean);
        StudyCell& cell = map.cells[i];
        cell.mean = mean;
        cell.runs = values[i].size();
        if (cell.runs > 1)
            cell.half_width = interval_half_width(std::sqrt(squares / double(cell.runs - 1)), cell.runs);
        map.low = std::min(map.low, mean);
        map.high = std::max(map.high, mean);
    }
    return map;
}

}  // namespace braid::ui
