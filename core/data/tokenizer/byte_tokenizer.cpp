#include "core/data/tokenizer/byte_tokenizer.h"

#include <array>

namespace braid {
namespace {

constexpr std::array<char, 256> all_bytes = [] {
    std::array<char, 256> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
    return bytes;
}();

class ByteTokenizer final : public Tokenizer {
public:
    ByteTokenizer()
        : Tokenizer({.kind = "byte",
                     .hash = "byte",
                     .vocab = byte_vocab,
                     .bos = byte_bos,
                     .special = {256, 257, 258, 259}}) {}

    void encode(std::string_view text, SpecialText, std::vector<std::int32_t>& ids,
                std::vector<TokenSpan>* spans) const override {
        const std::size_t before = ids.size();
        ids.resize(before + text.size());
        for (std::size_t i = 0; i < text.size(); ++i) ids[before + i] = static_cast<unsigned char>(text[i]);
        if (spans == nullptr) return;
        for (std::uint32_t i = 0; i < text.size(); ++i) spans->push_back({i, i + 1});
    }

    std::string_view bytes(std::int32_t id) const override {
        if (id == byte_bos) return "<bos>";
        if (id < 0 || id > 255) return {};
        return {&all_bytes[static_cast<std::size_t>(id)], 1};
    }
};

}  // namespace

std::shared_ptr<const Tokenizer> byte_tokenizer() {
    static const auto tokenizer = std::make_shared<const ByteTokenizer>();
    return tokenizer;
}

}  // namespace braid
