// Likelihoods of options against the definition, one token after the other.
#include "core/measure/choice_likelihood.h"

#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include "core/data/batch.h"
#include "tests/measure/small_model.h"

namespace braid::testing {
namespace {

double by_definition(Model& model, const Tokenizer& tokenizer, const std::string& context,
                     const std::string& option) {
    std::vector<std::int32_t> ids;
    if (tokenizer.info().document_token() >= 0) ids.push_back(tokenizer.info().document_token());
    tokenizer.encode(context, SpecialText::as_text, ids);
    std::vector<std::int32_t> wanted;
    tokenizer.encode(option, SpecialText::as_text, wanted);
    double sum = 0;
    for (const std::int32_t token : wanted) {
        std::vector<std::int32_t> targets(ids.size(), no_target);
        targets.back() = token;
        const auto rows = [&](std::vector<std::int32_t>& n) {
            return at::from_blob(n.data(), {1, static_cast<std::int64_t>(n.size())}, at::kInt);
        };
        sum -= model.evaluate(rows(ids), rows(targets)).loss_BT.sum().item().toDouble();
        ids.push_back(token);
    }
    return sum;
}

TEST(ChoiceLikelihood, IsTheSumOverTheOptionsTokens) {
    const auto tokenizer = open_tokenizer("byte").value();
    const auto model = small_model(tokenizer->info().vocab);
    const std::vector<ChoiceItem> items = {{.context = "The sea is", .choices = {"blue", "made of stone"}},
                                           {.context = "One, two, ", .choices = {"three", "3", "cat"}}};
    const auto found = option_likelihoods(*model, *tokenizer, items, 128);
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_NEAR((*found)[0][0].log_likelihood, by_definition(*model, *tokenizer, "The sea is", " blue"),
                1e-4);
    EXPECT_NEAR((*found)[0][1].log_likelihood,
                by_definition(*model, *tokenizer, "The sea is", " made of stone"), 1e-4);
    EXPECT_NEAR((*found)[1][2].log_likelihood, by_definition(*model, *tokenizer, "One, two, ", "cat"), 1e-4)
        << "there is a blank already";
    EXPECT_EQ((*found)[0][1].tokens, 14);
    EXPECT_EQ((*found)[0][1].bytes, 13);
    EXPECT_FALSE((*found)[0][0].cut);
}

TEST(ChoiceLikelihood, ALongContextLosesItsBeginning) {
    const auto tokenizer = open_tokenizer("byte").value();
    const auto model = small_model(tokenizer->info().vocab);
    const std::vector<ChoiceItem> items = {{.context = "0123456789abcdef", .choices = {"xy", "z"}}};
    const auto found = option_likelihoods(*model, *tokenizer, items, 9);
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_TRUE((*found)[0][0].cut);
    EXPECT_EQ((*found)[0][0].tokens, 3);
    const auto refused = option_likelihoods(*model, *tokenizer, items, 2);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("questions[0].choices[0]"), std::string::npos);
}

TEST(ChoiceLikelihood, TheLengthDecides) {
    const std::vector<OptionLikelihood> options = {{.log_likelihood = -4, .tokens = 1, .bytes = 2},
                                                   {.log_likelihood = -6, .tokens = 2, .bytes = 4},
                                                   {.log_likelihood = -6.5, .tokens = 4, .bytes = 4}};
    EXPECT_EQ(best_option(options, LikelihoodLength::none), 0);
    EXPECT_EQ(best_option(options, LikelihoodLength::bytes), 1);
    EXPECT_EQ(best_option(options, LikelihoodLength::tokens), 2);
}

}  // namespace
}  // namespace braid::testing
