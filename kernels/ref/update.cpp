#include "kernels/update.h"

#include <cmath>
#include <utility>
#include <vector>

namespace braid::kernels::ref {

template <class T>
void adamw(const AdamwArgs<T>& args) {
    for (std::int64_t i = 0; i < args.size; ++i) {
        const double g = double(args.gradient[i]) * args.clip;
        const double m = args.beta1 * double(args.exp_avg[i]) + (1 - args.beta1) * g;
        const double v = args.beta2 * double(args.exp_avg_sq[i]) + (1 - args.beta2) * g * g;
        args.exp_avg[i] = T(m);
        args.exp_avg_sq[i] = T(v);
        const double kept = double(args.value[i]) * (1 - args.learning_rate * args.weight_decay);
        args.value[i] = T(kept - args.learning_rate * (m / args.bias_correction1) /
                                     (std::sqrt(v / args.bias_correction2) + args.eps));
    }
}

template <class T>
void muon_momentum(const MuonMomentumArgs<T>& args) {
    for (std::int64_t i = 0; i < args.size; ++i) {
        const double g = double(args.gradient[i]) * args.clip * (1 - args.momentum);
        const double m = args.momentum * double(args.momentum_buffer[i]) + g;
        args.momentum_buffer[i] = T(m);
        args.update[i] = T(args.momentum * m + g);
    }
}

template <class T>
void muon_apply(const MuonApplyArgs<T>& args) {
    for (std::int64_t i = 0; i < args.size; ++i)
        args.value[i] = T(double(args.value[i]) * args.keep - args.step * double(args.update[i]));
}

template <class T>
void newton_schulz(T* x, std::int64_t rows, std::int64_t cols, std::int64_t steps) {
    const std::size_t n = std::size_t(rows), m = std::size_t(cols);
    double sum = 0;
    for (std::size_t i = 0; i < n * m; ++i) sum += double(x[i]) * double(x[i]);
    std::vector<double> y(n * m);
    for (std::size_t i = 0; i < n * m; ++i) y[i] = double(x[i]) / (std::sqrt(sum) + 1e-7);
    for (std::int64_t step = 0; step < steps; ++step) {
        std::vector<double> gram(n * n, 0.0), next(n * m);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t c = 0; c < m; ++c) gram[i * n + j] += y[i * m + c] * y[j * m + c];
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<double> row(n);
            for (std::size_t j = 0; j < n; ++j) {
                double square = 0;
                for (std::size_t c = 0; c < n; ++c) square += gram[i * n + c] * gram[c * n + j];
                row[j] = -4.7750 * gram[i * n + j] + 2.0315 * square;
            }
            for (std::size_t c = 0; c < m; ++c) {
                double value = 3.4445 * y[i * m + c];
                for (std::size_t j = 0; j < n; ++j) value += row[j] * y[j * m + c];
                next[i * m + c] = value;
            }
        }
        y = std::move(next);
    }
    for (std::size_t i = 0; i < n * m; ++i) x[i] = T(y[i]);
}

template void adamw(const AdamwArgs<float>&);
template void adamw(const AdamwArgs<double>&);
template void muon_momentum(const MuonMomentumArgs<float>&);
template void muon_momentum(const MuonMomentumArgs<double>&);
template void muon_apply(const MuonApplyArgs<float>&);
template void muon_apply(const MuonApplyArgs<double>&);
template void newton_schulz(float*, std::int64_t, std::int64_t, std::int64_t);
template void newton_schulz(double*, std::int64_t, std::int64_t, std::int64_t);

}  // namespace braid::kernels::ref
