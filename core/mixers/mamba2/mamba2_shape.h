// Mamba-2's dimensions from its spec, for the description and the module alike.
#pragma once

#include "core/spec/mixer_kind.h"

namespace braid {

inline constexpr std::int64_t mamba2_convolution_kernel = 4;

struct Mamba2Shape {
    std::int64_t heads = 0;   // x, dt, output
    std::int64_t groups = 0;  // B and C, shared by heads / groups heads
    std::int64_t width = 0;   // P: channels of a head
    std::int64_t state = 0;   // N
    bool convolution = false;
    bool convolution_bias = false;
    double norm_eps = 1e-6;

    std::int64_t inner() const { return heads * width; }
    std::int64_t convolved() const { return inner() + 2 * groups * state; }  // channels of x, B and C
};
Mamba2Shape mamba2_shape(const HeadGroup& group, const MixerContext& context,
                         const std::vector<ParameterDescription>& descriptions);

}  // namespace braid
