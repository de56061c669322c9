#include "core/data/tokenizer/ids_tokenizer.h"

#include <charconv>

namespace braid {
namespace {

class IdsTokenizer final : public Tokenizer {
public:
    explicit IdsTokenizer(TokenizerInfo info) : Tokenizer(std::move(info)) {}
    void encode(std::string_view, SpecialText, std::vector<std::int32_t>&,
                std::vector<TokenSpan>*) const override {}
    std::string_view bytes(std::int32_t) const override { return {}; }
};

}  // namespace

Result<std::shared_ptr<const Tokenizer>> ids_tokenizer(const std::string& text) {
    std::int64_t vocab = 0;
    std::int64_t end_of_text = -1;
    const char* const last = text.data() + text.size();
    const auto [colon, error] = std::from_chars(text.data() + ids_prefix.size(), last, vocab);
    bool good = error == std::errc{} && colon != last && *colon == ':';
    if (good) {
        const auto [end, second] = std::from_chars(colon + 1, last, end_of_text);
        good = second == std::errc{} && end == last;
    }
    if (!good || vocab < 2 || vocab > 0x7FFFFFFF || end_of_text < 0 || end_of_text >= vocab)
        return fail(
            to_error({{.path = "--tokenizer",
                       .rule = "must be ids:VOCABULARY:END, the end-of-text token inside the vocabulary, "
                               "such as ids:50257:50256",
                       .found = text}}));
    return std::make_shared<const IdsTokenizer>(TokenizerInfo{.kind = "ids",
                                                              .hash = text,
                                                              .vocab = vocab,
                                                              .eos = static_cast<std::int32_t>(end_of_text),
                                                              .loss = "has no text"});
}

}  // namespace braid
