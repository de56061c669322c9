// Tokenises documents on several threads and hands them over in the order in which they came.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/data/corpus.h"

namespace braid {

// A document on its way into a corpus: `entry` has what is known before its tokens are.
struct EncodedDocument {
    DocumentEntry entry;
    std::span<const std::int32_t> tokens;  // valid during the call
};

class EncodePipeline {
public:
    using Sink = std::function<Result<void>(const EncodedDocument& document)>;

    // The sink is called on the thread that submits and drains.
    EncodePipeline(std::shared_ptr<const Tokenizer> tokenizer, int threads, Sink sink);
    EncodePipeline(const EncodePipeline&) = delete;
    EncodePipeline& operator=(const EncodePipeline&) = delete;
    ~EncodePipeline();  // drops what is not drained

    // Copies the text; waits where too much is on the way. The error is the sink's, of an earlier document.
    Result<void> submit(const DocumentEntry& entry, std::string_view text);
    // A document that is tokens already.
    Result<void> submit(const DocumentEntry& entry, std::span<const std::int32_t> tokens);
    // Everything submitted has been handed over. After an error of the sink nothing more is.
    Result<void> drain();

private:
    struct Batch;
    Batch& open_batch();
    Result<void> dispatch();                   // the open batch, to the workers
    Result<void> hand_over(std::size_t left);  // until so many batches are on the way
    void work();

    std::shared_ptr<const Tokenizer> tokenizer_;
    Sink sink_;
    std::shared_ptr<Batch> open_;
    std::optional<Error> failed_;
    std::deque<std::shared_ptr<Batch>> order_;  // of the submitting thread: dispatched, not handed over

    std::mutex mutex_;
    std::condition_variable has_work_;
    std::condition_variable has_result_;
    std::deque<std::shared_ptr<Batch>> waiting_;
    bool closing_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace braid
