#include "core/engine/cuda/cuda_scan.h"

#include <ATen/ops/empty.h>

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/pointers.h"
#include "kernels/cuda/hopper_scan.h"
#include "kernels/cuda/linear_scan.h"

namespace braid::cuda {
namespace {

namespace kc = kernels::cuda;

kc::LinearScan sizes_of(const LinearShape& shape, std::int64_t batch, std::int64_t tokens) {
    kc::LinearScan scan;
    scan.batch = static_cast<int>(batch);
    scan.tokens = static_cast<int>(tokens);
    scan.states = static_cast<int>(shape.states);
    scan.key_dim = static_cast<int>(shape.key_dim);
    scan.value_dim = static_cast<int>(shape.value_dim);
    return scan;
}

// Of the portable kernels: states before the parts, then what each part leaves of the state before it.
std::int64_t portable_totals(const kc::LinearScan& scan) {
    return std::int64_t{kc::linear_parts(scan.tokens)} * scan.batch * scan.states;
}
std::int64_t portable_elements(const kc::LinearScan& scan) {
    return portable_totals(scan) * (std::int64_t{scan.key_dim} * scan.value_dim + 1);
}
void set_boundaries(kc::LinearScan& scan, const at::Tensor& boundaries) {
    scan.boundaries = float_data(boundaries);
    scan.totals = scan.boundaries + portable_totals(scan) * scan.key_dim * scan.value_dim;
}

kc::LinearScan scan_of(const LinearRule& rule, const LinearInput& input) {
    kc::LinearScan scan = sizes_of(shape_of(input), input.q_BTHK.size(0), input.q_BTHK.size(1));
    scan.silu = rule.silu;
    scan.scale = static_cast<float>(rule.scale);
    scan.q = head_vectors(input.q_BTHK);
    scan.k = head_vectors(input.k_BTGK);
    scan.v = head_vectors(input.v_BTJV);
    scan.log_decay = float_data(input.log_decay_BTS);
    scan.constant_decay = input.log_decay_BTS.dim() == 1;
    scan.beta = float_or_null(input.beta_BTS);
    scan.skip = float_or_null(input.skip_S);
    scan.starts = int32_or_null(input.starts_BT);
    return scan;
}

kc::LinearScanForward forward_of(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                                 const at::Tensor& last_BSKV) {
    return {.scan = scan_of(rule, input),
            .initial = float_or_null(input.initial_BSKV),
            .last = float_or_null(last_BSKV),
            .o = head_vectors(o_BTRV)};
}
kc::LinearScanBackward backward_of(const LinearRule& rule, const LinearInput& input,
                                   const at::Tensor& do_BTRV, const LinearGradient& gradient) {
    return {.scan = scan_of(rule, input),
            .d_o = head_vectors(do_BTRV),
            .dq = head_vectors(gradient.dq_BTHK),
            .dk = head_vectors(gradient.dk_BTGK),
            .dv = head_vectors(gradient.dv_BTJV),
            .dlog_decay = float_or_null(gradient.dlog_decay_BTS),
            .dbeta = float_or_null(gradient.dbeta_BTS),
            .dskip = float_or_null(gradient.dskip_S)};
}

}  // namespace

bool scan_supported(const LinearRule& rule, const LinearShape& shape) {
    return !rule.delta && !rule.unit_qk && shape.readers <= shape.states &&
           kc::linear_scan_supports(static_cast<int>(shape.key_dim), static_cast<int>(shape.value_dim));
}

// ---- Hopper --------------------------------------------------------------------------------------

at::Tensor hopper_scan_boundaries(const LinearRule&, const LinearShape& shape, std::int64_t batch,
                                  std::int64_t tokens, at::Device device) {
    return at::empty({kc::hopper_scan_kept(sizes_of(shape, batch, tokens))},
                     at::dtype(at::kBFloat16).device(device));
}

void hopper_scan_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                         const at::Tensor& boundaries, const at::Tensor& last_BSKV, Scratch& scratch) {
    const kc::LinearScanForward call = forward_of(rule, input, o_BTRV, last_BSKV);
    const at::Tensor kept = boundaries.defined()
                                ? boundaries
                                : scratch("linear states", kc::hopper_scan_kept(call.scan), at::kBFloat16);
    const std::int64_t floats = kc::hopper_scan_scratch(call.scan, false);
    check(kc::hopper_scan({.call = call,
                           .kept = bf16_data(kept),
                           .scratch = float_data(scratch("linear scan", floats, at::kFloat))},
                          stream()),
          "hopper_scan");
}

void hopper_scan_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                          const at::Tensor& do_BTRV, const LinearGradient& gradient, Scratch& scratch) {
    const kc::LinearScanBackward call = backward_of(rule, input, do_BTRV, gradient);
    const std::int64_t floats = kc::hopper_scan_scratch(call.scan, true);
    check(kc::hopper_scan_backward({.call = call,
                                    .kept = bf16_data(boundaries),
                                    .scratch = float_data(scratch("linear scan", floats, at::kFloat))},
                                   stream()),
          "hopper_scan_backward");
}

// ---- everywhere ----------------------------------------------------------------------------------

at::Tensor portable_scan_boundaries(const LinearRule&, const LinearShape& shape, std::int64_t batch,
                                    std::int64_t tokens, at::Device device) {
    return at::empty({portable_elements(sizes_of(shape, batch, tokens))},
                     at::dtype(at::kFloat).device(device));
}

void portable_scan_forward(const LinearRule& rule, const LinearInput& input, const at::Tensor& o_BTRV,
                           const at::Tensor& boundaries, const at::Tensor& last_BSKV, Scratch& scratch) {
    kc::LinearScanForward call = forward_of(rule, input, o_BTRV, last_BSKV);
    set_boundaries(call.scan, boundaries.defined() ? boundaries
                                                   : scratch("portable linear states",
                                                             portable_elements(call.scan), at::kFloat));
    check(kc::linear_scan(call, stream()), "linear_scan");
}

void portable_scan_backward(const LinearRule& rule, const LinearInput& input, const at::Tensor& boundaries,
                            const at::Tensor& do_BTRV, const LinearGradient& gradient, Scratch& scratch) {
    kc::LinearScanBackward call = backward_of(rule, input, do_BTRV, gradient);
    set_boundaries(call.scan, boundaries);
    const kc::LinearScan& scan = call.scan;
    const std::int64_t totals = portable_totals(scan);
    const std::int64_t partial =
        std::int64_t{scan.batch} * scan.tokens * scan.states * (2 * scan.key_dim + scan.value_dim);
    call.dboundaries =
        float_data(scratch("linear state gradients", totals * scan.key_dim * scan.value_dim, at::kFloat));
    call.skip_partial = float_data(scratch("linear skip", totals, at::kFloat));
    call.partial = bf16_data(scratch("linear gradients", partial, at::kBFloat16));
    check(kc::linear_scan_backward(call, stream()), "linear_scan_backward");
}

}  // namespace braid::cuda
