// The numbers of a step on their way to the host: sent behind the work of the step, waited for only when they
// are read, so that a device can be given the next step before.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace c10 {
struct Event;
}

namespace braid {

// A place in the work of a device that the host can wait for. The CPU is never behind.
class DeviceMark {
public:
    explicit DeviceMark(at::Device device);
    ~DeviceMark();
    void set();         // behind everything that the device was given so far
    void wait() const;  // until the device is there; at once where it was not set
private:
    at::Device device_;
    std::unique_ptr<c10::Event> event_;
    bool set_ = false;
};

class StepNumbers {
public:
    explicit StepNumbers(at::Device device);

    struct Values {
        double loss_sum = 0;
        double grad_norm = 0;
        bool applied = true;
        std::vector<double> head_norms = {};
    };
    // 0-dim tensors of the device and, where it is defined, a vector. At most two steps are on the way.
    void send(const at::Tensor& loss_sum, const at::Tensor& grad_norm, const at::Tensor& applied,
              const at::Tensor& head_norms);
    // Of the step that was sent first; the host waits for it.
    Values receive();
    std::int64_t on_the_way() const { return sent_ - received_; }

private:
    struct Slot {
        at::Tensor loss_sum, grad_norm, applied, head_norms;  // on the host
        DeviceMark mark;
    };
    at::Device device_;
    std::array<Slot, 2> slots_;
    std::int64_t sent_ = 0, received_ = 0;
};

}  // namespace braid
