#include "kernels/cuda/recurrent_gates.h"

#include "kernels/cuda/common.cuh"
#include "kernels/decay_bounds.h"

namespace braid::kernels::cuda {
namespace {

constexpr int threads = 256;
constexpr float strongest = strongest_log_decay, largest = largest_a_log;
constexpr float straight_from = 20;  // softplus(x) is x from there on

__global__ void __launch_bounds__(threads) gates_kernel(Gates p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= p.batch * p.tokens * p.states) return;
    const int s = static_cast<int>(i % p.states);
    const std::int64_t row = i / p.states, b = row / p.tokens, t = row % p.tokens;
    const auto read = [&](const GateColumns& x) { return to_float(x.data[b * x.batch + t * x.row + s]); };
    const float raw = read(p.raw) + p.bias[s];
    const float dt = raw > straight_from ? raw : log1pf(expf(raw));
    p.dt[i] = dt;
    const float a_log = p.a_log[s], rate = expf(a_log > largest ? largest : a_log);
    p.log_decay[i] = -dt * rate < strongest ? strongest : -dt * rate;  // what is no number stays none
    if (p.strength != nullptr) p.strength[i] = 1.0F / (1.0F + expf(-read(p.write)));
}

}  // namespace

cudaError_t recurrent_gates(const Gates& p, cudaStream_t stream) {
    gates_kernel<<<ceil_div(p.batch * p.tokens * p.states, threads), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
