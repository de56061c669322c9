#include "core/engine/step_runner.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace braid {
namespace {

// The first launch brings into being what the work needs: buffers, plans, tables. By the fourth each product
// has been timed (core/engine/cuda/products.h), and what is recorded is the quickest.
constexpr int launches_before_recording = 4;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string reason_of(const std::exception& error) {
    if (const auto* of_torch = dynamic_cast<const c10::Error*>(&error))
        return first_line(of_torch->what_without_backtrace());
    return first_line(error.what());
}

}  // namespace

StepRunner::StepRunner(Model& model, Optimizer& optimizer, const std::string& kernels)
    : model_(model),
      optimizer_(optimizer),
      wished_(kernels != "launch" && !model.ops().device().is_cpu()),
      marks_{DeviceMark(model.ops().device()), DeviceMark(model.ops().device())} {
    begin_phase();
}

StepRunner::~StepRunner() = default;

void StepRunner::forget() {
    micro_ = {};
    update_ = {};
    tokens_BT_ = targets_BT_ = weights_BT_ = at::Tensor();
    scale_of_weights_ = 0;
}

void StepRunner::begin_phase() {
    forget();
    records_ = wished_;
    way_ = wished_ || model_.ops().device().is_cpu() ? "" : "launched kernel by kernel";
}

void StepRunner::launch_only(const std::string& reason) {
    if (!records_) return;
    records_ = false;
    micro_ = {};
    update_ = {};
    way_ = "launched kernel by kernel: " + reason;
}

void StepRunner::begin(double scale) {
    model_.zero_gradients();
    scale_ = scale;
}

void StepRunner::do_or_play(Part& part, const std::function<void()>& work) {
    if (records_ && part.launches >= launches_before_recording && !part.recording) {
        try {
            part.recording = model_.ops().record(work);
            if (part.recording)
                way_ = "recorded, played as CUDA graphs";
            else
                launch_only("the device does not record");
        } catch (const std::exception& error) {
            launch_only("it could not be recorded: " + reason_of(error));
        }
    }
    if (part.recording) return part.recording->replay();
    ++part.launches;
    work();
}

void StepRunner::micro_batch(const MicroBatch& micro) {
    DeviceMark& mark = marks_[next_mark_];
    mark.wait();
    const at::Device device = model_.ops().device();
    if (micro.stage_done) launch_only("gradients are asked for while they are made");
    if (micro.weights) launch_only("the loss weighs each token anew");
    if (micro.starts_BT.defined()) launch_only("documents are kept apart");
    if (!records_) {
        const at::Tensor tokens_BT = micro.tokens_BT.to(device, at::kInt, /*non_blocking=*/true);
        const at::Tensor targets_BT = micro.targets_BT.to(device, at::kInt, /*non_blocking=*/true);
        const at::Tensor weights_BT = micro.weights ? micro.weights(tokens_BT, targets_BT) : at::Tensor();
        model_.forward_backward(tokens_BT, targets_BT, scale_, weights_BT, micro.starts_BT, micro.stage_done);
    } else {
        if (!tokens_BT_.defined() || tokens_BT_.sizes() != micro.tokens_BT.sizes()) {
            forget();
            const auto on_device = at::TensorOptions().device(device);
            tokens_BT_ = at::empty(micro.tokens_BT.sizes(), on_device.dtype(at::kInt));
            targets_BT_ = at::empty(micro.tokens_BT.sizes(), on_device.dtype(at::kInt));
            weights_BT_ = at::empty(micro.tokens_BT.sizes(), on_device.dtype(model_.ops().statistics_type()));
        }
        tokens_BT_.copy_(micro.tokens_BT, /*non_blocking=*/true);
        targets_BT_.copy_(micro.targets_BT, /*non_blocking=*/true);
        // The scale changes with the number of targets: a recording reads it as the weight of each.
        if (scale_of_weights_ != scale_) weights_BT_.fill_(scale_);
        scale_of_weights_ = scale_;
        do_or_play(micro_, [this] { model_.forward_backward(tokens_BT_, targets_BT_, 1.0, weights_BT_); });
    }
    mark.set();
    next_mark_ = (next_mark_ + 1) % marks_.size();
}

void StepRunner::update(double learning_rate, const std::function<void()>& measured) {
    optimizer_.set_learning_rate(learning_rate);
    if (measured) {
        optimizer_.measure_gradients();
        measured();
        optimizer_.update(model_.loss_sum());
        return;
    }
    do_or_play(update_, [this] {
        optimizer_.measure_gradients();
        optimizer_.update(model_.loss_sum());
    });
}

}  // namespace braid
