// The models that serve keeps open: the last two checkpoints that were asked for (an A | B comparison), fewer
// where memory is short, and what the last pass of a capture left. For one thread.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <string>

#include "app/engine/verbs/eval_target.h"
#include "core/engine/model.h"
#include "core/measure/capture/remembered_pass.h"

namespace braid::cli {

class OpenModels {
public:
    static constexpr std::size_t most = 2;

    // Errors: those of open_device() and open_model(); unavailable for "cuda" after something was computed on
    // the CPU: LibTorch wants its CUDA half before anything else.
    Result<std::shared_ptr<Model>> open(const EvalTarget& target, const std::string& folder);
    void drop_all();
    // The last pass of a capture, with no more than a quarter of the memory that is free.
    RememberedPass& last_pass();

private:
    struct Opened {
        std::string folder, device;
        std::filesystem::file_time_type written = {};  // its weights: a run may have replaced them
        std::shared_ptr<Model> model;
    };
    Result<std::shared_ptr<Ops>> device(const EvalTarget& target);
    void make_room(std::int64_t bytes);

    std::list<Opened> models_;  // the last used first
    RememberedPass last_pass_;
    std::shared_ptr<Ops> cpu_, cuda_;
};

}  // namespace braid::cli
