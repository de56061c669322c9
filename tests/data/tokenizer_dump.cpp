// For tests against other libraries: tokenizer_dump FILE [--pattern P] [--special], texts as JSON strings on
// stdin, one a line; prints {"ids", "spans", "back"} for each, "back" being whether decoding gives the text.
#include <cstdio>
#include <iostream>
#include <string>

#include "core/data/tokenizer/tokenizer.h"

int main(int argc, char** argv) {
    using namespace braid;
    TokenizerOptions options;
    SpecialText special = SpecialText::as_text;
    for (int i = 2; i < argc; ++i) {
        if (std::string(argv[i]) == "--special") special = SpecialText::as_tokens;
        if (std::string(argv[i]) == "--pattern" && i + 1 < argc) options.pattern = argv[++i];
    }
    const auto tokenizer = open_tokenizer(argc > 1 ? argv[1] : "", options);
    if (!tokenizer) {
        std::fprintf(stderr, "%s\n", describe(tokenizer.error()).c_str());
        return 1;
    }
    for (std::string line; std::getline(std::cin, line);) {
        const std::string text = Json::parse(line).get<std::string>();
        const Encoding encoding = (*tokenizer)->encode(text, special);
        Json spans = Json::array();
        for (const TokenSpan& span : encoding.spans) spans.push_back({span.begin, span.end});
        const bool back = (*tokenizer)->decode(encoding.ids, special == SpecialText::as_tokens) == text;
        std::cout << Json{{"ids", encoding.ids}, {"spans", spans}, {"back", back}}.dump() << "\n";
    }
    return 0;
}
