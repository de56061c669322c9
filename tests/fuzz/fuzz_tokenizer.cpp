// Tokenizer files of every kind: whatever they hold, they are refused with a reason, or the tokenizer keeps
// what it promises.
#include "core/data/tokenizer/tokenizer.h"
#include "tests/fuzz/must.h"

namespace {

void check(const braid::Tokenizer& tokenizer, const std::string& text) {
    for (const auto special : {braid::SpecialText::as_text, braid::SpecialText::as_tokens}) {
        const braid::Encoding encoding = tokenizer.encode(text, special);
        must(encoding.ids.size() == encoding.spans.size(), "each token has its place");
        for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
            must(encoding.ids[i] >= 0 && encoding.ids[i] < tokenizer.info().vocab,
                 "ids lie in the vocabulary");
            const braid::TokenSpan span = encoding.spans[i];
            must(span.begin <= span.end && span.end <= text.size(), "places lie in the text");
        }
        const std::string back = tokenizer.decode(encoding.ids, special == braid::SpecialText::as_tokens);
        if (tokenizer.info().loss.empty() && special == braid::SpecialText::as_text)
            must(back == text, "decoding gives the text back");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const bool ranks = !file.starts_with('{') && !file.starts_with('\n');
    const auto tokenizer = braid::read_tokenizer(file, "fuzz", {.pattern = ranks ? "gpt2" : ""});
    if (!tokenizer) {
        must(!tokenizer.error().message.empty(), "a refusal has a reason");
        return 0;
    }
    must((*tokenizer)->info().vocab > 0, "there is a vocabulary");
    check(**tokenizer, "the we\u0301aver <|endoftext|> \xFF\xC3 \u2581 123");
    check(**tokenizer, std::string(file.substr(0, 2'000)));
    return 0;
}
