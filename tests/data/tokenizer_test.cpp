#include "core/data/tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/base/random.h"
#include "core/data/tokenizer/bpe_merge.h"
#include "core/data/tokenizer/byte_tokenizer.h"
#include "core/data/tokenizer/split_pattern.h"
#include "tests/base/temporary_folder.h"
#include "tests/data/tiny_tokenizer.h"

namespace braid {
namespace {

using Made = std::shared_ptr<const Tokenizer>;

Made read(const std::string& bytes, const TokenizerOptions& options = {}) {
    Result<Made> made = read_tokenizer(bytes, "folder/tokenizer.file", options);
    EXPECT_TRUE(made.has_value()) << describe(made.error());
    return made ? *made : byte_tokenizer();
}

Error error_of(const std::string& bytes, const TokenizerOptions& options = {}) {
    Result<Made> made = read_tokenizer(bytes, "folder/tokenizer.file", options);
    EXPECT_FALSE(made.has_value());
    return made ? Error{} : made.error();
}

// Everything the interface promises of an exact tokenizer.
void expect_exact(const Tokenizer& tokenizer) {
    EXPECT_EQ(tokenizer.info().loss, "");
    for (const std::string& text : hostile_texts()) {
        const Encoding encoding = tokenizer.encode(text);
        EXPECT_EQ(tokenizer.decode(encoding.ids), text);
        ASSERT_EQ(encoding.ids.size(), encoding.spans.size());
        std::uint32_t at = 0;
        for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
            const TokenSpan span = encoding.spans[i];
            EXPECT_EQ(span.begin, at) << "tokens lie side by side";
            EXPECT_EQ(tokenizer.bytes(encoding.ids[i]), text.substr(span.begin, span.end - span.begin));
            EXPECT_FALSE(tokenizer.is_special(encoding.ids[i])) << "text is text";
            EXPECT_LT(encoding.ids[i], tokenizer.info().vocab);
            at = span.end;
        }
        EXPECT_EQ(at, text.size());
    }
}

TEST(Tokenizer, BytesAreTokens) {
    expect_exact(*byte_tokenizer());
    EXPECT_EQ(byte_tokenizer()->encode("a\xFF").ids, (std::vector<std::int32_t>{97, 255}));
    EXPECT_EQ(byte_tokenizer()->info().document_token(), 256);
    EXPECT_EQ(open_tokenizer("byte").value(), byte_tokenizer());
}

TEST(Tokenizer, TokenizerJsonIsExactForAnyBytes) {
    const Made tokenizer = read(tiny_tokenizer_json().dump());
    expect_exact(*tokenizer);
    EXPECT_EQ(tokenizer->info().kind, "huggingface");
    EXPECT_EQ(tokenizer->info().vocab, 269);
    EXPECT_EQ(tokenizer->info().eos, 268);
    EXPECT_EQ(tokenizer->info().file, "tokenizer.file");
    const Encoding encoding = tokenizer->encode("the weaving");
    std::vector<std::string> tokens;
    for (const std::int32_t id : encoding.ids) tokens.emplace_back(tokenizer->bytes(id));
    EXPECT_EQ(tokens, (std::vector<std::string>{"the", " we", "a", "v", "ing"}));
}

TEST(Tokenizer, RanksGiveTheSameTokensAsMerges) {
    const Made merges = read(tiny_tokenizer_json().dump());
    const Made ranks = read(tiny_ranks(), {.pattern = "gpt2"});
    expect_exact(*ranks);
    EXPECT_EQ(ranks->info().kind, "tiktoken");
    EXPECT_EQ(ranks->info().eos, 268) << "behind the last rank";
    for (const std::string& text : hostile_texts())
        EXPECT_EQ(ranks->encode(text).ids, merges->encode(text).ids);
}

TEST(Tokenizer, SpecialTokensOfATextAreTextUnlessWanted) {
    const Made tokenizer = read(tiny_tokenizer_json().dump());
    const std::string text = "the<|endoftext|>the";
    EXPECT_GT(tokenizer->encode(text).ids.size(), 3U);
    const Encoding wanted = tokenizer->encode(text, SpecialText::as_tokens);
    EXPECT_EQ(wanted.ids, (std::vector<std::int32_t>{257, 268, 257}));
    EXPECT_EQ(wanted.spans[1], (TokenSpan{3, 16}));
    EXPECT_EQ(tokenizer->decode(wanted.ids), "thethe");
    EXPECT_EQ(tokenizer->decode(wanted.ids, true), text);
}

TEST(Tokenizer, SpansLeadBackThroughTheNormalizer) {
    Json json = tiny_tokenizer_json();
    json["normalizer"] = {{"type", "NFC"}};
    const Made tokenizer = read(json.dump());
    EXPECT_EQ(tokenizer->info().loss, "normalises text to NFC");
    const std::string text = "the gru\xCC\x88n the";  // u and a combining diaeresis
    const Encoding encoding = tokenizer->encode(text);
    EXPECT_EQ(tokenizer->decode(encoding.ids), "the gr\xC3\xBCn the");
    const auto umlaut = std::find(encoding.ids.begin(), encoding.ids.end(), 262) - encoding.ids.begin();
    ASSERT_LT(umlaut, static_cast<std::ptrdiff_t>(encoding.ids.size()));
    EXPECT_EQ(encoding.spans[static_cast<std::size_t>(umlaut)], (TokenSpan{6, 9}));
    EXPECT_EQ(encoding.spans.back().end, text.size());
}

TEST(Tokenizer, WhatIsNotSupportedIsNamed) {
    const auto refusal = [](const char* where, Json what) {
        Json json = tiny_tokenizer_json();
        json[Json::json_pointer(where)] = std::move(what);
        return error_of(json.dump());
    };
    const Error model = refusal("/model/type", "WordPiece");
    EXPECT_EQ(model.kind, ErrorKind::invalid_input);
    EXPECT_NE(model.message.find("WordPiece"), std::string::npos) << model.message;
    EXPECT_NE(refusal("/pre_tokenizer", {{"type", "Metaspace"}}).message.find("Metaspace"),
              std::string::npos);
    EXPECT_NE(refusal("/normalizer", {{"type", "BertNormalizer"}}).message.find("BertNormalizer"),
              std::string::npos);
    EXPECT_NE(refusal("/decoder", {{"type", "WordPiece"}}).message.find("WordPiece"), std::string::npos);
    EXPECT_NE(refusal("/model/end_of_word_suffix", "</w>").message.find("end_of_word_suffix"),
              std::string::npos);
    EXPECT_NE(refusal("/model/merges/0", "t zzz").message.find("zzz"), std::string::npos);
    EXPECT_NE(refusal("/pre_tokenizer", {{"type", "Split"},
                                         {"behavior", "Isolated"},
                                         {"invert", false},
                                         {"pattern", {{"Regex", "[a-z&&[^x]]"}}}})
                  .message.find("&&"),
              std::string::npos);
    Json json = tiny_tokenizer_json();
    json["model"]["vocab"].erase("t");
    EXPECT_NE(error_of(json.dump()).message.find("256 bytes"), std::string::npos);
    EXPECT_NE(error_of(tiny_ranks()).message.find("--pattern"), std::string::npos)
        << "268 ranks tell no encoding";
    EXPECT_NE(error_of(tiny_ranks(), {.pattern = "[a"}).message.find("--pattern"), std::string::npos);
    EXPECT_NE(
        error_of(tiny_ranks() + "YQ== 300\nYQ== 300\n!! x\n", {.pattern = "gpt2"}).message.find("line 271"),
        std::string::npos);
    EXPECT_NE(error_of(tiny_tokenizer_json().dump(), {.bos = "<nowhere>"}).message.find("<nowhere>"),
              std::string::npos);
    EXPECT_NE(error_of(tiny_tokenizer_json().dump(), {.pattern = "gpt2"}).message.find("--pattern"),
              std::string::npos);
    EXPECT_EQ(error_of("some text").kind, ErrorKind::corrupt);
    EXPECT_EQ(error_of("").kind, ErrorKind::corrupt);
    EXPECT_EQ(open_tokenizer("no/such/file").error().kind, ErrorKind::not_found);
    EXPECT_EQ(open_tokenizer("ids:100:100").error().kind, ErrorKind::invalid_input);
}

TEST(Tokenizer, AFileThatIsCutOffIsRefused) {
    const std::string json = tiny_tokenizer_json().dump();
    for (std::size_t size = 1; size < json.size(); size += 97)
        EXPECT_FALSE(read_tokenizer(json.substr(0, size), "x").has_value()) << size;
    const std::string ranks = tiny_ranks();
    const std::size_t bytes_end = ranks.find(" 255\n");
    for (std::size_t size = 1; size < bytes_end; size += 13)
        EXPECT_FALSE(read_tokenizer(ranks.substr(0, size), "x", {.pattern = "gpt2"}).has_value()) << size;
    // Any byte changed: refused, or a tokenizer that keeps its promises.
    Random random(1, "fuzz");
    for (int i = 0; i < 200; ++i) {
        std::string changed = json;
        changed[random.below(changed.size())] = static_cast<char>(random.below(256));
        const Result<Made> made = read_tokenizer(changed, "x");
        if (made && (*made)->info().loss.empty()) {
            EXPECT_EQ((*made)->decode((*made)->encode("the weaver").ids), "the weaver");
        }
    }
}

TEST(Tokenizer, FitsOrSaysWhyNot) {
    const Made tokenizer = read(tiny_tokenizer_json().dump());
    EXPECT_TRUE(check_fit(tokenizer->info(), 269, "vocab").empty());
    ASSERT_EQ(check_fit(tokenizer->info(), 268, "vocab").size(), 1U);
    EXPECT_EQ(
        check_fit(tokenizer->info(), 268, "vocab")[0].message(),
        "vocab: must be at least 269, the vocabulary of the huggingface tokenizer tokenizer.file, got 268");
    EXPECT_TRUE(check_same(tokenizer->info(), tokenizer->info(), "tokenizer").empty());
    EXPECT_EQ(check_same(tokenizer->info(), byte_tokenizer()->info(), "tokenizer").size(), 1U);
    EXPECT_NE(read(tiny_tokenizer_json().dump(), {.bos = "<|endoftext|>"})->info().hash,
              tokenizer->info().hash);
    const Checked<TokenizerInfo> again = tokenizer_info_from_json(to_json(tokenizer->info()));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(to_json(*again), to_json(tokenizer->info()));
}

TEST(Tokenizer, AFolderAndItsConfigAreFound) {
    TemporaryFolder folder;
    write_text(folder / "tokenizer.json", tiny_tokenizer_json().dump());
    write_text(folder / "tokenizer_config.json",
               R"({"bos_token": {"content": "<|endoftext|>"}, "eos_token": "<|endoftext|>"})");
    const Result<Made> made = open_tokenizer(folder.path());
    ASSERT_TRUE(made.has_value()) << describe(made.error());
    EXPECT_EQ((*made)->info().bos, 268);
    EXPECT_EQ((*made)->info().options.bos, "<|endoftext|>") << "recorded";
}

TEST(Tokenizer, ManyThreadsGetTheSame) {
    const Made tokenizer = read(tiny_tokenizer_json().dump());
    std::string text;
    for (int i = 0; i < 200; ++i)
        for (const std::string& one : hostile_texts()) text += one;
    const std::vector<std::int32_t> ids = tokenizer->encode(text).ids;
    std::vector<std::thread> threads;
    std::array<bool, 4> same{};
    for (std::size_t i = 0; i < same.size(); ++i)
        threads.emplace_back([&, i] { same[i] = tokenizer->encode(text).ids == ids; });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(same, (std::array<bool, 4>{true, true, true, true}));
}

// The obvious way: look at all pairs, merge the best, start again.
std::vector<std::int32_t> merge_obviously(const PairTable& merges, std::vector<std::int32_t> word) {
    for (;;) {
        std::size_t best = 0;
        Merge merge;
        for (std::size_t i = 0; i + 1 < word.size(); ++i)
            if (const Merge one = merges.find(word[i], word[i + 1]); one.rank < merge.rank) {
                merge = one;
                best = i;
            }
        if (merge.rank == Merge::none) return word;
        word[best] = merge.id;
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

TEST(BpeMerge, ShortAndLongWordsMergeAsTheObviousWay) {
    Random random(3, "merges");
    for (int round = 0; round < 60; ++round) {
        const std::uint64_t letters = 2 + random.below(4);
        PairTable merges;
        std::int32_t next = static_cast<std::int32_t>(letters);
        for (std::uint32_t rank = 0; rank < 40; ++rank)
            merges.set(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(next))),
                       static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(next))),
                       {rank, next++});
        for (const std::size_t length : {0U, 1U, 2U, 7U, 63U, 64U, 65U, 300U}) {
            std::vector<std::int32_t> word;
            std::vector<BpeSymbol> symbols;
            for (std::size_t i = 0; i < length; ++i) {
                word.push_back(static_cast<std::int32_t>(random.below(letters)));
                symbols.push_back({word.back(), 1});
            }
            merge_word(merges, symbols);
            std::vector<std::int32_t> merged;
            std::size_t bytes = 0;
            for (const BpeSymbol& symbol : symbols) {
                merged.push_back(symbol.id);
                bytes += symbol.bytes;
            }
            EXPECT_EQ(merged, merge_obviously(merges, word));
            EXPECT_EQ(bytes, length);
        }
    }
}

TEST(SplitPattern, EnginesDifferencesAreRewritten) {
    const auto pieces = [](const char* pattern, std::string_view text, RegexDialect dialect) {
        std::vector<TextPiece> found;
        SplitPattern::compile(pattern, dialect).value().find_all(text, found);
        std::vector<std::string> words;
        for (const TextPiece& one : found) words.emplace_back(text.substr(one.begin, one.end - one.begin));
        return words;
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(pieces(R"(\s+)", "a\xE1\xA0\x8E b", RegexDialect::rust), Words{" "})
        << "U+180E is no white space";
    EXPECT_EQ(pieces(R"(\w+)", "e\xCC\x81x!", RegexDialect::rust), Words{"e\xCC\x81x"})
        << "marks are of words";
    EXPECT_EQ(pieces(R"(a$)", "a\na\n", RegexDialect::oniguruma), (Words{"a", "a"}));
    EXPECT_EQ(pieces(R"(a$)", "a\na", RegexDialect::rust), Words{"a"});
    EXPECT_EQ(pieces(R"(x*)", "axxa", RegexDialect::rust), Words{"xx"}) << "empty matches are none";
    for (const char* bad : {"[a&&b]", "[a[b]]", "(?<n>a)", "\\Ga", "[^\\S]", "(a"})
        EXPECT_FALSE(SplitPattern::compile(bad, RegexDialect::rust).has_value()) << bad;
}

}  // namespace
}  // namespace braid
