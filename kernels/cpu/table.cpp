#include "kernels/cpu/level.h"

namespace braid::kernels::cpu::BRAID_LEVEL {
namespace {

template <class T>
constexpr Kernels<T> table() {
    return {.attention = attention<T>,
            .attention_backward = attention_backward<T>,
            .rms_norm = rms_norm<T>,
            .rms_norm_backward = rms_norm_backward<T>,
            .swiglu = swiglu<T>,
            .swiglu_backward = swiglu_backward<T>,
            .rope = rope<T>,
            .cross_entropy = cross_entropy<T>,
            .embedding = embedding<T>,
            .embedding_backward = embedding_backward<T>,
            .adamw = adamw<T>,
            .muon_momentum = muon_momentum<T>,
            .muon_apply = muon_apply<T>,
            .sum_of_squares = sum_of_squares<T>};
}

}  // namespace

constinit const Kernels<float> kernels_float32 = table<float>();
constinit const Kernels<double> kernels_float64 = table<double>();

}  // namespace braid::kernels::cpu::BRAID_LEVEL
