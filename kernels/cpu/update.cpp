#include "kernels/cpu/level.h"

namespace braid::kernels::cpu::BRAID_LEVEL {
namespace {

template <class T>
BRAID_INLINE Vector<T> root(Vector<T> x) {
    for (std::int64_t i = 0; i < width<T>; ++i) x[i] = T(__builtin_sqrt(double(x[i])));
    return x;
}
template <>
BRAID_INLINE Vector<float> root<float>(Vector<float> x) {
    for (std::int64_t i = 0; i < width<float>; ++i) x[i] = __builtin_sqrtf(x[i]);
    return x;
}

template <class T>
void adamw_body(void* data, int worker, int workers) {
    const AdamwArgs<T>& args = *static_cast<const AdamwArgs<T>*>(data);
    const Share share = share_of(args.size, worker, workers);
    const T clip = T(args.clip), beta1 = T(args.beta1), beta2 = T(args.beta2), eps = T(args.eps);
    const T rest1 = T(1 - args.beta1), rest2 = T(1 - args.beta2);
    const T keep = T(1 - args.learning_rate * args.weight_decay);
    const T step = T(args.learning_rate / args.bias_correction1);
    const T root_correction = T(1 / __builtin_sqrt(args.bias_correction2));
    for_vectors<T>(share.end - share.begin, [&](std::int64_t offset, std::int64_t n) {
        const std::int64_t i = share.begin + offset;
        const Vector<T> g = load(args.gradient + i, n) * clip;
        const Vector<T> m = load(args.exp_avg + i, n) * beta1 + g * rest1;
        const Vector<T> v = load(args.exp_avg_sq + i, n) * beta2 + g * g * rest2;
        store(args.exp_avg + i, m, n);
        store(args.exp_avg_sq + i, v, n);
        store(args.value + i,
              load(args.value + i, n) * keep - step * m / (root<T>(v) * root_correction + eps), n);
    });
}

template <class T>
void muon_momentum_body(void* data, int worker, int workers) {
    const MuonMomentumArgs<T>& args = *static_cast<const MuonMomentumArgs<T>*>(data);
    const Share share = share_of(args.size, worker, workers);
    const T momentum = T(args.momentum), rest = T((1 - args.momentum) * args.clip);
    for_vectors<T>(share.end - share.begin, [&](std::int64_t offset, std::int64_t n) {
        const std::int64_t i = share.begin + offset;
        const Vector<T> g = load(args.gradient + i, n) * rest;
        const Vector<T> m = load(args.momentum_buffer + i, n) * momentum + g;
        store(args.momentum_buffer + i, m, n);
        store(args.update + i, m * momentum + g, n);
    });
}

template <class T>
void muon_apply_body(void* data, int worker, int workers) {
    const MuonApplyArgs<T>& args = *static_cast<const MuonApplyArgs<T>*>(data);
    const Share share = share_of(args.size, worker, workers);
    const T keep = T(args.keep), step = T(args.step);
    for_vectors<T>(share.end - share.begin, [&](std::int64_t offset, std::int64_t n) {
        const std::int64_t i = share.begin + offset;
        store(args.value + i, load(args.value + i, n) * keep - load(args.update + i, n) * step, n);
    });
}

template <class T>
void sum_of_squares_body(void* data, int worker, int workers) {
    const SumOfSquaresArgs<T>& args = *static_cast<const SumOfSquaresArgs<T>*>(data);
    const std::int64_t pieces = (args.size + sum_of_squares_piece - 1) / sum_of_squares_piece;
    const Share share = share_of(pieces, worker, workers);
    for (std::int64_t piece = share.begin; piece < share.end; ++piece) {
        const std::int64_t begin = piece * sum_of_squares_piece;
        const std::int64_t rest = args.size - begin;
        const T* x = args.x + begin;
        Vector<T> sums = {};
        for_vectors<T>(rest < sum_of_squares_piece ? rest : sum_of_squares_piece,
                       [&](std::int64_t i, std::int64_t n) {
                           const Vector<T> value = load(x + i, n);
                           sums += value * value;
                       });
        double sum = 0;
        for (std::int64_t i = 0; i < width<T>; ++i) sum += double(sums[i]);
        args.parts[piece] = sum;
    }
}

template <class Args>
void run(const Parallel& parallel, Parallel::Body body, const Args& args) {
    const std::int64_t useful = args.size / 16384 + 1;
    parallel.run(body, const_cast<Args*>(&args), useful < parallel.workers ? int(useful) : parallel.workers);
}

}  // namespace

template <class T>
void adamw(const AdamwArgs<T>& args, const Parallel& parallel) {
    run(parallel, adamw_body<T>, args);
}

template <class T>
void muon_momentum(const MuonMomentumArgs<T>& args, const Parallel& parallel) {
    run(parallel, muon_momentum_body<T>, args);
}

template <class T>
void muon_apply(const MuonApplyArgs<T>& args, const Parallel& parallel) {
    run(parallel, muon_apply_body<T>, args);
}

template <class T>
void sum_of_squares(const SumOfSquaresArgs<T>& args, const Parallel& parallel) {
    run(parallel, sum_of_squares_body<T>, args);
}

template void sum_of_squares(const SumOfSquaresArgs<float>&, const Parallel&);
template void sum_of_squares(const SumOfSquaresArgs<double>&, const Parallel&);
template void adamw(const AdamwArgs<float>&, const Parallel&);
template void adamw(const AdamwArgs<double>&, const Parallel&);
template void muon_momentum(const MuonMomentumArgs<float>&, const Parallel&);
template void muon_momentum(const MuonMomentumArgs<double>&, const Parallel&);
template void muon_apply(const MuonApplyArgs<float>&, const Parallel&);
template void muon_apply(const MuonApplyArgs<double>&, const Parallel&);

}  // namespace braid::kernels::cpu::BRAID_LEVEL
