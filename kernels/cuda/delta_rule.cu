#include "kernels/cuda/delta_rule.h"

#include "kernels/cuda/delta_chunk.cuh"

namespace braid::kernels::cuda {
namespace delta {
namespace {

// Arrays one behind the other, each at a multiple of 256 bytes.
class Layout {
public:
    explicit Layout(void* memory) : memory_(static_cast<unsigned char*>(memory)) {}
    template <class T>
    T* take(std::int64_t elements) {
        T* const at = reinterpret_cast<T*>(memory_ + used_);
        used_ += (elements * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;
        return at;
    }
    std::int64_t used() const { return used_; }

private:
    unsigned char* memory_;
    std::int64_t used_ = 0;
};

std::int64_t chunks_of(const DeltaShape& s) {
    return static_cast<std::int64_t>(s.batch) * s.states * ceil_div(s.tokens, chunk);
}

Work work_of(const DeltaShape& shape, Layout& layout, bool backward) {
    const std::int64_t n = chunks_of(shape);
    const std::int64_t p = padded_dim(shape);
    Work w = {};
    w.chunks = ceil_div(shape.tokens, chunk);
    w.w = layout.take<bf16>(n * chunk * p);
    w.e0 = layout.take<float>(n * chunk * p);
    w.m = layout.take<uint4>(n * p * p / 8);
    w.n = layout.take<float4>(n * p * p / 4);
    w.pass = layout.take<float>(n);
    if (!backward) return w;
    w.t = layout.take<bf16>(n * chunk * chunk);
    w.dwrite = layout.take<float>(n * chunk * p);
    w.dafter = layout.take<bf16>(n * p * p);
    return w;
}

}  // namespace
}  // namespace delta

bool delta_rule_supports(const DeltaShape& s) {
    const auto fits = [](int dim) { return dim > 0 && dim <= 64 && dim % 2 == 0; };
    if (s.batch <= 0 || s.tokens <= 0 || s.states <= 0 || s.readers <= 0 || !fits(s.key_dim) ||
        !fits(s.value_dim))
        return false;
    int device = 0, most = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
           delta::gradient_bytes(s) <= most;
}

std::int64_t delta_rule_kept_elements(const DeltaShape& shape) {
    const std::int64_t p = delta::padded_dim(shape);
    return delta::chunks_of(shape) * p * p;
}

std::int64_t delta_rule_scratch_bytes(const DeltaShape& shape, bool backward) {
    delta::Layout layout(nullptr);
    delta::work_of(shape, layout, backward);
    return layout.used();
}

cudaError_t delta_rule(const DeltaRule& p, const DeltaOutput& to, cudaStream_t stream) {
    delta::Layout layout(p.scratch);
    const delta::Work w = delta::work_of(p.shape, layout, false);
    cudaError_t status = delta::prepare(p, w, false, stream);
    if (status == cudaSuccess) status = delta::scan(p, w, to.last, stream);
    if (status == cudaSuccess) status = delta::output(p, w, to.o, stream);
    return status;
}

cudaError_t delta_rule_backward(const DeltaRule& p, const DeltaGradient& to, cudaStream_t stream) {
    delta::Layout layout(p.scratch);
    const delta::Work w = delta::work_of(p.shape, layout, true);
    cudaError_t status = delta::prepare(p, w, true, stream);
    if (status == cudaSuccess) status = delta::ask(p, w, to.d_o, stream);
    if (status == cudaSuccess) status = delta::scan_back(p, w, stream);
    if (status == cudaSuccess) status = delta::gradient(p, w, to, stream);
    return status;
}

}  // namespace braid::kernels::cuda
