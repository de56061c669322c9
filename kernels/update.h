// Element-wise parts of the optimizers (paper, appendix C).
#pragma once

#include <cstdint>

namespace braid::kernels {

// m and v move towards g and g^2 (g = gradient * clip); p -= lr (m / c1) / (sqrt(v / c2) + eps), after p *= 1
// - lr wd.
template <class T>
struct AdamwArgs {
    std::int64_t size = 0;
    const T* gradient = nullptr;
    T* value = nullptr;
    T* exp_avg = nullptr;
    T* exp_avg_sq = nullptr;
    double clip = 1.0;
    double learning_rate = 0;
    double weight_decay = 0;
    double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
    double bias_correction1 = 1.0, bias_correction2 = 1.0;
};

// m = momentum m + (1 - momentum) g; update = momentum m + (1 - momentum) g (Nesterov), g = gradient * clip.
template <class T>
struct MuonMomentumArgs {
    std::int64_t size = 0;
    const T* gradient = nullptr;
    T* momentum_buffer = nullptr;
    T* update = nullptr;
    double clip = 1.0;
    double momentum = 0.95;
};

// p = p * keep - step * update.
template <class T>
struct MuonApplyArgs {
    std::int64_t size = 0;
    T* value = nullptr;
    const T* update = nullptr;
    double keep = 1.0;
    double step = 0;
};

// Sums of squares of pieces of sum_of_squares_piece elements; their total does not depend on the number of
// threads.
inline constexpr std::int64_t sum_of_squares_piece = 16384;
template <class T>
struct SumOfSquaresArgs {
    std::int64_t size = 0;
    const T* x = nullptr;
    double* parts = nullptr;  // [ceil(size / piece)]
};

namespace ref {
template <class T>
void adamw(const AdamwArgs<T>& args);
template <class T>
void muon_momentum(const MuonMomentumArgs<T>& args);
template <class T>
void muon_apply(const MuonApplyArgs<T>& args);
// In place on one matrix: X / (|X|_F + 1e-7), then `steps` times X <- aX + (bA + cA^2) X with A = X X^T and
// (a, b, c) = (3.4445, -4.7750, 2.0315).
template <class T>
void newton_schulz(T* x, std::int64_t rows, std::int64_t cols, std::int64_t steps);
}  // namespace ref

}  // namespace braid::kernels
