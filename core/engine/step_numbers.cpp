#include "core/engine/step_numbers.h"

#include <ATen/ops/empty.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace braid {

DeviceMark::DeviceMark(at::Device device) : device_(device) {
    if (!device.is_cpu()) event_ = std::make_unique<c10::Event>(device.type());
}

DeviceMark::~DeviceMark() = default;

void DeviceMark::set() {
    if (!event_) return;
    event_->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
    set_ = true;
}

void DeviceMark::wait() const {
    if (set_) event_->synchronize();
}

StepNumbers::StepNumbers(at::Device device)
    : device_(device),
      slots_{
          Slot{.loss_sum = {}, .grad_norm = {}, .applied = {}, .head_norms = {}, .mark = DeviceMark(device)},
          Slot{
              .loss_sum = {}, .grad_norm = {}, .applied = {}, .head_norms = {}, .mark = DeviceMark(device)}} {
}

void StepNumbers::send(const at::Tensor& loss_sum, const at::Tensor& grad_norm, const at::Tensor& applied,
                       const at::Tensor& head_norms) {
    Slot& slot = slots_[static_cast<std::size_t>(sent_++ % 2)];
    const auto copy = [this](at::Tensor& to, const at::Tensor& from) {
        if (!from.defined()) {
            to = at::Tensor();
            return;
        }
        // Pinned memory, or the copy would wait.
        if (!to.defined() || to.sizes() != from.sizes())
            to = at::empty(from.sizes(), at::TensorOptions()
                                             .dtype(from.scalar_type())
                                             .device(at::kCPU)
                                             .pinned_memory(!device_.is_cpu()));
        to.copy_(from, /*non_blocking=*/true);
    };
    copy(slot.loss_sum, loss_sum);
    copy(slot.grad_norm, grad_norm);
    copy(slot.applied, applied);
    copy(slot.head_norms, head_norms);
    slot.mark.set();
}

StepNumbers::Values StepNumbers::receive() {
    const Slot& slot = slots_[static_cast<std::size_t>(received_++ % 2)];
    slot.mark.wait();
    Values values{.loss_sum = slot.loss_sum.item().toDouble(),
                  .grad_norm = slot.grad_norm.item().toDouble(),
                  .applied = slot.applied.item().toDouble() != 0};
    if (slot.head_norms.defined()) {
        const at::Tensor norms = slot.head_norms.to(at::kDouble);
        values.head_norms.assign(norms.const_data_ptr<double>(),
                                 norms.const_data_ptr<double>() + norms.numel());
    }
    return values;
}

}  // namespace braid
