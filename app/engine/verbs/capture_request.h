// What is to be captured, as the capture verb and the capture method of serve are asked for it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/verbs/eval_target.h"
#include "core/measure/capture/capture.h"

namespace braid::cli {

struct CaptureRequest {
    EvalTarget target = {};
    // One of them, or none: sample 0 of needles.
    std::optional<std::string> prompt = {};
    std::string prompt_file = {};
    std::string tokens = {};  // NumPy file, or "[5, 17, 3]"
    std::optional<std::int64_t> sample = {};
    // Of a sample.
    std::optional<double> depth = {};
    std::optional<std::int64_t> context = {}, seed = {};

    std::string heads = {};  // core/measure/capture/capture_heads.h
    bool allow_long = false;
};

// The model of a checkpoint's folder on the device of a target.
using OpenModel = std::function<Result<std::shared_ptr<Model>>(const EvalTarget& target, const std::string&)>;
// Told what is being done and how much of it is done, 0 to 1; false stops.
using CaptureProgress = std::function<bool(double fraction, const std::string& text)>;

// `stop`, `remembered`: of CaptureInput. Errors: invalid_input, with everything that is wrong with the
// request; those of find_checkpoint(), needle_text(), prompt_text() and capture_attention().
Result<CaptureAnswer> make_capture(const CaptureRequest& request, const OpenModel& open,
                                   const CaptureProgress& progress, const std::atomic<bool>* stop = nullptr,
                                   RememberedPass* remembered = nullptr);

// Where captures of the checkpoint are kept.
std::string captures_folder(const CheckpointChoice& choice);

// "braid-engine capture a91f@400 --sample 0 --heads 8.3"
std::string capture_command(const CaptureRequest& request, const CheckpointChoice& choice);

}  // namespace braid::cli
