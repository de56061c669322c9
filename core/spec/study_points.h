// The runs that a study consists of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/row_rule.h"
#include "core/spec/study.h"

namespace braid {

// One run of a study: a place on each of its axes.
struct StudyPoint {
    std::size_t variant = 0;                // index into variants
    std::optional<std::size_t> scale = {};  // index into scales
    std::optional<double> budget = {};
    std::vector<std::size_t> axes = {};  // index into the values of each axis
    std::uint64_t seed = 0;
    std::string key = {};    // "window-4/s1/100n/seed-1": stable name of the point, kept in its run's plan
    std::string label = {};  // "Window 4, S1, 100N", without the seed
    bool operator==(const StudyPoint&) const = default;
};

inline constexpr std::size_t max_study_points = 100'000;

// Seed by seed, within a seed the smaller scales and budgets first and all variants of each, so that an
// unfinished study compares like with like and every branch comes behind its trunk. Excluded ones are left
// out.
std::vector<StudyPoint> study_points(const StudySpec& spec);

// What rules are asked about: architecture (the variant's label), scale, budget, the keys of the axes, seed.
using StudyFields = std::vector<std::pair<std::string, std::string>>;
StudyFields fields_of(const StudySpec& spec, const StudyPoint& point);
// Their names, in that order; of scale, budget and axes those that the study has.
std::vector<std::string> field_names(const StudySpec& spec);

// "Hybrid, window 4, ratio 3": what points of one scaling law have in common, all but scale, budget and seed.
std::string curve_of(const StudySpec& spec, const StudyPoint& point);

// A rule about points; asking for what they do not have is a problem.
Checked<RowRule> parse_point_rule(std::string_view text, const StudySpec& spec, const std::string& path);

// The training of a point without its budget: the study's, the scale's, the variant's, the axes', the seed.
TrainingSpec training_of(const StudySpec& spec, const StudyPoint& point);

// "100N", "0.5N"
std::string budget_text(double budget);

}  // namespace braid
