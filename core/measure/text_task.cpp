#include "core/measure/text_task.h"

#include <algorithm>
#include <cctype>

namespace braid {
namespace {

std::string lower(const std::string& text) {
    std::string result = text;
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

std::int64_t found_in(const std::string& answer, const TextQuestion& question) {
    const std::string text = lower(answer);
    return std::count_if(question.expected.begin(), question.expected.end(), [&](const std::string& wanted) {
        return text.find(lower(wanted)) != std::string::npos;
    });
}

}  // namespace

double mark_share_found(const std::string& answer, const TextQuestion& question) {
    if (question.expected.empty()) return 0;
    return static_cast<double>(found_in(answer, question)) / static_cast<double>(question.expected.size());
}

double mark_any_found(const std::string& answer, const TextQuestion& question) {
    return found_in(answer, question) > 0 ? 1 : 0;
}

Random TextRequest::random(std::string_view stream) const {
    std::string name = "text/";
    name.append(stream);
    return {seed, name, static_cast<std::uint64_t>(length), static_cast<std::uint64_t>(index)};
}

Error TextSizer::too_short(std::int64_t needed, std::int64_t length) const {
    return to_error({{.path = task_.id,
                      .rule = "needs a length of at least " + std::to_string(needed) + " tokens",
                      .found = std::to_string(length)}});
}

std::int64_t TextSizer::tokens_of(const TextRequest& request, std::int64_t size) const {
    return count_(task_.make(request, size).prompt) + task_.new_tokens;
}

std::int64_t TextSizer::largest(const TextRequest& request) const {
    std::int64_t fits = 1, too_much = 2;
    while (tokens_of(request, too_much) <= request.length) {
        fits = too_much;
        if (fits > request.length) return fits;  // there is no more to put in
        too_much *= 2;
    }
    while (too_much - fits > 1) {
        const std::int64_t middle = fits + (too_much - fits) / 2;
        (tokens_of(request, middle) <= request.length ? fits : too_much) = middle;
    }
    return fits;
}

Result<TextQuestion> TextSizer::question(const TextRequest& request) {
    if (length_ != request.length) {
        length_ = request.length;
        size_ = tried_ = 0;
    }
    // The same sample for all that come behind it, whichever of them is asked for first.
    for (; size_ == 0 && tried_ <= request.index; ++tried_) {
        TextRequest first = request;
        first.index = tried_;
        if (tokens_of(first, 1) <= request.length) size_ = largest(first);
    }
    if (size_ == 0) return fail(too_short(tokens_of(request, 1), request.length));
    for (std::int64_t size = size_;;) {
        TextQuestion question = task_.make(request, size);
        const std::int64_t tokens = count_(question.prompt) + task_.new_tokens;
        if (tokens <= request.length) return question;
        if (size == 1) return fail(too_short(tokens, request.length));
        const std::int64_t excess = tokens - request.length;
        size = std::max<std::int64_t>(1, size - std::max<std::int64_t>(1, size * excess / (2 * tokens)));
    }
}

}  // namespace braid
