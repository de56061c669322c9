#include "core/data/token_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "core/data/mapped_file.h"

namespace braid {
namespace {

constexpr std::size_t header_numbers = 256;
constexpr std::size_t header_bytes = header_numbers * sizeof(std::int32_t);

struct Header {
    std::int32_t magic;
    std::int32_t version;
    std::size_t token_bytes;
};
constexpr std::array<Header, 2> headers = {{{20'240'520, 1, 2}, {20'240'801, 7, 4}}};

const Header* find_header(std::span<const std::int32_t> numbers) {
    for (const Header& header : headers)
        if (numbers.size() >= 3 && numbers[0] == header.magic && numbers[1] == header.version) return &header;
    return nullptr;
}

template <class Token>
Result<void> read_tokens(std::span<const Token> tokens, const SourceFile& file,
                         const DocumentVisitor& visitor, std::size_t bytes_before) {
    const TokenizerInfo& tokenizer = *visitor.tokenizer;
    const std::int32_t end_of_text = tokenizer.eos >= 0 ? tokenizer.eos : tokenizer.bos;
    std::vector<std::int32_t> document;
    const auto finish = [&](std::size_t at) -> Result<void> {
        if (visitor.position) visitor.position(static_cast<std::int64_t>(bytes_before + at * sizeof(Token)));
        if (document.empty()) return {};
        Result<void> done = visitor.tokens(document);
        document.clear();
        return done;
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if ((i & 0xFFFFU) == 0 && visitor.cancel != nullptr && visitor.cancel->load())
            return fail(ErrorKind::interrupted, "stopped", file.path);
        const auto id = static_cast<std::int64_t>(tokens[i]);
        if (id >= tokenizer.vocab)
            return fail(ErrorKind::invalid_input,
                        "has the token " + std::to_string(id) + " at place " + std::to_string(i) +
                            "; the vocabulary of the tokenizer is " + std::to_string(tokenizer.vocab),
                        file.path, "Give the tokenizer that the file was made with");
        if (id != end_of_text) document.push_back(static_cast<std::int32_t>(id));
        if (id == end_of_text || document.size() == max_document_tokens)
            if (Result<void> done = finish(i); !done) return done;
    }
    return finish(tokens.size());
}

}  // namespace

bool has_token_header(const std::string& path) {
    std::array<std::int32_t, 3> numbers{};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(numbers.data()), sizeof numbers);
    return file.gcount() == sizeof numbers && find_header(numbers) != nullptr;
}

Result<ReadReport> read_token_file(const SourceFile& file, const DocumentVisitor& visitor) {
    const Result<MappedFile> map = MappedFile::open(file.path);
    if (!map) return fail(map.error());
    if (map->size() == 0) return ReadReport{.note = "is empty"};
    const std::span<const std::int32_t> numbers = map->as<std::int32_t>();
    const Header* header = map->size() >= header_bytes ? find_header(numbers) : nullptr;
    const std::size_t before = header == nullptr ? 0 : header_bytes;
    const std::size_t width = header != nullptr                   ? header->token_bytes
                              : visitor.tokenizer->vocab > 65'536 ? 4
                                                                  : 2;
    const std::size_t size = map->size() - before;
    if (header != nullptr && size != static_cast<std::size_t>(static_cast<std::uint32_t>(numbers[2])) * width)
        return fail(
            ErrorKind::corrupt,
            "has " + std::to_string(size / width) + " tokens, its header says " + std::to_string(numbers[2]),
            file.path, "Get the file again, or leave it out");
    if (size % width != 0)
        return fail(ErrorKind::corrupt,
                    "has " + std::to_string(size) + " bytes, which are no whole number of tokens of " +
                        std::to_string(width) + " bytes",
                    file.path, "Get the file again, or leave it out");
    const Result<void> done =
        width == 2 ? read_tokens(map->as<std::uint16_t>().subspan(before / 2), file, visitor, before)
                   : read_tokens(map->as<std::uint32_t>().subspan(before / 4), file, visitor, before);
    if (!done) return fail(done.error());
    return ReadReport{};
}

}  // namespace braid
