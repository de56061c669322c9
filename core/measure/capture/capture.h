// Captures attention: one forward pass over a text, in which every head of every layer leaves a tile of all
// of its attention and its scores, and the chosen heads what zooms down to single tokens.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/measure/capture/capture_text.h"
#include "core/measure/capture/remembered_pass.h"
#include "core/record/capture.h"

namespace braid {

struct CaptureInput {
    const MeasureInput& measured;  // the checkpoint, its architecture, progress; its parameters are not read
    CaptureText text = {};
    std::string heads = {};    // detailed_heads()
    std::string folder = {};   // of captures
    std::string command = {};  // that makes the same capture
    std::optional<std::int64_t> tokens_seen = {};
    // The model; it may be kept open for the next capture.
    std::function<Result<std::shared_ptr<Model>>()> open = {};
    // Once true the pass ends, on the CPU also in the middle of a layer. Null: only where progress says so.
    const std::atomic<bool>* stop = nullptr;
    // When the weights were: earlier captures are of other ones. By itself: none serves again.
    std::filesystem::file_time_type weights_written = std::filesystem::file_time_type::max();
    // Of the last capture, for this one and by it for the next. Null: nothing is remembered.
    RememberedPass* remembered = nullptr;
    // Bytes that may still be written to a folder; for tests.
    std::function<Result<std::int64_t>(const std::string& folder)> room = {};
};

struct CaptureAnswer {
    Capture capture = {};      // its folder, too
    std::int64_t bytes = 0;    // of the files of its heads
    double seconds = 0;        // without opening the model
    std::size_t computed = 0;  // heads; the others were there
    bool passed = false;       // the text went through the model for them
};

// Errors: invalid_input (all heads that there are not; a text that is too long for a CPU, with what it would
// take), no_space (before anything is computed, with what is needed and what is free; or while writing),
// interrupted, out_of_memory. Whatever goes wrong, captures that were there stay, and no half one is left.
Result<CaptureAnswer> capture_attention(const CaptureInput& input);

}  // namespace braid
