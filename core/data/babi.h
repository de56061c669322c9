// Facts and questions after bAbI (Weston et al., 2015), in a vocabulary of words of its own, one token a
// word:
//
//   john went to the kitchen .  mary took the apple .  where is john ?  kitchen .  mary went to ..
//
// One long story fills the sequence. People move, take and drop objects; questions come in between, each with
// one word as the answer, and only the answers count. "babi/1-fact" asks for a person (one supporting fact,
// bAbI task 1), "babi/2-facts" for an object that is or was carried (two, task 2).
#pragma once

#include "core/data/task.h"
#include "core/spec/tasks/babi.h"

namespace braid {

// The word of a token for these parameters, for people: "kitchen", "person-7", ".".
std::string babi_word(const ParameterValues& values, std::int32_t token);

}  // namespace braid
