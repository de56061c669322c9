#include "core/data/key_tokens.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/base/temporary_folder.h"

namespace braid::testing {
namespace {

std::shared_ptr<const Tokenizer> bytes() { return open_tokenizer("byte").value(); }

KeyTokens small_keys() {
    return {
        .rule = {.context = 8, .short_context = 2, .advance = 1, .fewest = 2},
        .tokenizer = bytes()->info(),
        .samples = {{.text = "abcdefgh", .spans = {{2, 4}, {6, 7}}}, {.text = "xyzäq", .spans = {{3, 5}}}}};
}

TEST(KeyTokens, RoundTrip) {
    const KeyTokens keys = small_keys();
    const auto read = key_tokens_from_json(to_json(keys));
    ASSERT_TRUE(read) << to_error(read.error()).message;
    EXPECT_EQ(read->samples, keys.samples);
    EXPECT_EQ(read->rule, keys.rule);
}

TEST(KeyTokens, EveryProblemOfAFileIsNamed) {
    Json json = to_json(small_keys());
    json["rule"]["short_context"] = 9;
    json["samples"][0]["spans"] = Json::array({Json::array({4, 2})});
    json["samples"][1]["spans"] = Json::array({Json::array({3, 99})});
    json["colour"] = 1;
    const auto read = key_tokens_from_json(json);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().size(), 4U);
}

TEST(KeyTokens, ArePositionsWhoseTargetLiesWhollyInASpan) {
    const auto tokenizer = bytes();
    const LongTextSet set = make_long_text_set(small_keys(), *tokenizer, 8);
    const bool opens = tokenizer->info().document_token() >= 0;
    const std::int32_t shift = opens ? 0 : -1;  // the document token is one more input
    EXPECT_EQ(set.keys[0], (std::vector<std::int32_t>{2 + shift, 3 + shift, 6 + shift}));
    for (std::size_t b = 0; b < 2; ++b)
        for (const std::int32_t position : set.keys[b]) {
            const std::int32_t target = set.batch.targets_BT[b * 8 + std::size_t(position)];
            EXPECT_GE(target, 0);
        }
    EXPECT_EQ(set.batch.targets_BT[std::size_t(2 + shift)], 'c');
}

// Two bytes of one character, and a token that covers more than the span: neither half counts.
TEST(KeyTokens, MapToAnotherTokenizerThroughTheText) {
    const LongTextSet cut = make_long_text_set(small_keys(), *bytes(), 4);
    EXPECT_EQ(cut.batch.context, 4);
    const bool opens = bytes()->info().document_token() >= 0;
    EXPECT_EQ(cut.cut_texts, 2) << "eight bytes, and six";
    EXPECT_EQ(cut.cut_spans, opens ? 2 : 1) << "{6, 7}, and where a token less fits {3, 5}";
    const LongTextSet whole = make_long_text_set(small_keys(), *bytes(), 8);
    EXPECT_EQ(whole.cut_texts, 0);
    EXPECT_EQ(whole.cut_spans, 0);
    for (const auto& positions : cut.keys)
        for (const std::int32_t position : positions) EXPECT_LT(position, 4);
}

// By hand: samples with 3 and 2 key tokens, losses 1, 2, 3 and 4, 6: (1 + 2 + 3 + 4 + 6) / 5.
TEST(LongPpl, IsTheKeyTokenWeightedMeanInLogSpace) {
    LongTextSet set{.batch = {.sequences = 3, .context = 4, .tokens_BT = {}, .targets_BT = {}},
                    .keys = {{0, 1, 2}, {1, 3}, {0}},
                    .fewest = 2};
    set.batch.tokens_BT.assign(12, 0);
    set.batch.targets_BT.assign(12, 1);
    const std::vector<float> loss = {1, 2, 3, 9, 9, 4, 9, 6, 100, 9, 9, 9};
    const LongPpl score = score_longppl(set, loss);
    EXPECT_DOUBLE_EQ(score.log_longppl, 16.0 / 5);
    EXPECT_EQ(score.samples, 2);
    EXPECT_EQ(score.samples_given, 3);
    EXPECT_EQ(score.key_tokens, 5);
    // The same as the weighted mean over samples of log(exp(mean loss)).
    EXPECT_DOUBLE_EQ(score.log_longppl, (3 * std::log(std::exp(2.0)) + 2 * std::log(std::exp(5.0))) / 5);
    set.fewest = 4;
    EXPECT_TRUE(std::isnan(score_longppl(set, loss).log_longppl));
}

TEST(KeyTokens, WhatAFileCannotHoldIsRefusedBeforeTheSearch) {
    const std::vector<KeySample> large(500, {.text = std::string(4'096, 'x'), .spans = {}});
    const auto refused = check_key_file_size(large, 16'384);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(refused.error().message.find("samples: must fit"), std::string::npos)
        << refused.error().message;
    EXPECT_NE(refused.error().hint.find("fewer --samples"), std::string::npos);
    // What passes is read again, with every second token key.
    KeyTokens keys = small_keys();
    keys.samples = {{.text = std::string(std::size_t{1} << 14, 'x'), .spans = {}}};
    ASSERT_TRUE(check_key_file_size(keys.samples, 1 << 14));
    for (std::uint32_t at = 0; at < 1U << 14U; at += 2) keys.samples[0].spans.push_back({at, at + 1});
    const TemporaryFolder folder;
    ASSERT_TRUE(write_key_tokens(folder / "keys.json", keys));
    const auto again = read_key_tokens(folder / "keys.json");
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_EQ(again->samples[0].spans.size(), keys.samples[0].spans.size());
}

TEST(KeyTokenRule, SaysWhatIsWrong) {
    EXPECT_TRUE(validate(KeyTokenRule{}).empty());
    EXPECT_EQ(
        validate(KeyTokenRule{.context = 4, .short_context = 4, .advance = 0, .sure = 0, .fewest = 0}).size(),
        4U);
}

}  // namespace
}  // namespace braid::testing
