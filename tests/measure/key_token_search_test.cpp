// Key tokens of a small model against the definition, written out token by token.
#include "core/measure/key_token_search.h"

#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include "tests/measure/small_model.h"

namespace braid::testing {
namespace {

// Loss of ids[at] after ids[from..at).
double loss_after(Model& model, std::vector<std::int32_t> ids, std::int64_t from, std::int64_t at) {
    std::vector<std::int32_t> inputs(ids.begin() + from, ids.begin() + at), targets(inputs.size(), no_target);
    targets.back() = ids[std::size_t(at)];
    const auto rows = [&](std::vector<std::int32_t>& n) {
        return at::from_blob(n.data(), {1, std::int64_t(n.size())}, at::kInt);
    };
    return model.evaluate(rows(inputs), rows(targets)).loss_BT.sum().item().toDouble();
}

TEST(KeyTokenSearch, FollowsTheDefinition) {
    const auto tokenizer = open_tokenizer("byte").value();
    const auto model = small_model(tokenizer->info().vocab);
    const KeyTokenRule rule{
        .context = 40, .short_context = 8, .advance = 4, .gain = 0.02, .sure = 5.6, .fewest = 1};
    std::vector<KeySample> samples = {{.text = "The whale, the whale: and the sea, the sea!"},
                                      {.text = "short"}};
    ASSERT_TRUE(find_key_tokens(*model, *tokenizer, rule, samples));

    std::vector<std::int32_t> ids;
    if (tokenizer->info().document_token() >= 0) ids.push_back(tokenizer->info().document_token());
    const std::size_t opening = ids.size();
    tokenizer->encode(samples[0].text, SpecialText::as_text, ids);
    ids.resize(std::size_t(rule.context) + 1);
    std::vector<bool> key(samples[0].text.size(), false);
    int keys = 0;
    for (std::int64_t input = rule.short_context - 1; input < rule.context; ++input) {
        const std::int64_t start = (input + 1 - rule.short_context) / rule.advance * rule.advance;
        const double full = loss_after(*model, ids, 0, input + 1);
        const double in_short = loss_after(*model, ids, start, input + 1);
        if (in_short - full > rule.gain && full < rule.sure) {
            key[std::size_t(input) + 1 - opening] = true;
            ++keys;
        }
    }
    EXPECT_GT(keys, 2) << "the test needs some";
    EXPECT_LT(keys, 30);
    std::vector<bool> found(samples[0].text.size(), false);
    for (const TokenSpan span : samples[0].spans)
        for (std::uint32_t i = span.begin; i < span.end; ++i) found[i] = true;
    EXPECT_EQ(found, key);
    EXPECT_TRUE(samples[1].spans.empty()) << "a text within the short context has no key token";
}

TEST(KeyTokenSearch, ATokenizerThatDoesNotFitIsRefused) {
    const auto tokenizer = open_tokenizer("byte").value();
    const auto model = small_model(64);
    std::vector<KeySample> samples = {{.text = "text"}};
    const auto done = find_key_tokens(*model, *tokenizer, {.context = 40, .short_context = 8}, samples);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::invalid_input);
}

}  // namespace
}  // namespace braid::testing
