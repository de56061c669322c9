// Needle in a haystack, in tokens: a training task of any length.
//
// A haystack of random filler tokens hides `needles` needles [mark, key, value_1 .. value_n], of different
// keys, at random depths. The sequence ends with `asked` of the keys, in random order, each as a question
// [ask, key, value_1 .. value_n]; only the tokens of the values count there. Ids: 0 mark, 1 ask, then keys,
// values, filler.
//
// Groups by depth, the place of the needle in the haystack from 0 (its beginning) to 1: "niah/depth-0" for
// [0, 0.2), .. "niah/depth-4" for [0.8, 1]. In the evaluation set the first needle asked lies at depths that
// are spread evenly over the sequences.
#pragma once

#include "core/data/task.h"
#include "core/spec/tasks/niah.h"

namespace braid {

inline constexpr std::int32_t niah_depths = 5;

// One question to a model trained on this task: it reads the prompt and is to say the answer.
struct NiahQuestion {
    std::vector<std::int32_t> prompt = {};  // haystack, ask, key
    std::vector<std::int32_t> answer = {};  // the tokens of the value
    double depth = 0;                       // of the needle, where it came to lie
    std::int64_t needle = 0;                // place of its mark in the prompt; key and value follow
};
// A pure function of its arguments. One needle is asked for, which lies at `depth` (0 .. 1) of a haystack as
// training with a context of `context` tokens has it. The parameters and the context must be valid.
NiahQuestion niah_question(const ParameterValues& values, std::int64_t context, double depth,
                           std::uint64_t seed, std::int64_t index);
// Everything that keeps these parameters from giving questions at this context.
Diagnostics check_niah_question(const ParameterValues& values, std::int64_t context);
// "key-3", "value-17", "filler-5", "mark", "ask"; counted from 0.
std::string niah_token_text(const ParameterValues& values, std::int32_t token);

}  // namespace braid
