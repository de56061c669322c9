// Instructions that the kernels of hopper_scan.h need beside those of hopper.cuh.
#pragma once

#include "kernels/cuda/common.cuh"

namespace braid::kernels::cuda::hopper {

// Bytes of global memory to shared memory, or zeros.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from, bool there) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(there ? 16 : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(Bytes),
                     "r"(there ? Bytes : 0)
                     : "memory");
}
// What this thread copied since the last such call is a group.
__device__ __forceinline__ void copies_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// This thread sees what it copied, but for the latest groups.
template <int Pending>
__device__ __forceinline__ void copies_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// Four matrices of 8 x 8 from rows whose addresses the lanes give; Across: transposed.
template <bool Across = false>
__device__ __forceinline__ void load_matrices(unsigned (&x)[4], const bf16* row) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    if constexpr (Across)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(address)
                     : "memory");
}

// The same, but the compiler does not know: what follows from it is computed where it is used rather than
// kept in registers.
__device__ __forceinline__ unsigned again(unsigned x) {
    asm volatile("" : "+r"(x));
    return x;
}

// To 2^-11 of itself, a fourth of what rounding to bfloat16 loses.
__device__ __forceinline__ float tanh_fast(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ unsigned pack_pair(float first, float second) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
    return *reinterpret_cast<const unsigned*>(&pair);
}
__device__ __forceinline__ float2 unpack_pair(unsigned x) {
    return {__uint_as_float(x << 16), __uint_as_float(x & 0xFFFF0000U)};
}
// Half of both.
__device__ __forceinline__ unsigned half_pair(unsigned x) {
    const __nv_bfloat162 pair =
        __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&x), __floats2bfloat162_rn(0.5F, 0.5F));
    return *reinterpret_cast<const unsigned*>(&pair);
}

}  // namespace braid::kernels::cuda::hopper
