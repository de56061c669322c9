// A study as a value: what is trained (architectures x scales x budgets x further axes x seeds), alike but
// for these, and what is compared. core/spec/study_points.h makes its runs of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/scale.h"
#include "core/spec/training.h"

namespace braid {

// One architecture of a study: a file of the project, or a pattern at a scale.
struct StudyVariant {
    std::string label = {};         // "Window 4"; unique in the study
    std::string architecture = {};  // name in the project's architectures/; empty: a pattern
    // Shorthand or preset, "FS[w=4] x2". Its "$name"s are filled in by the axes of that name; it is then
    // cycled to the depth of its scale whatever counts it has: "(S[w=$window])x$ratio F".
    std::string pattern = {};
    std::string scale = {};          // of a pattern, where the study has no scales: "tiny", "S1"
    ParameterValues overrides = {};  // training fields that differ from the study's
    bool operator==(const StudyVariant&) const = default;
};

// One size of every pattern of the study.
struct StudyScale {
    std::string name = {};            // a published one, "S1", or a name for `sizes`
    std::optional<Scale> sizes = {};  // dimensions of its own
    ParameterValues overrides = {};   // training fields of this scale: batch, learning rate
    bool operator==(const StudyScale&) const = default;
};

// A further axis, by key: a training field ("learning_rate"), a parameter of the data ("data.pairs") or of
// every layer of a mixer ("full.rope_base", "swa.window"), or "$name": a word of the patterns.
struct StudyAxis {
    std::string key = {};
    std::vector<ParameterValue> values = {};
    bool operator==(const StudyAxis&) const = default;
};

// The number that the study compares, and the value from which a run "got there".
struct StudyMeasure {
    std::string metric = "recall/far";
    double threshold = 0.9;
    bool operator==(const StudyMeasure&) const = default;
};

// How its scaling laws are fitted. Rules of rows as in `braid-engine fit`: "scale=S4", "architecture=Full,
// budget<=100: too early" (core/base/row_rule.h).
struct StudyFit {
    std::vector<std::string> metrics = {};  // what is fitted; empty: the study's measure
    std::string form = "power2";            // or "chinchilla"
    std::vector<std::string> held_out = {};
    std::vector<std::string> excluded = {};
    bool operator==(const StudyFit&) const = default;
};

struct StudySpec {
    std::string name = {};  // the stem of its file: letters, digits, '-', '_', '.'
    std::string title = {};
    std::string description = {};  // what it shows and how to read it
    TrainingSpec training = {};    // seed is given by `seeds`, steps by `budgets` where there are any
    DataSpec data = {};
    std::vector<StudyVariant> variants = {};
    std::vector<StudyScale> scales = {};  // empty: each variant has its own
    // D/N: tokens per parameter, N being the parameters without embeddings of full attention at the scale, so
    // that all architectures of a scale see the same tokens. Empty: training.steps.
    std::vector<double> budgets = {};
    std::vector<StudyAxis> axes = {};
    std::vector<std::uint64_t> seeds = {1};
    std::vector<std::string> excluded = {};  // points that are not trained, as rules: "scale=S5, budget>200"
    // Budgets share their stable part: each but the smallest goes on from the checkpoint at which the decay
    // of the next smaller one began.
    bool branching = true;
    // What each finished run is asked, as words behind `braid-engine eval`, the checkpoint left out:
    // "niah --lengths 512,1024 --samples 50".
    std::vector<std::string> evaluations = {};
    StudyMeasure measure = {};
    StudyFit fit = {};
    bool operator==(const StudySpec&) const = default;
};

inline constexpr int study_schema_version = 2;

Json to_json(const StudySpec& spec);
// Syntax, types and unknown keys; every problem.
Checked<StudySpec> study_from_json(const Json& json);
// Rules between fields; the patterns themselves are checked where a catalogue of mixers is at hand
// (core/spec/study_plan.h).
Diagnostics validate(const StudySpec& spec);

// "1,2,5-8" as a list without repetition, in the order given.
Checked<std::vector<std::uint64_t>> parse_seeds(std::string_view text);

// "Window 64, NoPE" as "window-64-nope": for keys and file names.
std::string slug(std::string_view label);

}  // namespace braid
