// When the heads that retrieve formed, read from traces (paper D.4, Fig. 13), and whether they did later in
// one architecture of a study than in another ("large-window laziness").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/measurement.h"

namespace braid {

// Share of a head's attention on the needle from which it counts as formed.
inline constexpr double formed_mass = 0.5;
// Share from which a head is marked as one that retrieves: below it the strongest of none is no finding (Wu
// et al., too, count heads from a tenth).
inline constexpr double marked_mass = 0.1;
// So many times the tokens of the early one: then the other formed much later.
inline constexpr double much_later = 1.4;

struct HeadFormation {
    std::int64_t layer = 0, head = 0;  // with the most mass on the needle at the end
    double mass = 0;                   // there
    double entropy_start = 0, entropy_end = 0;
    double tokens = 0;  // seen by the last checkpoint
    std::optional<double> formed =
        {};  // tokens of the first checkpoint with formed_mass; none: not by the end
    std::optional<double> not_before = {};  // tokens of the checkpoint before that one
    std::int64_t samples = 0;
    bool operator==(const HeadFormation&) const = default;
};

// Of a record of the kind "trace". Errors: invalid_input (another kind), corrupt (it lacks what a trace has).
Result<HeadFormation> head_formation(const MeasurementRecord& trace);

// One seed of two architectures that were trained alike.
struct FormationPair {
    std::uint64_t seed = 0;
    HeadFormation early = {}, late = {};
    // Tokens of the late one over those of the early one; where the late one has not formed, what it had seen
    // by then: a lower bound. None: the early one has not formed.
    std::optional<double> ratio() const;
    bool holds() const;  // ratio() >= much_later
};

// "In 4 of 5 seeds Window 64 forms a retrieval head after at least 1.4 times the tokens of Window 4 (seed
// 4: 3.85 times) or none by the end of the training (seeds 1, 2, 5); not so in seed 3: 1.28 times."
std::string formation_text(const std::vector<FormationPair>& pairs, const std::string& early,
                           const std::string& late);

}  // namespace braid
