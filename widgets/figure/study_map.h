// A study over two of its factors: a cell a pair of values, with the number of runs and the interval of their
// mean.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "widgets/figure/scaling_view.h"

namespace braid::ui {

// architecture, scale, budget or an axis that has more than one value among the study's points; never seed.
struct StudyFactor {
    std::string name = {};
    std::vector<std::string> values = {};  // in the study's order
};
std::vector<StudyFactor> study_factors(const StudySpec& spec, const StudyState& state);
// The two that a map begins with: the first two axes, else an axis and what else there is, else budget and
// scale. Empty names where there are fewer than two.
std::pair<std::string, std::string> first_factors(const std::vector<StudyFactor>& factors);

struct StudyCell {
    std::optional<double> mean = {};  // over the seeds; none: nothing has finished
    double half_width = 0;            // of its 90 % interval; 0 for one run
    std::size_t runs = 0;             // that the mean is of
    std::size_t planned = 0;          // runs that the study has here
    int point = -1;                   // the first of the view
};

struct StudyMap {
    StudyFactor x = {}, y = {};
    // Values of the other factors: "scale=S2".
    std::vector<std::pair<std::string, std::string>> fixed = {};
    std::vector<StudyCell> cells = {};  // [y, x]
    double low = 0, high = 0;           // of the means
    bool has_values() const { return low <= high; }
    const StudyCell& at(std::size_t row, std::size_t column) const {
        return cells[row * x.values.size() + column];
    }
};

// Other factors have the values that `fixed` names, else their last one (the largest scale and budget), of
// architectures the first.
StudyMap study_map(const StudySpec& spec, const StudyState& state, const ScalingView& view,
                   const std::string& x, const std::string& y,
                   const std::vector<std::pair<std::string, std::string>>& fixed = {});

}  // namespace braid::ui
