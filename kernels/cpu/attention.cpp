// Softmax attention in strips of query rows that stay in cache; keys outside causality and window are not
// computed but for the rounding to whole vectors.
#include "kernels/cpu/heads.h"
#include "kernels/cpu/level.h"
#include "kernels/cpu/tile.h"

namespace braid::kernels::cpu::BRAID_LEVEL {
namespace {

float exp_of(float x) { return __builtin_expf(x); }
double exp_of(double x) { return __builtin_exp(x); }
float log_of(float x) { return __builtin_logf(x); }
double log_of(double x) { return __builtin_log(x); }

template <class T>
void forward_head(const AttentionArgs<T>& args, const Parallel& parallel, std::int64_t b, std::int64_t h,
                  T* scratch) {
    const AttentionShape& s = args.shape;
    const std::int64_t g = h / (s.heads / s.kv_heads);
    const std::int64_t cols = padded<T>(s.head_dim), tokens = padded<T>(s.tokens);
    T* keys_t = scratch;
    T* copy = keys_t + s.head_dim * tokens;
    transpose(args.k, b, g, s, keys_t);
    const Rows<T> v = rows_of(args.v, b, g, s, copy);
    T* score = copy + cols * tokens;
    T* out = score + strip_rows * tokens;
    const T* q = args.q.at(b, h);
    T* o = args.o.at(b, h);
    const T scale = T(s.scale);
    for (std::int64_t first = 0; first < s.tokens && !parallel.stopped(); first += strip_rows) {
        const int rows = int(least(strip_rows, s.tokens - first));
        const Range keys = keys_of<T>(s, b, first, first + rows);
        const std::int64_t count = keys.end - keys.begin;
        strip_product<T>(rows, count, s.head_dim, q + first * args.q.token_stride, args.q.token_stride, 1,
                         keys_t + keys.begin, tokens, score, count, false);
        T inverse[strip_rows];
        for (int r = 0; r < rows; ++r) {
            T* row = score + r * count;
            const Range inside = visible(s, b, first + r, keys.begin);
            Vector<T> tops = splat<T>(-3e38f);
            visit<T>(inside, 0, count, [&](std::int64_t i, auto mask) {
                const Vector<T> x = load(row + i) * scale;
                const Vector<T> masked = mask ? x : splat<T>(-3e38f);
                store(row + i, masked);
                tops = maximum<T>(tops, masked);
            });
            T top = maximum_of<T>(tops);
            if (args.sink && args.sink[h] > top) top = args.sink[h];
            Vector<T> sums = {};
            visit<T>(inside, 0, count, [&](std::int64_t i, auto mask) {
                const Vector<T> e = exponential<T>(load(row + i) - top);
                const Vector<T> p = mask ? e : Vector<T>{};
                store(row + i, p);
                sums += p;
            });
            T sum = sum_of<T>(sums);
            if (args.sink) sum += exp_of(args.sink[h] - top);
            inverse[r] = 1 / sum;
            args.lse[(b * s.heads + h) * s.tokens + first + r] = top + log_of(sum);
        }
        const std::int64_t depth = least(keys.end, s.tokens) - keys.begin;
        strip_product<T>(rows, cols, depth, score, count, 1, v.row(keys.begin), v.stride, out, cols, false);
        for (int r = 0; r < rows; ++r)
            for_vectors<T>(s.head_dim, [&](std::int64_t i, std::int64_t n) {
                store(o + (first + r) * args.o.token_stride + i, load(out + r * cols + i) * inverse[r], n);
            });
    }
}

template <class T>
struct ForwardCall {
    const AttentionArgs<T>& args;
    const Parallel& parallel;
};

template <class T>
void forward_body(void* data, int worker, int workers) {
    const auto& [args, parallel] = *static_cast<const ForwardCall<T>*>(data);
    const AttentionShape& s = args.shape;
    const std::int64_t cols = padded<T>(s.head_dim), tokens = padded<T>(s.tokens);
    const std::int64_t elements = (s.head_dim + cols + strip_rows) * tokens + strip_rows * cols;
    T* scratch = static_cast<T*>(thread_scratch(elements * std::int64_t(sizeof(T))));
    const Share share = share_of(s.batch * s.heads, worker, workers);
    for (std::int64_t i = share.begin; i < share.end; ++i)
        forward_head(args, parallel, i / s.heads, i % s.heads, scratch);
}

// Scores of a block of queries and a block of keys are kept at once in the backward pass: two buffers of 132
// KiB in float32.
constexpr std::int64_t block_rows = 11 * strip_rows;
constexpr std::int64_t block_keys = 256;

template <class T>
struct BackwardScratch {
    T *keys_t, *values_t, *k, *q, *d_o, *p, *ds, *dk, *dv, *dq, *delta;
};

// Rows to add to: the gradient itself where its head dimension is a multiple of the vector width, else a
// buffer that finish() copies.
template <class T>
struct Sum {
    T* data;
    std::int64_t stride;
    T* row(std::int64_t t) const { return data + t * stride; }
};

template <class T>
std::int64_t carve(const AttentionShape& s, T* memory, BackwardScratch<T>& scratch) {
    const std::int64_t cols = padded<T>(s.head_dim), tokens = padded<T>(s.tokens);
    T* next = memory;
    const auto take = [&next](T*& part, std::int64_t elements) {
        part = next;
        next += elements;
    };
    take(scratch.keys_t, s.head_dim * tokens);
    take(scratch.values_t, s.head_dim * tokens);
    take(scratch.k, cols * tokens);
    take(scratch.q, cols * tokens);
    take(scratch.d_o, cols * tokens);
    take(scratch.dk, cols * tokens);
    take(scratch.dv, cols * tokens);
    take(scratch.dq, cols * tokens);
    take(scratch.delta, tokens);
    take(scratch.p, block_rows * block_keys);
    take(scratch.ds, block_rows * block_keys);
    return next - memory;
}

template <class T>
void zero(T* to, std::int64_t from, std::int64_t end) {
    for (std::int64_t i = from; i < end; i += width<T>) store(to + i, Vector<T>{});
}

template <class T>
Sum<T> start_sum(const Heads<T>& to, std::int64_t b, std::int64_t h, const AttentionShape& s, T* buffer) {
    const std::int64_t cols = padded<T>(s.head_dim);
    const Sum<T> sum = cols == s.head_dim ? Sum<T>{to.at(b, h), to.token_stride} : Sum<T>{buffer, cols};
    for (std::int64_t t = 0; t < s.tokens; ++t) zero(sum.row(t), 0, cols);
    return sum;
}

template <class T>
void finish(const Sum<T>& sum, const Heads<T>& to, std::int64_t b, std::int64_t h, const AttentionShape& s) {
    if (sum.data == to.at(b, h)) return;
    for (std::int64_t t = 0; t < s.tokens; ++t)
        for_vectors<T>(s.head_dim, [&](std::int64_t i, std::int64_t n) {
            store(to.at(b, h) + t * to.token_stride + i, load(sum.row(t) + i), n);
        });
}

// What the strips of one head share.
template <class T>
struct BackwardHead {
    AttentionShape s;
    Rows<T> q, d_o, k;
    Sum<T> dq, dk, dv;
    const T* lse;
    std::int64_t batch;
    BackwardScratch<T> scratch;
};

// p and ds of the queries [first, first + rows) against keys; dq grows by ds k.
template <class T>
void backward_strip(const BackwardHead<T>& head, std::int64_t first, int rows, const Range& keys, T* p,
                    T* ds) {
    const AttentionShape& s = head.s;
    const std::int64_t cols = padded<T>(s.head_dim), tokens = padded<T>(s.tokens);
    const std::int64_t count = keys.end - keys.begin;
    const Range seen = keys_of<T>(s, head.batch, first, first + rows);
    const Range near = {most(seen.begin, keys.begin), least(seen.end, keys.end)};
    if (near.begin >= near.end) {
        zero(p, 0, rows * count);
        zero(ds, 0, rows * count);
        return;
    }
    const std::int64_t begin = near.begin - keys.begin, end = near.end - keys.begin;
    strip_product<T>(rows, end - begin, s.head_dim, head.q.row(first), head.q.stride, 1,
                     head.scratch.keys_t + near.begin, tokens, p + begin, count, false);
    strip_product<T>(rows, end - begin, s.head_dim, head.d_o.row(first), head.d_o.stride, 1,
                     head.scratch.values_t + near.begin, tokens, ds + begin, count, false);
    const T scale = T(s.scale);
    for (int r = 0; r < rows; ++r) {
        const T log_sum = head.lse[first + r], delta = head.scratch.delta[first + r];
        T* p_row = p + r * count;
        T* ds_row = ds + r * count;
        zero(p_row, 0, begin);
        zero(ds_row, 0, begin);
        visit<T>(visible(s, head.batch, first + r, keys.begin), begin, end, [&](std::int64_t i, auto mask) {
            const Vector<T> e = exponential<T>(load(p_row + i) * scale - log_sum);
            const Vector<T> probability = mask ? e : Vector<T>{};
            const Vector<T> slope = mask ? load(ds_row + i) - delta : Vector<T>{};
            store(p_row + i, probability);
            store(ds_row + i, probability * slope * scale);
        });
        zero(p_row, end, count);
        zero(ds_row, end, count);
    }
    const std::int64_t depth = least(near.end, s.tokens) - near.begin;
    strip_product<T>(rows, cols, depth, ds + begin, count, 1, head.k.row(near.begin), head.k.stride,
                     head.dq.row(first), head.dq.stride, true);
}

// The queries [from, to) against the keys: dk += ds^T q and dv += p^T d_o over the rows that can see a key.
template <class T>
void backward_block(const BackwardHead<T>& head, std::int64_t from, std::int64_t to, const Range& keys) {
    const AttentionShape& s = head.s;
    const BackwardScratch<T>& scratch = head.scratch;
    const std::int64_t cols = padded<T>(s.head_dim), count = keys.end - keys.begin;
    for (std::int64_t first = from; first < to; first += strip_rows)
        backward_strip(head, first, int(least(strip_rows, to - first)), keys,
                       scratch.p + (first - from) * count, scratch.ds + (first - from) * count);
    const std::int64_t last = least(keys.end, s.tokens);
    for (std::int64_t key = keys.begin; key < last; key += strip_rows) {
        const int rows = int(least(strip_rows, last - key));
        const std::int64_t begin = most(from, key);
        const std::int64_t end = s.window > 0 ? least(to, key + rows - 1 + s.window) : to;
        if (begin >= end) continue;
        const std::int64_t corner = (begin - from) * count + key - keys.begin;
        strip_product<T>(rows, cols, end - begin, scratch.ds + corner, 1, count, head.q.row(begin),
                         head.q.stride, head.dk.row(key), head.dk.stride, true);
        strip_product<T>(rows, cols, end - begin, scratch.p + corner, 1, count, head.d_o.row(begin),
                         head.d_o.stride, head.dv.row(key), head.dv.stride, true);
    }
}

template <class T>
void backward_head(const AttentionBackwardArgs<T>& args, std::int64_t b, std::int64_t h, const Rows<T>& k,
                   const Sum<T>& dk, const Sum<T>& dv, const BackwardScratch<T>& scratch) {
    const AttentionShape& s = args.shape;
    const BackwardHead<T> head = {.s = s,
                                  .q = rows_of(args.q, b, h, s, scratch.q),
                                  .d_o = rows_of(args.d_o, b, h, s, scratch.d_o),
                                  .k = k,
                                  .dq = start_sum(args.dq, b, h, s, scratch.dq),
                                  .dk = dk,
                                  .dv = dv,
                                  .lse = args.lse + (b * s.heads + h) * s.tokens,
                                  .batch = b,
                                  .scratch = scratch};
    double sink_sum = 0;
    for (std::int64_t t = 0; t < s.tokens; ++t) {
        const T* o = args.o.at(b, h) + t * args.o.token_stride;
        Vector<T> products = {};
        for_vectors<T>(s.head_dim, [&](std::int64_t i, std::int64_t n) {
            products += load(o + i, n) * load(head.d_o.row(t) + i, n);
        });
        scratch.delta[t] = sum_of<T>(products);
        if (args.sink) sink_sum -= double(exp_of(args.sink[h] - head.lse[t])) * double(scratch.delta[t]);
    }
    if (args.sink) args.sink_parts[b * s.heads + h] = T(sink_sum);
    for (std::int64_t key = 0; key < s.tokens; key += block_keys) {
        const std::int64_t last_key = least(key + block_keys, s.tokens) - 1;
        const std::int64_t last = s.window > 0 ? least(s.tokens, last_key + s.window) : s.tokens;
        for (std::int64_t from = key; from < last; from += block_rows) {
            const std::int64_t to = least(from + block_rows, last);
            const Range seen = keys_of<T>(s, b, from, to);
            const Range keys = {most(seen.begin, key), least(seen.end, padded<T>(last_key + 1))};
            if (keys.begin < keys.end) backward_block(head, from, to, keys);
        }
    }
    finish(head.dq, args.dq, b, h, s);
}

template <class T>
void backward_body(void* data, int worker, int workers) {
    const AttentionBackwardArgs<T>& args = *static_cast<const AttentionBackwardArgs<T>*>(data);
    const AttentionShape& s = args.shape;
    BackwardScratch<T> scratch;
    const std::int64_t elements = carve<T>(s, nullptr, scratch);
    carve(s, static_cast<T*>(thread_scratch(elements * std::int64_t(sizeof(T)))), scratch);
    const std::int64_t queries = s.heads / s.kv_heads;
    const Share share = share_of(s.batch * s.kv_heads, worker, workers);
    for (std::int64_t item = share.begin; item < share.end; ++item) {
        const std::int64_t b = item / s.kv_heads, g = item % s.kv_heads;
        transpose(args.k, b, g, s, scratch.keys_t);
        transpose(args.v, b, g, s, scratch.values_t);
        const Rows<T> k = rows_of(args.k, b, g, s, scratch.k);
        const Sum<T> dk = start_sum(args.dk, b, g, s, scratch.dk),
                     dv = start_sum(args.dv, b, g, s, scratch.dv);
        for (std::int64_t h = g * queries; h < (g + 1) * queries; ++h)
            backward_head(args, b, h, k, dk, dv, scratch);
        finish(dk, args.dk, b, g, s);
        finish(dv, args.dv, b, g, s);
    }
}

}  // namespace

template <class T>
void attention(const AttentionArgs<T>& args, const Parallel& parallel) {
    ForwardCall<T> call{args, parallel};
    parallel.run(forward_body<T>, &call, parallel.workers);
}

template <class T>
void attention_backward(const AttentionBackwardArgs<T>& args, const Parallel& parallel) {
    parallel.run(backward_body<T>, const_cast<AttentionBackwardArgs<T>*>(&args), parallel.workers);
    if (!args.sink) return;
    for (std::int64_t h = 0; h < args.shape.heads; ++h) {
        double sum = 0;
        for (std::int64_t b = 0; b < args.shape.batch; ++b)
            sum += double(args.sink_parts[b * args.shape.heads + h]);
        args.dsink[h] += T(sum);
    }
}

template void attention(const AttentionArgs<float>&, const Parallel&);
template void attention(const AttentionArgs<double>&, const Parallel&);
template void attention_backward(const AttentionBackwardArgs<float>&, const Parallel&);
template void attention_backward(const AttentionBackwardArgs<double>&, const Parallel&);

}  // namespace braid::kernels::cpu::BRAID_LEVEL
