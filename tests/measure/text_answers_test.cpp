// When an answer in text has ended, and what of it counts.
#include "core/measure/text_answers.h"

#include <gtest/gtest.h>

#include "tests/measure/small_model.h"

namespace braid::testing {
namespace {

std::vector<std::int32_t> ids_of(const Tokenizer& tokenizer, const std::string& text) {
    std::vector<std::int32_t> ids;
    tokenizer.encode(text, SpecialText::as_text, ids);
    return ids;
}

TEST(TextAnswers, ALineEndsOnlyAfterSomethingWasSaid) {
    const auto tokenizer = open_tokenizer("byte").value();
    const QuestionOptions line = text_answers(*tokenizer, StopAt::end_of_line);
    for (const char* open : {"\n", "\r\n\n", "\nkitchen", "kitchen"})
        EXPECT_FALSE(line.ended(ids_of(*tokenizer, open))) << open;
    for (const char* over : {"kitchen\n", "\n\nkitchen\r"})
        EXPECT_TRUE(line.ended(ids_of(*tokenizer, over))) << over;
    for (const std::int32_t id : ids_of(*tokenizer, "\r\n"))
        EXPECT_FALSE(line.stops[static_cast<std::size_t>(id)])
            << "a line break is no stop: it would be dropped";
    EXPECT_EQ(line.text(ids_of(*tokenizer, "\r\n\nthe kitchen\nor not")), "the kitchen");
    EXPECT_EQ(line.text(ids_of(*tokenizer, "\n")), "");
    const QuestionOptions whole = text_answers(*tokenizer, StopAt::end_of_document);
    EXPECT_FALSE(whole.ended);
    EXPECT_EQ(whole.text(ids_of(*tokenizer, "\none\ntwo")), "\none\ntwo");
}

}  // namespace
}  // namespace braid::testing
