#include "kernels/cpu/level.h"

namespace braid::kernels::cpu::BRAID_LEVEL {
namespace {

template <class T>
void rms_norm_body(void* data, int worker, int workers) {
    const RmsNormArgs<T>& args = *static_cast<const RmsNormArgs<T>*>(data);
    const Share share = share_of(args.rows, worker, workers);
    for (std::int64_t r = share.begin; r < share.end; ++r) {
        const T* x = args.x + r * args.cols;
        Vector<T> squares = {};
        for_vectors<T>(args.cols, [&](std::int64_t i, std::int64_t n) {
            const Vector<T> value = load(x + i, n);
            squares += value * value;
        });
        const T rstd = T(1 / __builtin_sqrt(double(sum_of<T>(squares)) / double(args.cols) + args.eps));
        T* y = args.y + r * args.cols;
        for_vectors<T>(args.cols, [&](std::int64_t i, std::int64_t n) {
            store(y + i, load(x + i, n) * rstd * load(args.weight + i, n), n);
        });
        args.rstd[r] = rstd;
    }
}

template <class T>
void rms_norm_backward_body(void* data, int worker, int workers) {
    const RmsNormBackwardArgs<T>& args = *static_cast<const RmsNormBackwardArgs<T>*>(data);
    const Share share = share_of(args.rows, worker, workers);
    T* part = args.parts + worker * args.cols;
    for (std::int64_t c = 0; c < args.cols; ++c) part[c] = 0;
    for (std::int64_t r = share.begin; r < share.end; ++r) {
        const T* x = args.x + r * args.cols;
        const T* dy = args.dy + r * args.cols;
        T* dx = args.dx + r * args.cols;
        const T rstd = args.rstd[r];
        Vector<T> projections = {};
        for_vectors<T>(args.cols, [&](std::int64_t i, std::int64_t n) {
            const Vector<T> product = load(dy + i, n) * load(x + i, n);
            store(part + i, load(part + i, n) + product * rstd, n);
            projections += product * load(args.weight + i, n);
        });
        const T projection = sum_of<T>(projections) * rstd * rstd / T(args.cols);
        for_vectors<T>(args.cols, [&](std::int64_t i, std::int64_t n) {
            const Vector<T> through =
                load(dy + i, n) * load(args.weight + i, n) - load(x + i, n) * projection;
            store(dx + i, load(dx + i, n) + through * rstd, n);
        });
    }
}

template <class T>
BRAID_INLINE Vector<T> sigmoid(Vector<T> x) {
    return T(1) / (T(1) + exponential<T>(-x));
}

template <class T>
void swiglu_body(void* data, int worker, int workers) {
    const SwigluArgs<T>& args = *static_cast<const SwigluArgs<T>*>(data);
    const Share share = share_of(args.rows, worker, workers);
    for (std::int64_t r = share.begin; r < share.end; ++r) {
        const T* gate = args.gate_up + r * 2 * args.width;
        const T* up = gate + args.width;
        T* h = args.h + r * args.width;
        for_vectors<T>(args.width, [&](std::int64_t i, std::int64_t n) {
            const Vector<T> g = load(gate + i, n);
            store(h + i, g * sigmoid<T>(g) * load(up + i, n), n);
        });
    }
}

template <class T>
void swiglu_backward_body(void* data, int worker, int workers) {
    const SwigluBackwardArgs<T>& args = *static_cast<const SwigluBackwardArgs<T>*>(data);
    const Share share = share_of(args.rows, worker, workers);
    for (std::int64_t r = share.begin; r < share.end; ++r) {
        const T* gate = args.gate_up + r * 2 * args.width;
        const T* up = gate + args.width;
        const T* dh = args.dh + r * args.width;
        T* dgate = args.dgate_up + r * 2 * args.width;
        T* h = args.h == nullptr ? nullptr : args.h + r * args.width;
        for_vectors<T>(args.width, [&](std::int64_t i, std::int64_t n) {
            const Vector<T> g = load(gate + i, n), u = load(up + i, n), d = load(dh + i, n);
            const Vector<T> s = sigmoid<T>(g);
            const Vector<T> silu = g * s;
            if (h != nullptr) store(h + i, silu * u, n);
            store(dgate + i, d * u * (s + silu * (T(1) - s)), n);
            store(dgate + args.width + i, d * silu, n);
        });
    }
}

template <class T>
void rope_body(void* data, int worker, int workers) {
    const RopeArgs<T>& args = *static_cast<const RopeArgs<T>*>(data);
    const std::int64_t half = args.head_dim / 2;
    const T sign = args.inverse ? T(-1) : T(1);
    const Share share = share_of(args.batch * args.tokens, worker, workers);
    for (std::int64_t row = share.begin; row < share.end; ++row) {
        const std::int64_t b = row / args.tokens, t = row % args.tokens;
        for (std::int64_t h = 0; h < args.heads; ++h) {
            T* x = args.x.at(b, h) + t * args.x.token_stride;
            for_vectors<T>(half, [&](std::int64_t i, std::int64_t n) {
                const Vector<T> c = load(args.cos + t * half + i, n);
                const Vector<T> s = load(args.sin + t * half + i, n) * sign;
                const Vector<T> first = load(x + i, n), second = load(x + half + i, n);
                store(x + i, first * c - second * s, n);
                store(x + half + i, second * c + first * s, n);
            });
        }
    }
}

template <class T>
void cross_entropy_body(void* data, int worker, int workers) {
    const CrossEntropyArgs<T>& args = *static_cast<const CrossEntropyArgs<T>*>(data);
    const Share share = share_of(args.rows, worker, workers);
    for (std::int64_t r = share.begin; r < share.end; ++r) {
        T* x = args.logits + r * args.vocab;
        const std::int64_t target = args.targets[r];
        T top = x[0];
        if (args.vocab >= width<T>) {
            Vector<T> tops = load(x);
            std::int64_t i = width<T>;
            for (; i + width<T> <= args.vocab; i += width<T>) tops = maximum<T>(tops, load(x + i));
            top = maximum_of<T>(tops);
            for (; i < args.vocab; ++i) top = x[i] > top ? x[i] : top;
        } else {
            for (std::int64_t i = 1; i < args.vocab; ++i) top = x[i] > top ? x[i] : top;
        }
        if (args.top) {
            std::int64_t best = 0;
            while (best < args.vocab - 1 && !(x[best] == top)) ++best;
            args.top[r] = best;
        }
        const T wanted = target < 0 ? T(0) : x[target];
        double sum = 0;
        Vector<T> sums = {};
        for_vectors<T>(args.vocab, [&](std::int64_t i, std::int64_t n) {
            const Vector<T> e = exponential<T>(load(x + i, n) - top);
            if (args.gradient) store(x + i, e, n);
            if (n == width<T>)
                sums += e;
            else
                for (std::int64_t j = 0; j < n; ++j) sum += double(e[j]);
        });
        for (std::int64_t j = 0; j < width<T>; ++j) sum += double(sums[j]);
        args.loss[r] = target < 0 ? T(0) : T(__builtin_log(sum) + double(top) - double(wanted));
        if (!args.gradient) continue;
        const double scale = args.scale * (args.weights ? double(args.weights[r]) : 1.0);
        const T factor = target < 0 ? T(0) : T(scale / sum);
        for_vectors<T>(args.vocab,
                       [&](std::int64_t i, std::int64_t n) { store(x + i, load(x + i, n) * factor, n); });
        if (target >= 0) x[target] -= T(scale);
    }
}

template <class T>
void embedding_body(void* data, int worker, int workers) {
    const EmbeddingArgs<T>& args = *static_cast<const EmbeddingArgs<T>*>(data);
    const Share share = share_of(args.rows, worker, workers);
    for (std::int64_t r = share.begin; r < share.end; ++r)
        for_vectors<T>(args.cols, [&](std::int64_t i, std::int64_t n) {
            store(args.x + r * args.cols + i, load(args.weight + args.tokens[r] * args.cols + i, n), n);
        });
}

template <class T>
void embedding_backward_body(void* data, int worker, int workers) {
    const EmbeddingBackwardArgs<T>& args = *static_cast<const EmbeddingBackwardArgs<T>*>(data);
    const Share share = share_of(args.vocab, worker, workers);
    for (std::int64_t r = 0; r < args.rows; ++r) {
        const std::int64_t token = args.tokens[r];
        if (token < share.begin || token >= share.end) continue;
        T* to = args.dweight + token * args.cols;
        for_vectors<T>(args.cols, [&](std::int64_t i, std::int64_t n) {
            store(to + i, load(to + i, n) + load(args.dx + r * args.cols + i, n), n);
        });
    }
}

template <class Args>
void run(const Parallel& parallel, Parallel::Body body, const Args& args, int workers) {
    parallel.run(body, const_cast<Args*>(&args), workers);
}

// A thread is not worth waking for less than this many elements.
int workers_for(const Parallel& parallel, std::int64_t elements) {
    const std::int64_t useful = elements / 8192 + 1;
    return useful < parallel.workers ? int(useful) : parallel.workers;
}

}  // namespace

template <class T>
void rms_norm(const RmsNormArgs<T>& args, const Parallel& parallel) {
    run(parallel, rms_norm_body<T>, args, workers_for(parallel, args.rows * args.cols));
}

template <class T>
void rms_norm_backward(const RmsNormBackwardArgs<T>& args, const Parallel& parallel) {
    const int workers = workers_for(parallel, args.rows * args.cols);
    run(parallel, rms_norm_backward_body<T>, args, workers);
    for (int worker = 0; worker < workers; ++worker)
        for (std::int64_t c = 0; c < args.cols; ++c) args.dweight[c] += args.parts[worker * args.cols + c];
}

template <class T>
void swiglu(const SwigluArgs<T>& args, const Parallel& parallel) {
    run(parallel, swiglu_body<T>, args, workers_for(parallel, args.rows * args.width));
}

template <class T>
void swiglu_backward(const SwigluBackwardArgs<T>& args, const Parallel& parallel) {
    run(parallel, swiglu_backward_body<T>, args, workers_for(parallel, args.rows * args.width));
}

template <class T>
void rope(const RopeArgs<T>& args, const Parallel& parallel) {
    run(parallel, rope_body<T>, args,
        workers_for(parallel, args.batch * args.tokens * args.heads * args.head_dim));
}

template <class T>
void cross_entropy(const CrossEntropyArgs<T>& args, const Parallel& parallel) {
    run(parallel, cross_entropy_body<T>, args, workers_for(parallel, args.rows * args.vocab));
}

template <class T>
void embedding(const EmbeddingArgs<T>& args, const Parallel& parallel) {
    run(parallel, embedding_body<T>, args, workers_for(parallel, args.rows * args.cols));
}

template <class T>
void embedding_backward(const EmbeddingBackwardArgs<T>& args, const Parallel& parallel) {
    run(parallel, embedding_backward_body<T>, args, workers_for(parallel, args.rows * args.cols));
}

#define BRAID_INSTANTIATE(name, Args)                        \
    template void name(const Args<float>&, const Parallel&); \
    template void name(const Args<double>&, const Parallel&);
BRAID_INSTANTIATE(rms_norm, RmsNormArgs)
BRAID_INSTANTIATE(rms_norm_backward, RmsNormBackwardArgs)
BRAID_INSTANTIATE(swiglu, SwigluArgs)
BRAID_INSTANTIATE(swiglu_backward, SwigluBackwardArgs)
BRAID_INSTANTIATE(rope, RopeArgs)
BRAID_INSTANTIATE(cross_entropy, CrossEntropyArgs)
BRAID_INSTANTIATE(embedding, EmbeddingArgs)
BRAID_INSTANTIATE(embedding_backward, EmbeddingBackwardArgs)
#undef BRAID_INSTANTIATE

}  // namespace braid::kernels::cpu::BRAID_LEVEL
