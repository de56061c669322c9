// The fast CPU kernels. One program holds them compiled for several instruction levels and takes the best
// that the machine has.
#pragma once

#include "kernels/attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/parallel.h"
#include "kernels/rms_norm.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"
#include "kernels/update.h"

namespace braid::kernels::cpu {

// Every kernel of one instruction level, for T = float or double.
template <class T>
struct Kernels {
    void (*attention)(const AttentionArgs<T>&, const Parallel&);
    void (*attention_backward)(const AttentionBackwardArgs<T>&, const Parallel&);
    void (*rms_norm)(const RmsNormArgs<T>&, const Parallel&);
    void (*rms_norm_backward)(const RmsNormBackwardArgs<T>&, const Parallel&);
    void (*swiglu)(const SwigluArgs<T>&, const Parallel&);
    void (*swiglu_backward)(const SwigluBackwardArgs<T>&, const Parallel&);
    void (*rope)(const RopeArgs<T>&, const Parallel&);
    void (*cross_entropy)(const CrossEntropyArgs<T>&, const Parallel&);
    void (*embedding)(const EmbeddingArgs<T>&, const Parallel&);
    void (*embedding_backward)(const EmbeddingBackwardArgs<T>&, const Parallel&);
    void (*adamw)(const AdamwArgs<T>&, const Parallel&);
    void (*muon_momentum)(const MuonMomentumArgs<T>&, const Parallel&);
    void (*muon_apply)(const MuonApplyArgs<T>&, const Parallel&);
    void (*sum_of_squares)(const SumOfSquaresArgs<T>&, const Parallel&);
};

struct Level {
    const char* name;  // "x86-64-v4"; "baseline" elsewhere
    const Kernels<float>* float32;
    const Kernels<double>* float64;
    template <class T>
    const Kernels<T>& kernels() const;
};

// All levels in this program that this machine can run, the best first; never empty.
struct Levels {
    const Level* begin_;
    const Level* end_;
    const Level* begin() const { return begin_; }
    const Level* end() const { return end_; }
};
Levels levels();

// The best level, or the one named in the environment variable BRAID_CPU_LEVEL.
const Level& level();

template <>
inline const Kernels<float>& Level::kernels<float>() const {
    return *float32;
}
template <>
inline const Kernels<double>& Level::kernels<double>() const {
    return *float64;
}

// At least `bytes` of memory of the calling thread, aligned to 64; the content survives until the thread asks
// again. Aborts when there is none.
void* thread_scratch(std::int64_t bytes);

}  // namespace braid::kernels::cpu
