// Gives a device the work of optimizer steps. On a GPU and where it is possible, unless kernels.step=launch,
// a micro-batch and the update are launched kernel by kernel a few times, then recorded and played again as
// CUDA graphs: the numbers are the same. The host waits nowhere, except that it is never more than two
// micro-batches ahead.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "core/engine/model.h"
#include "core/engine/optimizer.h"
#include "core/engine/step_numbers.h"

namespace braid {

class StepRunner {
public:
    // `kernels`: the value of kernels.step. Both outlive the runner.
    StepRunner(Model& model, Optimizer& optimizer, const std::string& kernels);
    ~StepRunner();

    // Records nothing for the rest of the phase, for the reason that way() tells.
    void launch_only(const std::string& reason);
    // What was recorded no longer fits: layers and rules of the optimizer change, and what stood in the way
    // of recording may be gone.
    void begin_phase();

    // Clears the gradients. scale: Model::forward_backward().
    void begin(double scale);
    struct MicroBatch {
        at::Tensor tokens_BT, targets_BT;  // int32; on the host pinned for a GPU, and left alone until the
                                           // numbers of the step have come
        // Work with one of these is launched:
        at::Tensor starts_BT = {};
        std::function<at::Tensor(const at::Tensor& tokens_BT, const at::Tensor& targets_BT)> weights = {};
        Model::StageDone stage_done = {};
    };
    void micro_batch(const MicroBatch& micro);
    // Measures the gradients and updates where loss and norm are finite. `measured`, where given, is called
    // between the two, and the update is launched.
    void update(double learning_rate, const std::function<void()>& measured = {});

    // How it is done, for a person: "recorded, played as CUDA graphs", "launched kernel by kernel: .."; empty
    // where there is no choice, and before it is known.
    const std::string& way() const { return way_; }

private:
    struct Part {  // of a step
        int launches = 0;
        std::unique_ptr<Recording> recording = {};
    };
    void do_or_play(Part& part, const std::function<void()>& work);
    void forget();

    Model& model_;
    Optimizer& optimizer_;
    const bool wished_;  // to record
    bool records_ = false;
    std::string way_;
    double scale_ = 1;
    double scale_of_weights_ = 0;                     // what weights_BT_ holds
    at::Tensor tokens_BT_, targets_BT_, weights_BT_;  // on the device, always the same
    Part micro_, update_;
    std::array<DeviceMark, 2> marks_;  // behind the last two micro-batches
    std::size_t next_mark_ = 0;
};

}  // namespace braid
