// h = silu(gate) * up for rows [gate | up] of 2 * width columns.
#pragma once

#include <cstdint>

namespace braid::kernels {

template <class T>
struct SwigluArgs {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    const T* gate_up = nullptr;
    T* h = nullptr;  // [rows, width]
};

template <class T>
struct SwigluBackwardArgs {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    const T* gate_up = nullptr;
    const T* dh = nullptr;
    T* dgate_up = nullptr;  // may be gate_up itself
    T* h = nullptr;         // computed again, to the same bits; may be dh itself; null: not wanted
};

namespace ref {
template <class T>
void swiglu(const SwigluArgs<T>& args);
template <class T>
void swiglu_backward(const SwigluBackwardArgs<T>& args);
}  // namespace ref

}  // namespace braid::kernels
