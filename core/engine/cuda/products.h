// Row-major matrix products over cuBLAS on the current stream: bfloat16 operands, float32 sums. Rows lie one
// after the other or further apart; what lies between those of a and c may be overwritten.
#pragma once

#include <ATen/core/Tensor.h>
#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/engine/cuda/scratch.h"

namespace braid::cuda {

// What cuBLAS proposes first for a shape is up to a fifth slower than the best of what it proposes. So the
// proposals for a large product that comes again and again are timed once, some milliseconds, and the
// quickest stays. They add in different orders: not where results must not vary from run to run.
class Products {
public:
    explicit Products(Scratch& scratch);
    ~Products();
    void set_deterministic(bool on);

    // c = a b^T; c bfloat16 or float32.
    void nt(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& c_MN);
    // c = a b^T + added, both float32; they are the same matrix or do not overlap.
    void nt_add(const at::Tensor& a_MK, const at::Tensor& b_NK, const at::Tensor& added_MN,
                const at::Tensor& c_MN);
    // c = a b
    void nn(const at::Tensor& a_MK, const at::Tensor& b_KN, const at::Tensor& c_MN);
    // c += a^T b; c float32.
    void tn_add(const at::Tensor& a_KM, const at::Tensor& b_KN, const at::Tensor& c_MN);

private:
    enum class Form : std::int64_t { nt, nn, tn };
    struct Call {
        Form form;
        const at::Tensor &a, &b;
        const at::Tensor& added;  // undefined: nothing is added
        const at::Tensor& c;
        std::int64_t m() const { return c.size(0); }
        std::int64_t n() const { return c.size(1); }
        std::int64_t k() const { return form == Form::tn ? a.size(0) : a.size(1); }
        bool adds_in_place() const { return added.defined() && added.const_data_ptr() == c.const_data_ptr(); }
    };
    struct Plan;
    Plan& plan_of(const Call& call);
    void run_by_eights(const Call& call);
    void run(const Call& call);
    void run_proposal(const Plan& plan, std::size_t proposal, const Call& call, const at::Tensor& to);
    void time_proposals(Plan& plan, const Call& call);

    Scratch& scratch_;
    bool deterministic_ = false;
    std::map<std::array<std::int64_t, 8>, std::unique_ptr<Plan>> plans_;
};

}  // namespace braid::cuda
