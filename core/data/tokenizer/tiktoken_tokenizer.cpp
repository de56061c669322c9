#include "core/data/tokenizer/tiktoken_tokenizer.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "core/data/tokenizer/bpe_tokenizer.h"

namespace braid {
namespace {

constexpr std::int64_t max_rank = 1 << 24;
constexpr std::size_t max_token_bytes = 4'096;
constexpr std::size_t max_problems = 20;

constexpr const char* gpt2_pattern =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr const char* cl100k_pattern =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr const char* o200k_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        const int digit = base64_digit(c);
        if (digit < 0) return std::nullopt;
        bits = bits << 6U | static_cast<unsigned>(digit);
        if ((count += 6) >= 8) {
            count -= 8;
            bytes.push_back(static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU));
        }
    }
    return bytes;
}

struct Line {
    std::string bytes;
    std::int64_t rank = -1;
};

std::optional<Line> parse_line(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    std::optional<std::string> bytes = from_base64(line.substr(0, space));
    std::int64_t rank = -1;
    const auto [end, error] = std::from_chars(line.data() + space + 1, line.data() + line.size(), rank);
    if (!bytes || bytes->empty() || bytes->size() > max_token_bytes || error != std::errc{} ||
        end != line.data() + line.size() || rank < 0 || rank > max_rank)
        return std::nullopt;
    return Line{std::move(*bytes), rank};
}

std::string known_encodings() {
    std::string names;
    for (const TiktokenEncoding& one : tiktoken_encodings()) names += std::string(one.name) + ", ";
    return names;
}

// The ranks of a file; every problem with it.
std::vector<std::string> read_ranks(std::string_view bytes, Diagnostics& problems) {
    std::vector<std::string> pieces;
    std::size_t number = 0;
    while (!bytes.empty() && problems.size() < max_problems) {
        ++number;
        const std::size_t end = bytes.find('\n');
        std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        const std::string place = "line " + std::to_string(number);
        std::optional<Line> parsed = parse_line(line);
        if (!parsed) {
            problems.push_back({.path = place,
                                .rule = "must be base64 text, a space and a rank",
                                .found = std::string(line.substr(0, 60))});
            continue;
        }
        const auto rank = static_cast<std::size_t>(parsed->rank);
        if (rank >= pieces.size()) pieces.resize(rank + 1);
        if (!pieces[rank].empty())
            problems.push_back(
                {.path = place, .rule = "must not repeat a rank", .found = std::to_string(rank)});
        pieces[rank] = std::move(parsed->bytes);
    }
    return pieces;
}

// Every way to cut a token into two tokens is a merge with the token's rank: joining two neighbours wherever
// their bytes together are a token, as tiktoken does.
void make_merges(BpeParts& parts) {
    std::unordered_map<std::string_view, std::int32_t> ids;
    ids.reserve(parts.pieces.size());
    std::size_t cuts = 0;
    for (std::size_t id = 0; id < parts.pieces.size(); ++id) {
        if (parts.pieces[id].empty()) continue;
        ids.try_emplace(parts.pieces[id], static_cast<std::int32_t>(id));
        cuts += 2;
    }
    parts.merges = PairTable(cuts);
    for (const auto& [piece, id] : ids)
        for (std::size_t cut = 1; cut < piece.size(); ++cut) {
            const auto left = ids.find(piece.substr(0, cut));
            if (left == ids.end()) continue;
            const auto right = ids.find(piece.substr(cut));
            if (right != ids.end())
                parts.merges.set(left->second, right->second, {static_cast<std::uint32_t>(id), id});
        }
}

}  // namespace

std::span<const TiktokenEncoding> tiktoken_encodings() {
    static const std::vector<TiktokenEncoding> list = [] {
        std::vector<TiktokenEncoding> all = {
            {"gpt2", gpt2_pattern, 50'256, 50'257, {{"<|endoftext|>", 50'256}}, "", "<|endoftext|>"},
            {"cl100k",
             cl100k_pattern,
             100'256,
             100'277,
             {{"<|endoftext|>", 100'257},
              {"<|fim_prefix|>", 100'258},
              {"<|fim_middle|>", 100'259},
              {"<|fim_suffix|>", 100'260},
              {"<|endofprompt|>", 100'276}},
             "",
             "<|endoftext|>"},
            {"o200k",
             o200k_pattern,
             199'998,
             200'019,
             {{"<|endoftext|>", 199'999}, {"<|endofprompt|>", 200'018}},
             "",
             "<|endoftext|>"},
            {"llama3",
             llama3_pattern,
             128'000,
             128'256,
             {{"<|begin_of_text|>", 128'000},
              {"<|end_of_text|>", 128'001},
              {"<|start_header_id|>", 128'006},
              {"<|end_header_id|>", 128'007},
              {"<|eot_id|>", 128'009}},
             "<|begin_of_text|>",
             "<|end_of_text|>"},
        };
        return all;
    }();
    return list;
}

bool is_tiktoken_ranks(std::string_view head) {
    return parse_line(head.substr(0, std::min(head.find_first_of("\r\n"), head.size()))).has_value();
}

Result<std::shared_ptr<const Tokenizer>> read_tiktoken_ranks(std::string_view bytes, TokenizerInfo info) {
    Diagnostics problems;
    BpeParts parts{.pieces = read_ranks(bytes, problems), .whole_word_first = true};
    const auto ranks = static_cast<std::int64_t>(parts.pieces.size());
    const TiktokenEncoding* encoding = nullptr;
    for (const TiktokenEncoding& one : tiktoken_encodings())
        if (info.options.pattern.empty() ? one.ranks == ranks : one.name == info.options.pattern)
            encoding = &one;
    if (encoding != nullptr)
        info.options.pattern = encoding->name;
    else if (info.options.pattern.empty())
        problems.push_back({.path = "--pattern",
                            .rule = "must be given: a file of " + std::to_string(ranks) +
                                    " ranks does not tell how text is cut into words; known are " +
                                    known_encodings() + "or a regular expression",
                            .found = {}});
    if (problems.empty() || encoding != nullptr || !info.options.pattern.empty()) {
        Result<SplitPattern> pattern = SplitPattern::compile(
            encoding != nullptr ? encoding->pattern : info.options.pattern, RegexDialect::rust);
        if (pattern)
            parts.words = PreTokenizer::of(std::move(*pattern));
        else
            problems.push_back({.path = "--pattern", .rule = pattern.error().message, .found = {}});
    }
    parts.byte_ids.fill(-1);
    for (std::size_t id = 0; id < parts.pieces.size(); ++id)
        if (parts.pieces[id].size() == 1)
            parts.byte_ids[static_cast<unsigned char>(parts.pieces[id][0])] = static_cast<std::int32_t>(id);
    const auto missing = std::count(parts.byte_ids.begin(), parts.byte_ids.end(), -1);
    if (missing > 0)
        problems.push_back({.path = "ranks",
                            .rule = "must have a token for each of the 256 bytes",
                            .found = std::to_string(256 - missing) + " of them"});

    const bool published = encoding != nullptr && encoding->ranks == ranks;
    std::vector<std::pair<std::string, std::int32_t>> special;
    if (published)
        special = encoding->special;
    else
        special = {{"<|endoftext|>", static_cast<std::int32_t>(ranks)}};
    info.vocab = published ? encoding->vocab : ranks + 1;
    parts.pieces.resize(static_cast<std::size_t>(info.vocab));
    make_merges(parts);
    for (const auto& [name, id] : special) {
        parts.pieces[static_cast<std::size_t>(id)] = name;
        parts.added.push_back({.id = id, .content = name, .special = true});
    }
    const auto choose = [&](const char* key, std::string& name, const char* usual, std::int32_t& id) {
        if (name.empty()) name = usual;
        for (const auto& [one, number] : special)
            if (one == name) id = number;
        if (!name.empty() && id < 0)
            problems.push_back({.path = std::string("--") + key,
                                .rule = "must be a special token of the encoding",
                                .found = name});
    };
    choose("bos", info.options.bos, published ? encoding->bos : "", info.bos);
    choose("eos", info.options.eos, published ? encoding->eos : "<|endoftext|>", info.eos);
    if (!problems.empty()) return fail(to_error(problems, info.file));
    return std::make_shared<const BpeTokenizer>(std::move(info), std::move(parts));
}

}  // namespace braid
