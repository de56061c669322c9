#include "core/data/encode_pipeline.h"

#include <algorithm>

namespace braid {
namespace {

constexpr std::size_t batch_bytes = std::size_t{1} << 18U;

}  // namespace

struct EncodePipeline::Batch {
    struct Document {
        DocumentEntry entry;
        std::size_t text_end = 0;    // of its part of `text`
        std::size_t given_end = 0;   // likewise, of `given`
        std::size_t tokens_end = 0;  // likewise, of `tokens`
    };
    std::vector<Document> documents;
    std::string text;
    std::vector<std::int32_t> given;   // of documents that are tokens already
    std::vector<std::int32_t> tokens;  // the result
    bool done = false;

    std::size_t bytes() const { return text.size() + given.size() * sizeof(std::int32_t); }
};

EncodePipeline::EncodePipeline(std::shared_ptr<const Tokenizer> tokenizer, int threads, Sink sink)
    : tokenizer_(std::move(tokenizer)), sink_(std::move(sink)) {
    const int count = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
    for (int i = 0; i < std::max(1, count); ++i) workers_.emplace_back([this] { work(); });
}

EncodePipeline::~EncodePipeline() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        waiting_.clear();
    }
    has_work_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

EncodePipeline::Batch& EncodePipeline::open_batch() {
    if (open_ == nullptr) open_ = std::make_shared<Batch>();
    return *open_;
}

Result<void> EncodePipeline::submit(const DocumentEntry& entry, std::string_view text) {
    Batch& batch = open_batch();
    batch.text.append(text);
    batch.documents.push_back(
        {.entry = entry, .text_end = batch.text.size(), .given_end = batch.given.size()});
    return batch.bytes() < batch_bytes ? Result<void>{} : dispatch();
}

Result<void> EncodePipeline::submit(const DocumentEntry& entry, std::span<const std::int32_t> tokens) {
    Batch& batch = open_batch();
    batch.given.insert(batch.given.end(), tokens.begin(), tokens.end());
    batch.documents.push_back(
        {.entry = entry, .text_end = batch.text.size(), .given_end = batch.given.size()});
    return batch.bytes() < batch_bytes ? Result<void>{} : dispatch();
}

Result<void> EncodePipeline::dispatch() {
    if (open_ == nullptr) return {};
    order_.push_back(open_);
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(open_));
    }
    open_ = nullptr;
    has_work_.notify_one();
    return hand_over(3 * workers_.size());
}

Result<void> EncodePipeline::drain() {
    Result<void> done = dispatch();
    return done ? hand_over(0) : done;
}

Result<void> EncodePipeline::hand_over(std::size_t left) {
    if (failed_) return fail(*failed_);
    while (!order_.empty()) {
        {
            std::unique_lock lock(mutex_);
            if (!order_.front()->done) {
                if (order_.size() <= left) return {};
                has_result_.wait(lock, [this] { return order_.front()->done; });
            }
        }
        const std::shared_ptr<Batch> batch = std::move(order_.front());
        order_.pop_front();
        std::size_t begin = 0;
        for (const Batch::Document& document : batch->documents) {
            const std::span<const std::int32_t> tokens(batch->tokens.data() + begin,
                                                       document.tokens_end - begin);
            begin = document.tokens_end;
            if (Result<void> done = sink_({document.entry, tokens}); !done) {
                failed_ = done.error();
                return done;
            }
        }
    }
    return {};
}

void EncodePipeline::work() {
    for (;;) {
        std::shared_ptr<Batch> batch;
        {
            std::unique_lock lock(mutex_);
            has_work_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
            if (closing_) return;
            batch = std::move(waiting_.front());
            waiting_.pop_front();
        }
        std::size_t text_begin = 0;
        std::size_t given_begin = 0;
        batch->tokens.reserve(batch->text.size() / 3 + batch->given.size());
        for (Batch::Document& document : batch->documents) {
            tokenizer_->encode(
                std::string_view(batch->text).substr(text_begin, document.text_end - text_begin),
                SpecialText::as_text, batch->tokens);
            batch->tokens.insert(batch->tokens.end(),
                                 batch->given.begin() + static_cast<std::ptrdiff_t>(given_begin),
                                 batch->given.begin() + static_cast<std::ptrdiff_t>(document.given_end));
            text_begin = document.text_end;
            given_begin = document.given_end;
            document.tokens_end = batch->tokens.size();
        }
        {
            const std::lock_guard lock(mutex_);
            batch->done = true;
        }
        has_result_.notify_one();
    }
}

}  // namespace braid
