// What the chunked forms of attention through a state share: tokens laid out in chunks, decays inside them.
//
// Shape letters beside those of linear_attention.h: n chunks of C tokens, L = n*C (zeros behind the last
// token: they neither write to a state nor let it decay), X heads of a tensor, N = B*S*n. Everything here is
// of statistics_type() and contiguous.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/mixers/torch/linear_attention.h"

namespace braid::linear {

// Tokens that are worked on at once: all of them in matrix products of chunks.
struct Segment {
    std::int64_t first = 0;
    std::int64_t tokens = 0;
    std::int64_t chunks = 0;
    std::int64_t chunk = 0;
};
// Segments bound the memory of a long sequence; a backward pass starts from the state at each one's
// beginning.
std::vector<Segment> segments(const LinearShape& shape, std::int64_t batch, std::int64_t tokens,
                              at::Device device);

LinearShape shape_of(const LinearInput& input);

// q, k or v of a segment as the rule reads it, and what its gradient needs.
struct Read {
    at::Tensor value_BXLK = {};
    at::Tensor raw_BXLK = {};      // before silu
    at::Tensor inverse_BXL1 = {};  // 1 / length
    double scale = 1;
};
struct ReadRule {
    bool silu = false;
    bool unit = false;
    double scale = 1;
    bool keep = false;  // for write_gradient()
};
Read read(const at::Tensor& x_BTXK, const Segment& segment, const ReadRule& rule, at::ScalarType type);
// From the gradient of value_BXLK, which is used up, to the tokens of the segment.
void write_gradient(const Read& read, at::Tensor dvalue_BXLK, const Segment& segment,
                    const at::Tensor& dx_BTXK);

// [B, T, X] or [X] to [B or 1, X, n, C].
at::Tensor read_scalars(const at::Tensor& x_BTX, const Segment& segment, at::ScalarType type);
void write_scalars(const at::Tensor& x_BXnC, const Segment& segment, const at::Tensor& to_BTX);

// Heads repeated for the states that share them, and the sum of what comes back.
at::Tensor to_states(const at::Tensor& x_BXLK, std::int64_t states);
at::Tensor from_states(const at::Tensor& x_BSLK, std::int64_t heads);

// Writes [B, X, L, V] to the segment's tokens of o_BTXV.
void write_tokens(const at::Tensor& x_BXLV, const Segment& segment, const at::Tensor& to_BTXV);

// [B, T] from LinearInput::starts_BT: whether a document begins at a token.
at::Tensor beginnings(const at::Tensor& starts_BT);

// exp of differences of cumulative log-decays, never of the decays' quotients: 0 and 1 are as good as any.
struct Decay {
    at::Tensor within;  // [., S, n, C, C] exp(b_i - b_j) for i >= j, else 0; b: cumulative in the chunk
    at::Tensor before;  // [., S, n, C, 1] exp(b_i): from the chunk's beginning to behind token i
    at::Tensor after;   // [., S, n, C, 1] exp(b_C - b_j): from behind token j to the chunk's end
    at::Tensor total;   // [., S, n] b_C
    // [B, 1, n] documents that begin in each chunk: across a beginning, within, before and after are 0.
    // Undefined: there are no beginnings.
    at::Tensor begun = {};
};
Decay decay_of(const LinearInput& input, const Segment& segment, at::ScalarType type);

// dlog_decay from db, the gradient of the cumulative b: each decay acts on all later tokens of its chunk.
at::Tensor decay_gradient(const at::Tensor& db_BSnC);

// The two forms, a segment at a time. state_BSKV: before it, then after it. boundary_BSKV: the state before
// it. dstate_BSKV: gradient of the state after it, then before it.
void forward(const LinearRule& rule, const LinearInput& input, const Segment& segment,
             const at::Tensor& state_BSKV, const at::Tensor& o_BTRV);
void backward(const LinearRule& rule, const LinearInput& input, const Segment& segment,
              const at::Tensor& boundary_BSKV, const at::Tensor& do_BTRV, const at::Tensor& dstate_BSKV,
              const LinearGradient& gradient);
void forward_delta(const LinearRule& rule, const LinearInput& input, const Segment& segment,
                   const at::Tensor& state_BSKV, const at::Tensor& o_BTRV);
void backward_delta(const LinearRule& rule, const LinearInput& input, const Segment& segment,
                    const at::Tensor& boundary_BSKV, const at::Tensor& do_BTRV, const at::Tensor& dstate_BSKV,
                    const LinearGradient& gradient);

}  // namespace braid::linear
