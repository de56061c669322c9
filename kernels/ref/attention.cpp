#include "kernels/attention.h"

#include <cmath>
#include <vector>

namespace braid::kernels::ref {
namespace {

struct Range {
    std::int64_t begin, end;
};
Range visible(const AttentionShape& shape, std::int64_t b, std::int64_t t) {
    const std::int64_t first = shape.window > 0 ? t - shape.window + 1 : 0;
    const std::int64_t start = shape.start(b, t);
    return {first > start ? first : start, t + 1};
}

template <class T>
double dot(const T* a, const T* b, std::int64_t n) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += double(a[i]) * double(b[i]);
    return sum;
}

}  // namespace

template <class T>
void attention(const AttentionArgs<T>& args) {
    const AttentionShape& s = args.shape;
    for (std::int64_t b = 0; b < s.batch; ++b)
        for (std::int64_t h = 0; h < s.heads; ++h) {
            const std::int64_t g = h / (s.heads / s.kv_heads);
            for (std::int64_t t = 0; t < s.tokens; ++t) {
                const T* q = args.q.at(b, h) + t * args.q.token_stride;
                const Range keys = visible(s, b, t);
                double top = args.sink ? double(args.sink[h]) : -INFINITY;
                std::vector<double> score;
                for (std::int64_t u = keys.begin; u < keys.end; ++u) {
                    score.push_back(s.scale * dot(q, args.k.at(b, g) + u * args.k.token_stride, s.head_dim));
                    top = std::fmax(top, score.back());
                }
                double sum = args.sink ? std::exp(double(args.sink[h]) - top) : 0;
                for (double x : score) sum += std::exp(x - top);
                const double lse = top + std::log(sum);
                std::vector<double> o(std::size_t(s.head_dim), 0.0);
                for (std::int64_t u = keys.begin; u < keys.end; ++u) {
                    const double p = std::exp(score[std::size_t(u - keys.begin)] - lse);
                    const T* v = args.v.at(b, g) + u * args.v.token_stride;
                    for (std::int64_t c = 0; c < s.head_dim; ++c) o[std::size_t(c)] += p * double(v[c]);
                }
                for (std::int64_t c = 0; c < s.head_dim; ++c)
                    args.o.at(b, h)[t * args.o.token_stride + c] = T(o[std::size_t(c)]);
                args.lse[(b * s.heads + h) * s.tokens + t] = T(lse);
            }
        }
}

template <class T>
void attention_backward(const AttentionBackwardArgs<T>& args) {
    const AttentionShape& s = args.shape;
    const std::size_t tile = std::size_t(s.tokens * s.head_dim);
    for (std::int64_t b = 0; b < s.batch; ++b)
        for (std::int64_t g = 0; g < s.kv_heads; ++g) {
            std::vector<double> dk(tile, 0.0), dv(tile, 0.0);
            const std::int64_t queries = s.heads / s.kv_heads;
            for (std::int64_t h = g * queries; h < (g + 1) * queries; ++h)
                for (std::int64_t t = 0; t < s.tokens; ++t) {
                    const T* q = args.q.at(b, h) + t * args.q.token_stride;
                    const T* d_o = args.d_o.at(b, h) + t * args.d_o.token_stride;
                    const double lse = double(args.lse[(b * s.heads + h) * s.tokens + t]);
                    const double delta = dot(d_o, args.o.at(b, h) + t * args.o.token_stride, s.head_dim);
                    if (args.sink) args.dsink[h] -= T(std::exp(double(args.sink[h]) - lse) * delta);
                    std::vector<double> dq(std::size_t(s.head_dim), 0.0);
                    const Range keys = visible(s, b, t);
                    for (std::int64_t u = keys.begin; u < keys.end; ++u) {
                        const T* k = args.k.at(b, g) + u * args.k.token_stride;
                        const T* v = args.v.at(b, g) + u * args.v.token_stride;
                        const double p = std::exp(s.scale * dot(q, k, s.head_dim) - lse);
                        const double ds = p * (dot(d_o, v, s.head_dim) - delta) * s.scale;
                        for (std::int64_t c = 0; c < s.head_dim; ++c) {
                            dq[std::size_t(c)] += ds * double(k[c]);
                            dk[std::size_t(u * s.head_dim + c)] += ds * double(q[c]);
                            dv[std::size_t(u * s.head_dim + c)] += p * double(d_o[c]);
                        }
                    }
                    for (std::int64_t c = 0; c < s.head_dim; ++c)
                        args.dq.at(b, h)[t * args.dq.token_stride + c] = T(dq[std::size_t(c)]);
                }
            for (std::int64_t t = 0; t < s.tokens; ++t)
                for (std::int64_t c = 0; c < s.head_dim; ++c) {
                    args.dk.at(b, g)[t * args.dk.token_stride + c] = T(dk[std::size_t(t * s.head_dim + c)]);
                    args.dv.at(b, g)[t * args.dv.token_stride + c] = T(dv[std::size_t(t * s.head_dim + c)]);
                }
        }
}

template void attention(const AttentionArgs<float>&);
template void attention(const AttentionArgs<double>&);
template void attention_backward(const AttentionBackwardArgs<float>&);
template void attention_backward(const AttentionBackwardArgs<double>&);

}  // namespace braid::kernels::ref
