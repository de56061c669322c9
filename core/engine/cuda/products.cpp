#include "core/engine/cuda/products.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty_like.h>
#include <cublas_v2.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/engine/aligned_rows.h"
#include "core/engine/cuda/blas.h"
#include "core/engine/cuda/check.h"
#include "core/engine/cuda/pointers.h"

namespace braid::cuda {
namespace {

constexpr std::int64_t workspace_bytes = std::int64_t{32} << 20;
constexpr int most_proposals = 8;
// Products that take less than some microseconds are not worth it; those of texts, whose lengths vary, hardly
// come again.
constexpr double timed_flops = 4e9;
constexpr int uses_before_timing = 4;
constexpr std::int64_t many_rows = 2048;  // from which on copies of a weight are worth it
constexpr std::int64_t most_copied_bytes = std::int64_t{64} << 20;

template <class T, cublasStatus_t (*Destroy)(T)>
struct Destroyer {
    void operator()(T handle) const { Destroy(handle); }
};
template <class T, cublasStatus_t (*Destroy)(T)>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Destroyer<T, Destroy>>;
using Operation = Handle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Handle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Handle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

// Elements from a row to the next; the stride of a single row may be anything.
std::int64_t row_stride(const at::Tensor& matrix) {
    return matrix.size(0) > 1 ? matrix.stride(0) : matrix.size(1);
}

// A row-major matrix, whose rows are the columns of cuBLAS.
Layout layout(const at::Tensor& matrix) {
    cublasLtMatrixLayout_t made = nullptr;
    check_blas(cublasLtMatrixLayoutCreate(&made, data_type(matrix), std::uint64_t(matrix.size(1)),
                                          std::uint64_t(matrix.size(0)), row_stride(matrix)),
               "cublasLtMatrixLayoutCreate");
    return Layout(made);
}

// The largest power of two up to 256 at whose multiples all of them begin.
std::uint32_t alignment_of(std::initializer_list<const at::Tensor*> tensors) {
    std::uintptr_t bits = 256;
    for (const at::Tensor* tensor : tensors)
        if (tensor->defined()) bits |= reinterpret_cast<std::uintptr_t>(tensor->const_data_ptr());
    return static_cast<std::uint32_t>(bits & (~bits + 1));
}

// cuBLAS is column-major: a row-major [M, N] is its [N, M], so operands change places, and what it calls the
// first is b.
struct Operands {
    cublasOperation_t first, second;
    std::int64_t ld_first, ld_second, ld_sum;
};

class Event {
public:
    Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
    ~Event() { (void)cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record() const { check(cudaEventRecord(event_, stream()), "cudaEventRecord"); }
    float since(const Event& start) const {
        float milliseconds = 0;
        check(cudaEventSynchronize(event_), "cudaEventSynchronize");
        check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
        return milliseconds;
    }

private:
    cudaEvent_t event_ = nullptr;
};

// The matrix with what lies between its rows, up to a width that is a multiple of 8; itself without room.
at::Tensor with_room(const at::Tensor& x) {
    const std::int64_t stride = row_stride(x), cols = aligned_stride(x.size(1), at::kBFloat16);
    return stride % 8 == 0 && stride >= cols ? x.as_strided({x.size(0), cols}, {stride, 1}) : x;
}

bool records() {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream(), &status), "cudaStreamIsCapturing");
    return status != cudaStreamCaptureStatusNone;
}

}  // namespace

struct Products::Plan {
    Operands operands = {};
    Operation operation;
    Layout first, second, sum;
    struct Proposal {
        cublasLtMatmulAlgo_t algo;
        std::size_t workspace;  // bytes that it needs
    };
    std::vector<Proposal> proposals;
    // One of them; -1: what cublasGemmEx takes by itself, which adds in place or not at all.
    int chosen = -1;
    int uses = 0;
};

Products::Products(Scratch& scratch) : scratch_(scratch) {}
Products::~Products() = default;

void Products::set_deterministic(bool on) {
    if (on != deterministic_) plans_.clear();
    deterministic_ = on;
}

// Widths that are no multiple of 8 and rows that do not begin at multiples of 16 bytes keep the products of
// this chip's kind away; what there is instead takes two to four times as long. So the width takes in what
// lies between the rows, where there is room, and a copy of the weight, a matter of microseconds, has zeros
// there.
void Products::run_by_eights(const Call& call) {
    if (call.a.size(0) < many_rows || call.b.size(0) >= call.a.size(0)) return run(call);
    const at::Tensor a = with_room(call.a), c = call.added.defined() ? call.c : with_room(call.c);
    const bool nt = call.form == Form::nt;
    const std::int64_t rows = nt ? c.size(1) : a.size(1), cols = nt ? a.size(1) : c.size(1);
    const std::int64_t stride = aligned_stride(cols, call.b.scalar_type());
    if (rows == call.b.size(0) && stride == row_stride(call.b)) return run(call);
    if (const std::int64_t k = call.a.size(1); k < a.size(1))
        a.narrow(1, k, a.size(1) - k).zero_();  // no number times zero is none
    const at::Tensor whole = scratch_("weight by eights", rows * stride, call.b.scalar_type());
    const at::Tensor b = aligned_rows(whole, rows, cols);
    if (rows != call.b.size(0) || cols != call.b.size(1)) whole.zero_();
    b.narrow(0, 0, call.b.size(0)).narrow(1, 0, call.b.size(1)).copy_(call.b);
    run({call.form, a, b, call.added, c});
}

void Products::nt(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& c_MN) {
    run_by_eights({Form::nt, a_MK, b_NK, {}, c_MN});
}
void Products::nt_add(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& added_MN,
                      const at::Tensor& c_MN) {
    run_by_eights({Form::nt, a_MK, b_NK, added_MN, c_MN});
}
void Products::nn(const at::Tensor& a_MK, const at::Tensor& b_KN, const at::Tensor& c_MN) {
    run_by_eights({Form::nn, a_MK, b_KN, {}, c_MN});
}
void Products::tn_add(const at::Tensor& a_KM, const at::Tensor& b_KN, const at::Tensor& c_MN) {
    const at::Tensor a = with_room(a_KM), b = with_room(b_KN);
    const std::int64_t rows = a.size(1), cols = b.size(1);
    if (a.size(0) < many_rows || rows >= a.size(0) || (rows == c_MN.size(0) && cols == c_MN.size(1)))
        return run({Form::tn, a_KM, b_KN, c_MN, c_MN});
    const at::Tensor sum = scratch_("gradient by eights", rows * cols, at::kFloat).view({rows, cols});
    run({Form::tn, a, b, {}, sum});
    c_MN.add_(sum.narrow(0, 0, c_MN.size(0)).narrow(1, 0, c_MN.size(1)));
}

Products::Plan& Products::plan_of(const Call& call) {
    const std::uint32_t alignment = alignment_of({&call.a, &call.b, &call.added, &call.c});
    const bool in_place = call.adds_in_place();
    const Operands operands = {.first = call.form == Form::nt ? CUBLAS_OP_T : CUBLAS_OP_N,
                               .second = call.form == Form::tn ? CUBLAS_OP_T : CUBLAS_OP_N,
                               .ld_first = row_stride(call.b),
                               .ld_second = row_stride(call.a),
                               .ld_sum = row_stride(call.c)};
    const std::array<std::int64_t, 8> key = {std::int64_t(call.form) * 8 +
                                                 (call.added.defined() ? in_place ? 1 : 2 : 0) +
                                                 (call.c.scalar_type() == at::kFloat ? 4 : 0),
                                             call.m(),
                                             call.n(),
                                             call.k(),
                                             alignment,
                                             operands.ld_first,
                                             operands.ld_second,
                                             operands.ld_sum};
    constexpr std::size_t kept = 256;  // texts of many lengths have a shape each
    if (const auto found = plans_.find(key); found != plans_.end()) return *found->second;
    if (plans_.size() >= kept) plans_.clear();
    auto plan = std::make_unique<Plan>();
    plan->operands = operands;
    cublasLtMatmulDesc_t operation = nullptr;
    check_blas(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F),
               "cublasLtMatmulDescCreate");
    plan->operation.reset(operation);
    const auto set_operation = [&](cublasLtMatmulDescAttributes_t which, const cublasOperation_t& value) {
        check_blas(cublasLtMatmulDescSetAttribute(operation, which, &value, sizeof(value)),
                   "cublasLtMatmulDescSetAttribute");
    };
    set_operation(CUBLASLT_MATMUL_DESC_TRANSA, plan->operands.first);
    set_operation(CUBLASLT_MATMUL_DESC_TRANSB, plan->operands.second);
    plan->first = layout(call.b);
    plan->second = layout(call.a);
    plan->sum = layout(call.c);
    cublasLtMatmulPreference_t made = nullptr;
    check_blas(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
    const Preference preference(made);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
        check_blas(cublasLtMatmulPreferenceSetAttribute(made, which, &value, sizeof(value)),
                   "cublasLtMatmulPreferenceSetAttribute");
    };
    for (const auto which :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        prefer(which, alignment);
    // Also those that need no workspace: what lies there is cleared before each product, which is a launch.
    for (const std::size_t workspace : {std::size_t{workspace_bytes}, std::size_t{0}}) {
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
        std::array<cublasLtMatmulHeuristicResult_t, most_proposals> found{};
        int count = 0;
        const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
            at::cuda::getCurrentCUDABlasLtHandle(), operation, plan->first.get(), plan->second.get(),
            plan->sum.get(), plan->sum.get(), made, most_proposals, found.data(), &count);
        if (status != CUBLAS_STATUS_NOT_SUPPORTED) check_blas(status, "cublasLtMatmulAlgoGetHeuristic");
        for (int i = 0; i < count; ++i)
            plan->proposals.push_back(
                {.algo = found[std::size_t(i)].algo, .workspace = found[std::size_t(i)].workspaceSize});
    }
    if (call.added.defined() && !in_place) {
        if (plan->proposals.empty())
            throw std::runtime_error("cublasLtMatmulAlgoGetHeuristic: nothing for this shape");
        plan->chosen = 0;
    }
    return *plans_.emplace(key, std::move(plan)).first->second;
}

void Products::run_proposal(const Plan& plan, std::size_t proposal, const Call& call, const at::Tensor& to) {
    const at::Tensor workspace = scratch_("matrix product", workspace_bytes, at::kByte);
    const Plan::Proposal& chosen = plan.proposals[proposal];
    const float one = 1.0F, beta = call.added.defined() ? 1.0F : 0.0F;
    const at::Tensor& added = call.added.defined() ? call.added : to;
    check_blas(
        cublasLtMatmul(at::cuda::getCurrentCUDABlasLtHandle(), plan.operation.get(), &one,
                       call.b.const_data_ptr(), plan.first.get(), call.a.const_data_ptr(), plan.second.get(),
                       &beta, added.const_data_ptr(), plan.sum.get(), to.mutable_data_ptr(), plan.sum.get(),
                       &chosen.algo, chosen.workspace > 0 ? workspace.mutable_data_ptr() : nullptr,
                       chosen.workspace, stream()),
        "cublasLtMatmul");
}

void Products::time_proposals(Plan& plan, const Call& call) {
    const bool in_place = call.adds_in_place();
    if (in_place && static_cast<std::int64_t>(call.c.nbytes()) > most_copied_bytes) return;
    const at::Tensor to = in_place ? at::empty_like(call.c) : call.c;  // not added twice
    const Event start, end;
    float best = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < plan.proposals.size(); ++i) {
        run_proposal(plan, i, call, to);
        for (int turn = 0; turn < 2; ++turn) {
            start.record();
            for (int again = 0; again < 3; ++again) run_proposal(plan, i, call, to);
            end.record();
            if (const float time = end.since(start); time < best) {
                best = time;
                plan.chosen = static_cast<int>(i);
            }
        }
    }
}

void Products::run(const Call& call) {
    Plan& plan = plan_of(call);
    const double flops = 2.0 * double(call.m()) * double(call.n()) * double(call.k());
    if (++plan.uses == uses_before_timing && !deterministic_ && flops >= timed_flops && !records())
        time_proposals(plan, call);
    if (plan.chosen >= 0) return run_proposal(plan, std::size_t(plan.chosen), call, call.c);
    const float one = 1.0F, beta = call.added.defined() ? 1.0F : 0.0F;
    check_blas(
        cublasGemmEx(at::cuda::getCurrentCUDABlasHandle(), plan.operands.first, plan.operands.second,
                     static_cast<int>(call.n()), static_cast<int>(call.m()), static_cast<int>(call.k()), &one,
                     call.b.const_data_ptr(), data_type(call.b), static_cast<int>(plan.operands.ld_first),
                     call.a.const_data_ptr(), data_type(call.a), static_cast<int>(plan.operands.ld_second),
                     &beta, call.c.mutable_data_ptr(), data_type(call.c),
                     static_cast<int>(plan.operands.ld_sum), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

}  // namespace braid::cuda
