// What the attention of one head over one text follows from: small enough to keep (T x K), so that any part
// of the T x T matrix can be computed when somebody looks at it.
//
//   softmax (D.4, Figs. 12, 13):  a_ij = exp(q_i . k_j - offset_i) for i - window < j <= i; offset_i is the
//   log
//                                 of the denominator, with the sink's share in it
//   recurrent, implied:           a_ij = q_i . k_j exp(offset_i - offset_j) + [i = j] diagonal for j <= i;
//                                 offset_i is the sum of the log decays up to i; of any sign, and no row sums
//                                 to 1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace braid {

struct HeadFactors {
    std::int64_t tokens = 0;       // T
    std::int64_t width = 0;        // K
    std::int64_t window = 0;       // keys that a query sees, itself among them; 0: all before it
    bool implied = false;          // the matrix a recurrence implies
    float diagonal = 0;            // implied alone: what a token gives itself past the state
    std::vector<float> q_TK = {};  // with the scale of the scores in it
    std::vector<float> k_TK = {};
    std::vector<double> offset_T = {};  // nats
    std::vector<float> sink_T = {};     // share of the sink, 0 .. 1; empty: no sink
    bool operator==(const HeadFactors&) const = default;
};

// Rows first_row .. and columns first_column .. of the matrix as [rows, columns]; 0 where a query does not
// see a key and beyond the text. The factors must be complete: T x K numbers each.
void attention_block(const HeadFactors& head, std::int64_t first_row, std::int64_t rows,
                     std::int64_t first_column, std::int64_t columns, std::span<float> out);

// The whole row of one query: [T].
std::vector<float> attention_row(const HeadFactors& head, std::int64_t query);
// The whole column of one key: [T].
std::vector<float> attention_column(const HeadFactors& head, std::int64_t key);

}  // namespace braid
