// What a checkpoint is scored on before and after something in it is changed: the key tokens of long texts
// (log LongPPL), or the far questions of the synthetic task that it was trained on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/measure/mechanism/interval.h"
#include "core/measure/mechanism/measurement.h"

namespace braid {

// Over the positions of one sequence that count.
struct SequenceScore {
    double loss = 0;     // sum, nats
    double targets = 0;  // how many
    double correct = 0;  // of them, by the likeliest token
};
using SequenceScores = std::vector<SequenceScore>;

struct ScoreSet {
    std::string name = {};  // "log LongPPL", "loss of recall/far"
    Batch batch = {};
    std::vector<std::vector<std::int32_t>> positions = {};  // by sequence: predictions that count

    // fraction: of this set; `before` is told the tokens of each pass. Error: interrupted.
    Result<SequenceScores> score(Model& model, const ForwardTaps* taps,
                                 const std::function<bool(double fraction)>& go_on,
                                 const std::function<void(const at::Tensor& tokens_BT)>& before = {}) const;
};

// From --keys, or the key tokens that the run itself is scored on, or the evaluation set of the task of the
// checkpoint's run: its groups "../far" where it has such, else all; at most `samples` sequences. Describes
// itself in measured.settings. Errors: invalid_input.
Result<ScoreSet> make_score_set(const MeasureInput& input, Measured& measured);

// Means over all targets; of a change, before and after are paired by sequence.
Interval loss_of(const SequenceScores& scores, std::int64_t resamples, std::uint64_t seed);
Interval accuracy_of(const SequenceScores& scores, std::int64_t resamples, std::uint64_t seed);
Interval loss_change(const SequenceScores& before, const SequenceScores& after, std::int64_t resamples,
                     std::uint64_t seed);
Interval accuracy_change(const SequenceScores& before, const SequenceScores& after, std::int64_t resamples,
                         std::uint64_t seed);
std::int64_t targets_of(const SequenceScores& scores);

// Summary lines "score" and "accuracy" of the checkpoint as it is.
void add_base_score(const ScoreSet& set, const SequenceScores& scores, Measured& measured);
// Into one place of the arrays of loss and accuracy (in %), with intervals.
struct ChangeArrays {
    MeasuredArray loss, accuracy;
    ChangeArrays(const char* loss_name, const char* accuracy_name, const std::vector<MeasuredAxis>& axes);
    void set(std::size_t place, const Interval& loss, const Interval& accuracy);
    // To the answer, as of so many samples; they are gone afterwards.
    void move_to(Measured& measured, std::int64_t samples, const char* missing = "");
};
// {"change", "low", "high", "accuracy_change"} of one place.
Json change_json(const Interval& loss, const Interval& accuracy);

}  // namespace braid
