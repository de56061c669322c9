// Questions over long texts, generated: a question is a pure function of a request and of the size of its
// haystack; the sizer finds the haystack with which prompt and answer just fit in a length.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"

namespace braid {

// As it is put to a model and marked.
struct TextQuestion {
    std::string prompt = {};
    std::vector<std::string> expected = {};
    std::optional<double> depth = {};  // of what is asked for, 0 .. 1, where it lies at one place
    std::string question = {};         // the part of the prompt that asks, for marks that look at it
};

// Question answering over paragraphs, from files of users (core/measure/ruler/qa_file.h).
struct QaSet {
    struct Item {
        std::string question = {};
        std::vector<std::string> answers = {};  // one of each annotator: some are equal
        std::vector<std::size_t> support = {};  // paragraphs that are always given
        std::vector<std::size_t> near = {};     // of the same article: given before those of others
    };
    std::vector<std::string> paragraphs = {};
    std::vector<Item> items = {};
};

// What tasks take from outside. Absent parts leave tasks without data.
struct TextSources {
    std::string essay = {};  // text of the haystacks
    std::shared_ptr<const QaSet> single_hop = {};
    std::shared_ptr<const QaSet> multi_hop = {};
};

struct TextRequest {
    const TextSources& sources;
    std::int64_t length = 4'096;  // tokens of prompt and answer together: some tasks change with it
    std::uint64_t seed = 42;
    std::int64_t index = 0;            // of the sample
    std::optional<double> depth = {};  // put what is asked for there, where a task can
    // Random numbers of this sample; a purpose of its own gets a stream of its own.
    Random random(std::string_view stream) const;
};

struct TextTask {
    std::string id = {};     // "niah_single_1"
    std::string title = {};  // "One needle in noise"
    std::int64_t new_tokens = 0;
    bool needle = false;  // counts for the NIAH average
    // Why there is no data, or an empty text.
    std::function<std::string(const TextSources&)> missing = {};
    // The question over a haystack of `size` >= 1 units (words, sentences, needles, documents).
    std::function<TextQuestion(const TextRequest&, std::int64_t size)> make = {};
    // 0 .. 1
    double (*mark)(const std::string& answer, const TextQuestion& question) = nullptr;
};

// Share of the expected that the answer contains, letters compared without case.
double mark_share_found(const std::string& answer, const TextQuestion& question);
// 1 where it contains any of them.
double mark_any_found(const std::string& answer, const TextQuestion& question);

// Tokens of a text, with whatever opens a document.
using CountTokens = std::function<std::int64_t(const std::string& text)>;

// Finds the largest haystack with which prompt and new tokens fit in the length, once for a length: on the
// first sample that fits at all. A sample that comes out longer gets a smaller one.
class TextSizer {
public:
    TextSizer(const TextTask& task, CountTokens count) : task_(task), count_(std::move(count)) {}
    // Error: invalid_input where not even the smallest haystack of this sample fits, with the length that it
    // needs.
    Result<TextQuestion> question(const TextRequest& request);

private:
    std::int64_t tokens_of(const TextRequest& request, std::int64_t size) const;
    std::int64_t largest(const TextRequest& request) const;
    Error too_short(std::int64_t needed, std::int64_t length) const;
    const TextTask& task_;
    CountTokens count_;
    std::int64_t length_ = 0, size_ = 0;  // of the last search; size 0: no sample has fitted so far,
    std::int64_t tried_ = 0;              // and these were tried
};

}  // namespace braid
