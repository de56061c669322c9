#include "core/data/tokenizer/sentence_sample.h"

#include "core/data/shard_hash.h"
#include "core/data/utf8.h"

namespace braid {
namespace {

constexpr std::size_t max_sentence_bytes = 4'096;

}  // namespace

void SentenceSample::add_document(std::string_view text) {
    while (!text.empty()) {
        std::size_t end = text.find('\n');
        // Empty lines belong to the line before: so a model learns paragraphs.
        end = end == std::string_view::npos ? text.size()
                                            : std::min(text.find_first_not_of('\n', end), text.size());
        if (end > max_sentence_bytes) end = utf8_boundary(text, max_sentence_bytes);
        add(text.substr(0, end));
        text.remove_prefix(end);
    }
}

void SentenceSample::add(std::string_view sentence) {
    if (document_hash(sentence) > limit_ || sentence.find('\0') != std::string_view::npos ||
        valid_utf8_prefix(sentence) != sentence.size())
        return;
    sentences_.emplace_back(sentence);
    bytes_ += static_cast<std::int64_t>(sentence.size());
    while (bytes_ > max_bytes_ && limit_ > 0) thin_out();
}

void SentenceSample::thin_out() {
    limit_ /= 2;
    std::erase_if(sentences_, [this](const std::string& one) {
        const bool out = document_hash(one) > limit_;
        if (out) bytes_ -= static_cast<std::int64_t>(one.size());
        return out;
    });
}

}  // namespace braid
