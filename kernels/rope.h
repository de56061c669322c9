// Rotary position embedding, halves rotated: (a, b) -> (a cos - b sin, b cos + a sin), a = x[i], b = x[i +
// K/2].
#pragma once

#include <cstdint>

#include "kernels/attention.h"

namespace braid::kernels {

template <class T>
struct RopeArgs {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t heads = 0;
    std::int64_t head_dim = 0;  // even
    Heads<T> x;                 // in place
    const T* cos = nullptr;     // [tokens, head_dim / 2]
    const T* sin = nullptr;
    bool inverse = false;  // the opposite angle: the gradient
};

namespace ref {
template <class T>
void rope(const RopeArgs<T>& args);
}  // namespace ref

}  // namespace braid::kernels
