// Texts in which something is hidden and asked for at the end: needles of the niah and recall tasks, or
// RULER's in text, with the places of needle and value among the tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/mechanism/measurement.h"

namespace braid {

// Half-open range of places in a prompt.
struct TokenRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t size() const { return end - begin; }
    bool holds(std::int64_t place) const { return place >= begin && place < end; }
};

struct NeedleSample {
    std::vector<std::int32_t> prompt = {};  // ends with the question
    TokenRange needle = {};                 // key and value, or the whole sentence
    TokenRange value = {};                  // of it, what the answer is to copy
    std::int64_t answer_tokens = 0;         // that it takes to say the value
    double depth = 0;                       // of the needle, 0 to 1
};

inline constexpr std::int64_t needle_classes = 8;

class NeedleSource {
public:
    virtual ~NeedleSource() = default;
    // A pure function of the seed and its arguments. With a class (0 .. 7) the value is that of the class.
    virtual Result<NeedleSample> sample(std::int64_t index, double depth,
                                        std::optional<std::int64_t> value_class = {}) const = 0;
    // Whether an answer says what is wanted: more than half of it (ROUGE-1 recall > 50).
    virtual bool says_it(const NeedleSample& sample, const std::vector<std::int32_t>& answer) const = 0;
};

// Of the task that the checkpoint's run was trained on, or of text. Describes itself in measured.settings.
// With `classes` the values must have eight. Errors: invalid_input (a task without needles, no tokenizer, a
// context that is too short; all at once).
Result<std::unique_ptr<NeedleSource>> make_needle_source(const MeasureInput& input, std::int64_t context,
                                                         bool classes, Measured& measured);

// `count` samples at depths spread evenly.
Result<std::vector<NeedleSample>> needle_samples(const NeedleSource& source, std::int64_t count);

// What heads are looked at with: needles in the context that is asked for, and no classes.
struct NeedleSet {
    std::unique_ptr<NeedleSource> source;
    std::vector<NeedleSample> samples;
};
// Errors: those of sample_context() and make_needle_source().
Result<NeedleSet> make_needle_set(const MeasureInput& input, Measured& measured);

// Numbers of samples whose prompts are equally long, a few at a time.
std::vector<std::vector<std::size_t>> equal_lengths(const std::vector<NeedleSample>& samples,
                                                    std::int64_t tokens_at_a_time = 8'192);

}  // namespace braid
