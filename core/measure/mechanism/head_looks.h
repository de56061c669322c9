// Where each head looks when a needle is asked for: shares of its attention from the last token of a prompt.
// Of recurrent heads the matrix that their recurrence implies, by absolute values, divided by their sum.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/measure/mechanism/needle_samples.h"

namespace braid {

struct HeadPlace {
    std::int64_t layer = 0;
    std::int64_t group = 0;
    std::int64_t head = 0;   // of the group
    std::int64_t place = 0;  // of the layer, over its groups
};

enum class HeadChoice { full, softmax, all };
HeadChoice head_choice(const std::string& text);  // "full", "softmax", "all"
std::vector<HeadPlace> chosen_heads(const ArchitectureSpec& spec, const LayerMixers& mixers,
                                    HeadChoice choice);
// Where the parameter "layers" chooses none.
Error no_such_heads(const MeasureInput& input, const LayerMixers& mixers);
std::int64_t most_heads(const LayerMixers& mixers);  // of a layer

bool is_softmax(const ArchitectureSpec& spec, const HeadPlace& head);
// Keys that a query of the head sees, itself among them; 0: all before it.
std::int64_t window_of(const ArchitectureSpec& spec, const HeadPlace& head);

// How the last of these rows shares itself out among the keys, [B, S] in float64, and the sink, [B].
struct LastShares {
    at::Tensor shares_BS, sink_B;
};
LastShares last_shares(const AttentionRows& rows, bool softmax);
// -sum a log a / log visible, [B].
at::Tensor share_entropy(const at::Tensor& shares_BS, double visible);

enum class Look {
    mass,          // on the tokens of the needle
    entropy,       // -sum a log a / log |visible| over the keys (paper D.4)
    entropy_keys,  // the same of a / (1 - the sink's share)
    sink,          // its share
    hit,           // 1 where the strongest key lies in the needle
    count
};

struct HeadLooks {
    std::vector<HeadPlace> heads = {};
    // [look][head][sample]
    std::array<std::vector<std::vector<double>>, std::size_t(Look::count)> values = {};
    const std::vector<double>& of(Look look, std::size_t head) const {
        return values[std::size_t(look)][head];
    }
};

// Errors: interrupted.
Result<HeadLooks> look_at_heads(Model& model, const std::vector<NeedleSample>& samples, HeadChoice choice,
                                const std::function<bool(double fraction)>& go_on);

// [layer, head] of a look, with 95 % intervals of the means; where no head was looked at there is no value.
MeasuredArray head_array(const char* name, const ArchitectureSpec& spec, std::int64_t most_heads,
                         const HeadLooks& looks, Look look);

// The score of Wu et al. (2025) of each head, over greedy answers: 1 / |value| whenever the strongest key of
// the token that is being generated lies in the value and holds just the token that was generated; mean over
// the samples whose answer says what is wanted.
struct CopyScores {
    std::vector<double> score = {};  // by head; NaN where no answer counted
    std::int64_t counted = 0;
};
Result<CopyScores> copy_scores(Model& model, const NeedleSource& source,
                               const std::vector<NeedleSample>& samples, const std::vector<HeadPlace>& heads,
                               std::int64_t new_tokens, const std::function<bool(double fraction)>& go_on);

}  // namespace braid
