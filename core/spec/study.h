// A study as a value: variants of an architecture times seeds, trained alike, compared by one measure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/training.h"

namespace braid {

// One architecture of a study: either a file of the project or a pattern at a scale.
struct StudyVariant {
    std::string label = {};          // "Window 4"; unique in the study
    std::string architecture = {};   // name in the project's architectures/; empty: pattern and scale
    std::string pattern = {};        // shorthand, "FS[w=4] x2"
    std::string scale = {};          // "tiny", "S1"
    ParameterValues overrides = {};  // training fields that differ from the study's
    bool operator==(const StudyVariant&) const = default;
};

// The number that the study compares, and the value from which a run "got there".
struct StudyMeasure {
    std::string metric = "recall/far";
    double threshold = 0.9;
    bool operator==(const StudyMeasure&) const = default;
};

struct StudySpec {
    std::string name = {};  // the stem of its file: letters, digits, '-', '_', '.'
    std::string title = {};
    std::string description = {};  // what it shows and how to read it
    TrainingSpec training = {};    // seed is given by `seeds`
    DataSpec data = {};
    std::vector<StudyVariant> variants = {};
    std::vector<std::uint64_t> seeds = {1};
    StudyMeasure measure = {};
    bool operator==(const StudySpec&) const = default;
};

inline constexpr int study_schema_version = 1;

Json to_json(const StudySpec& spec);
// Syntax, types and unknown keys; every problem.
Checked<StudySpec> study_from_json(const Json& json);
// Rules between fields; the patterns themselves are checked where a catalogue of mixers is at hand.
Diagnostics validate(const StudySpec& spec);

// One run of a study: a variant with a seed.
struct StudyPoint {
    std::size_t variant = 0;  // index into variants
    std::uint64_t seed = 0;
    std::string key = {};  // "window-4/seed-1": stable name of the point, kept in the plan of its run
    bool operator==(const StudyPoint&) const = default;
};

// Seed by seed (all variants of the first seed come first), so that an unfinished study compares like with
// like.
std::vector<StudyPoint> study_points(const StudySpec& spec);

// The training of a point: the study's, the variant's overrides, the seed.
TrainingSpec training_of(const StudySpec& spec, const StudyPoint& point);

// "1,2,5-8" as a list without repetition, in the order given.
Checked<std::vector<std::uint64_t>> parse_seeds(std::string_view text);

// "Window 64, NoPE" as "window-64-nope": for keys and file names.
std::string slug(std::string_view label);

}  // namespace braid
