// Causal softmax attention with a learnable sink, grouped key/value heads and an optional window
// (core/mixers "full" and "swa"; the paper's Eq. 1 and 2).
//
//   visible(t) = [max(start_t, t-window+1), t];  window 0 means all of [start_t, t]
//   lse_t = log( exp(sink) + sum_{s visible} exp(scale q_t.k_s) ),  p_ts = exp(scale q_t.k_s - lse_t)
//   o_t = sum_s p_ts v_s
#pragma once

#include <cstdint>

namespace braid::kernels {

// [batch, tokens, heads, head_dim]; the last dimension is contiguous, strides count elements.
template <class T>
struct Heads {
    T* data = nullptr;
    std::int64_t batch_stride = 0;
    std::int64_t token_stride = 0;
    std::int64_t head_stride = 0;
    [[gnu::always_inline]] T* at(std::int64_t batch, std::int64_t head) const {
        return data + batch * batch_stride + head * head_stride;
    }
};

struct AttentionShape {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;  // divides heads; query head h reads key/value head h / (heads / kv_heads)
    std::int64_t head_dim = 0;
    std::int64_t window = 0;
    double scale = 1.0;
    // [batch, tokens]: the first token of the document that a token is in; it sees none before. Null: 0.
    const std::int32_t* starts = nullptr;
    [[gnu::always_inline]] std::int64_t start(std::int64_t b, std::int64_t t) const {
        return starts == nullptr ? 0 : starts[b * tokens + t];
    }
};

template <class T>
struct AttentionArgs {
    AttentionShape shape;
    Heads<const T> q, k, v;
    const T* sink = nullptr;  // [heads]; null: no sink
    Heads<T> o;
    T* lse = nullptr;  // [batch, heads, tokens]
};

template <class T>
struct AttentionBackwardArgs {
    AttentionShape shape;
    Heads<const T> q, k, v, o, d_o;
    const T* sink = nullptr;
    const T* lse = nullptr;
    Heads<T> dq, dk, dv;      // overwritten
    T* dsink = nullptr;       // [heads], accumulates; null without a sink
    T* sink_parts = nullptr;  // scratch [batch, heads]; null without a sink
};

namespace ref {
template <class T>
void attention(const AttentionArgs<T>& args);
template <class T>
void attention_backward(const AttentionBackwardArgs<T>& args);
}  // namespace ref

}  // namespace braid::kernels
