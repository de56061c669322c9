// Multi-query associative recall as in Zoology (Arora et al., 2024; zoology/data/multiquery_ar.py).
//
// A sequence opens with `pairs` keys and values, k v k v .., all keys and all values different. Behind them
// every key comes once more, at a place whose gap g from the end of the pairs (counted in places of two
// tokens, from 1) is drawn without replacement with P(g) ~ g^(power - 1); the token to predict there is its
// value, which the sequence does not show there. Everywhere else stands a random token. Keys are 0..keys-1,
// values keys..keys+values-1; only the answers count.
//
// Groups by the distance from the value to where it is asked for: near up to T / 4, mid up to T / 2, far
// more.
#pragma once

#include "core/data/task.h"
#include "core/spec/tasks/mqar.h"
