// Row-wise and element-wise operations, one obvious loop each, in double.
#include <cmath>

#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/rms_norm.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"

namespace braid::kernels::ref {

template <class T>
void rms_norm(const RmsNormArgs<T>& args) {
    for (std::int64_t r = 0; r < args.rows; ++r) {
        const T* x = args.x + r * args.cols;
        double sum = 0;
        for (std::int64_t c = 0; c < args.cols; ++c) sum += double(x[c]) * double(x[c]);
        const double rstd = 1 / std::sqrt(sum / double(args.cols) + args.eps);
        for (std::int64_t c = 0; c < args.cols; ++c)
            args.y[r * args.cols + c] = T(double(x[c]) * rstd * double(args.weight[c]));
        args.rstd[r] = T(rstd);
    }
}

template <class T>
void rms_norm_backward(const RmsNormBackwardArgs<T>& args) {
    for (std::int64_t c = 0; c < args.cols; ++c) {
        double sum = 0;
        for (std::int64_t r = 0; r < args.rows; ++r)
            sum +=
                double(args.dy[r * args.cols + c]) * double(args.x[r * args.cols + c]) * double(args.rstd[r]);
        args.dweight[c] += T(sum);
    }
    for (std::int64_t r = 0; r < args.rows; ++r) {
        const double rstd = double(args.rstd[r]);
        double projection = 0;
        for (std::int64_t c = 0; c < args.cols; ++c)
            projection += double(args.dy[r * args.cols + c]) * double(args.weight[c]) *
                          double(args.x[r * args.cols + c]) * rstd;
        projection /= double(args.cols);
        for (std::int64_t c = 0; c < args.cols; ++c) {
            const std::int64_t i = r * args.cols + c;
            args.dx[i] += T(
                rstd * (double(args.dy[i]) * double(args.weight[c]) - double(args.x[i]) * rstd * projection));
        }
    }
}

template <class T>
void swiglu(const SwigluArgs<T>& args) {
    for (std::int64_t r = 0; r < args.rows; ++r)
        for (std::int64_t c = 0; c < args.width; ++c) {
            const double gate = double(args.gate_up[r * 2 * args.width + c]);
            const double up = double(args.gate_up[r * 2 * args.width + args.width + c]);
            args.h[r * args.width + c] = T(gate / (1 + std::exp(-gate)) * up);
        }
}

template <class T>
void swiglu_backward(const SwigluBackwardArgs<T>& args) {
    for (std::int64_t r = 0; r < args.rows; ++r)
        for (std::int64_t c = 0; c < args.width; ++c) {
            const std::int64_t at_gate = r * 2 * args.width + c;
            const double gate = double(args.gate_up[at_gate]);
            const double up = double(args.gate_up[at_gate + args.width]);
            const double dh = double(args.dh[r * args.width + c]);
            const double sigmoid = 1 / (1 + std::exp(-gate));
            if (args.h != nullptr) args.h[r * args.width + c] = T(gate * sigmoid * up);
            args.dgate_up[at_gate] = T(dh * up * sigmoid * (1 + gate * (1 - sigmoid)));
            args.dgate_up[at_gate + args.width] = T(dh * gate * sigmoid);
        }
}

template <class T>
void rope(const RopeArgs<T>& args) {
    const std::int64_t half = args.head_dim / 2;
    for (std::int64_t b = 0; b < args.batch; ++b)
        for (std::int64_t t = 0; t < args.tokens; ++t)
            for (std::int64_t h = 0; h < args.heads; ++h) {
                T* x = args.x.at(b, h) + t * args.x.token_stride;
                for (std::int64_t i = 0; i < half; ++i) {
                    const double c = double(args.cos[t * half + i]);
                    const double s = double(args.sin[t * half + i]) * (args.inverse ? -1 : 1);
                    const double first = double(x[i]), second = double(x[i + half]);
                    x[i] = T(first * c - second * s);
                    x[i + half] = T(second * c + first * s);
                }
            }
}

template <class T>
void cross_entropy(const CrossEntropyArgs<T>& args) {
    for (std::int64_t r = 0; r < args.rows; ++r) {
        T* x = args.logits + r * args.vocab;
        std::int64_t best = 0;
        for (std::int64_t c = 1; c < args.vocab; ++c)
            if (x[c] > x[best]) best = c;
        if (args.top) args.top[r] = best;
        const double top = double(x[best]);
        double sum = 0;
        for (std::int64_t c = 0; c < args.vocab; ++c) sum += std::exp(double(x[c]) - top);
        const std::int64_t target = args.targets[r];
        args.loss[r] = target < 0 ? T(0) : T(top + std::log(sum) - double(x[target]));
        if (!args.gradient) continue;
        const double scale = args.scale * (args.weights ? double(args.weights[r]) : 1.0);
        for (std::int64_t c = 0; c < args.vocab; ++c) {
            const double p = std::exp(double(x[c]) - top) / sum;
            x[c] = target < 0 ? T(0) : T(scale * (p - (c == target ? 1 : 0)));
        }
    }
}

template <class T>
void embedding(const EmbeddingArgs<T>& args) {
    for (std::int64_t r = 0; r < args.rows; ++r)
        for (std::int64_t c = 0; c < args.cols; ++c)
            args.x[r * args.cols + c] = args.weight[args.tokens[r] * args.cols + c];
}

template <class T>
void embedding_backward(const EmbeddingBackwardArgs<T>& args) {
    for (std::int64_t r = 0; r < args.rows; ++r)
        for (std::int64_t c = 0; c < args.cols; ++c)
            args.dweight[args.tokens[r] * args.cols + c] += args.dx[r * args.cols + c];
}

template void rms_norm(const RmsNormArgs<float>&);
template void rms_norm(const RmsNormArgs<double>&);
template void rms_norm_backward(const RmsNormBackwardArgs<float>&);
template void rms_norm_backward(const RmsNormBackwardArgs<double>&);
template void swiglu(const SwigluArgs<float>&);
template void swiglu(const SwigluArgs<double>&);
template void swiglu_backward(const SwigluBackwardArgs<float>&);
template void swiglu_backward(const SwigluBackwardArgs<double>&);
template void rope(const RopeArgs<float>&);
template void rope(const RopeArgs<double>&);
template void cross_entropy(const CrossEntropyArgs<float>&);
template void cross_entropy(const CrossEntropyArgs<double>&);
template void embedding(const EmbeddingArgs<float>&);
template void embedding(const EmbeddingArgs<double>&);
template void embedding_backward(const EmbeddingBackwardArgs<float>&);
template void embedding_backward(const EmbeddingBackwardArgs<double>&);

}  // namespace braid::kernels::ref
