// The kernels of one instruction level, as the files of that level define them.
#pragma once

#include "kernels/cpu/cpu.h"
#include "kernels/cpu/simd.h"

namespace braid::kernels::cpu::BRAID_LEVEL {

template <class T>
void attention(const AttentionArgs<T>& args, const Parallel& parallel);
template <class T>
void attention_backward(const AttentionBackwardArgs<T>& args, const Parallel& parallel);
template <class T>
void rms_norm(const RmsNormArgs<T>& args, const Parallel& parallel);
template <class T>
void rms_norm_backward(const RmsNormBackwardArgs<T>& args, const Parallel& parallel);
template <class T>
void swiglu(const SwigluArgs<T>& args, const Parallel& parallel);
template <class T>
void swiglu_backward(const SwigluBackwardArgs<T>& args, const Parallel& parallel);
template <class T>
void rope(const RopeArgs<T>& args, const Parallel& parallel);
template <class T>
void cross_entropy(const CrossEntropyArgs<T>& args, const Parallel& parallel);
template <class T>
void embedding(const EmbeddingArgs<T>& args, const Parallel& parallel);
template <class T>
void embedding_backward(const EmbeddingBackwardArgs<T>& args, const Parallel& parallel);
template <class T>
void adamw(const AdamwArgs<T>& args, const Parallel& parallel);
template <class T>
void muon_momentum(const MuonMomentumArgs<T>& args, const Parallel& parallel);
template <class T>
void muon_apply(const MuonApplyArgs<T>& args, const Parallel& parallel);
template <class T>
void sum_of_squares(const SumOfSquaresArgs<T>& args, const Parallel& parallel);

// Defined in table.cpp.
extern const Kernels<float> kernels_float32;
extern const Kernels<double> kernels_float64;

}  // namespace braid::kernels::cpu::BRAID_LEVEL
