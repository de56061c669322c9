// Marks of free answers against values worked out by hand.
#include "core/measure/answer_metrics.h"

#include <gtest/gtest.h>

#include "core/measure/task_file.h"
#include "tests/base/temporary_folder.h"

namespace braid::testing {
namespace {

TEST(AnswerMetrics, TokenF1) {
    // said {cat, sat, on, mat}, wanted {cat, sat}: precision 2/4, recall 2/2.
    EXPECT_DOUBLE_EQ(token_f1("The cat sat on a mat!", {.answers = {"a cat, sat."}}), 2.0 / 3);
    EXPECT_EQ(token_f1("THE Eiffel-Tower", {.answers = {"eiffeltower"}}), 1) << "punctuation is left out";
    // A word counts as often as both have it: said {no, no, no}, wanted {no, yes}: 1/3 and 1/2.
    EXPECT_DOUBLE_EQ(token_f1("no no no", {.answers = {"no yes"}}), 2 * (1.0 / 3) * 0.5 / (1.0 / 3 + 0.5));
    EXPECT_EQ(token_f1("x", {.answers = {"y", "x"}}), 1) << "the best reference";
    EXPECT_EQ(token_f1("", {.answers = {"y"}}), 0);
    EXPECT_EQ(token_f1("the", {.answers = {"the"}}), 0) << "nothing is left of an article";
}

TEST(AnswerMetrics, RougeL) {
    // Longest common subsequence of "police killed the gunman" and "police kill the gunman": 3 of 4 and 4.
    EXPECT_DOUBLE_EQ(rouge_l("police kill the gunman", {.answers = {"police killed the gunman"}}), 0.75);
    // "the gunman kill police": the gunman, 2 of 4.
    EXPECT_DOUBLE_EQ(rouge_l("the gunman kill police", {.answers = {"police killed the gunman"}}), 0.5);
    // 2 of 3 said, 2 of 5 wanted: 2 * (2/3) * (2/5) / (2/3 + 2/5) = 1/2.
    EXPECT_DOUBLE_EQ(rouge_l("a b x", {.answers = {"q a w b e"}}), 0.5);
    EXPECT_EQ(rouge_l("A B", {.answers = {"a b"}}), 0) << "case counts";
    // Different words: {a, b} said, {a, c} wanted.
    EXPECT_DOUBLE_EQ(rouge_l("a a a b", {.answers = {"a c c"}}), 0.5);
    // Sentences in another order: all words are common, though no subsequence of the whole has them.
    EXPECT_EQ(rouge_l("it rained. we left.", {.answers = {"we left. it rained"}}), 1);
    // The union over sentences: "w1 w2" and "w1 w3 w5" of "w1 w2 w3 w4 w5", 4 of 8 said and of 5.
    EXPECT_DOUBLE_EQ(rouge_l("w1 w2 w6 w7. w1 w3 w8 w9 w5", {.answers = {"w1 w2 w3 w4 w5"}}), 8.0 / 13);
    EXPECT_EQ(rouge_l("", {.answers = {"a"}}), 0);
}

TEST(AnswerMetrics, ClassificationAccuracy) {
    const References references{.answers = {"Sports news"},
                                .classes = {"Sports", "Sports news", "Weather", "Politics"}};
    EXPECT_EQ(classification_accuracy("It is Sports news.", references), 1)
        << "Sports is a part of the right name";
    EXPECT_EQ(classification_accuracy("Sports news or Weather", references), 0.5);
    EXPECT_EQ(classification_accuracy("Sports", references), 0);
    EXPECT_EQ(classification_accuracy("Sports news, Weather, Politics", references), 1.0 / 3);
    EXPECT_EQ(classification_accuracy("yesterday", {.answers = {"yes"}}), 0) << "without classes nothing is";
}

TEST(AnswerMetrics, EditSimilarity) {
    // kitten, sitting: "ittn" is common, 2 * 4 / 13.
    EXPECT_DOUBLE_EQ(edit_similarity("kitten", {.answers = {"sitting"}}), 0.62);
    EXPECT_EQ(edit_similarity("\nreturn x;\nmore", {.answers = {"return x;"}}), 1) << "the first line alone";
    EXPECT_EQ(edit_similarity("```cpp\n// so:\n# or\nreturn x;", {.answers = {"return x;"}}), 1);
    EXPECT_DOUBLE_EQ(edit_similarity("ab", {.answers = {"ab\ncd"}}), 0.57) << "the whole reference";
    EXPECT_DOUBLE_EQ(edit_similarity("\u00e4b", {.answers = {"\u00f6b"}}), 0.5) << "characters, not bytes";
    EXPECT_EQ(edit_similarity("", {.answers = {"abc"}}), 0);
    EXPECT_DOUBLE_EQ(edit_similarity("ab", {.answers = {"ba"}}), 0.5);
}

TEST(AnswerMetrics, AreFoundByName) {
    for (const char* id : {"f1", "rouge_l", "accuracy", "edit_similarity"}) {
        ASSERT_NE(find_answer_metric(id), nullptr) << id;
        EXPECT_EQ(find_answer_metric(id)->mark("same", {.answers = {"same"}, .classes = {"same"}}), 1) << id;
        EXPECT_EQ(find_answer_metric(id)->mark("xyz", {.answers = {"cab"}}), 0) << id;
    }
    EXPECT_EQ(find_answer_metric("bleu"), nullptr);
}

TEST(TaskFile, ChoicesByNumberAndByText) {
    const TemporaryFolder folder;
    write_text(
        folder / "q.jsonl",
        "{\"context\": \"Two and two are\", \"choices\": [\"four\", \"five\"], \"answer\": 0, \"id\": 7}\n\n"
        "{\"context\": \"Water is\", \"choices\": [\"dry\", \"wet\"], \"answer\": \"wet\"}\n");
    const auto items = read_choice_file(folder / "q.jsonl");
    ASSERT_TRUE(items) << describe(items.error());
    ASSERT_EQ(items->size(), 2U);
    EXPECT_EQ((*items)[1].answer, 1);
    EXPECT_EQ(task_name(folder / "q.jsonl"), "q");
}

TEST(TaskFile, FilesOfOneNameAreRefused) {
    const auto named = check_task_names(std::vector<std::string>{"a/q.jsonl", "x.jsonl", "b/q.json"});
    ASSERT_FALSE(named);
    EXPECT_EQ(named.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(named.error().message.find("a/q.jsonl and b/q.json"), std::string::npos)
        << named.error().message;
    EXPECT_TRUE(check_task_names(std::vector<std::string>{"a/q.jsonl", "a/r.jsonl"}));
}

TEST(TaskFile, EveryWrongLineIsNamed) {
    const TemporaryFolder folder;
    write_text(folder / "q.jsonl",
               "{\"context\": \"x\", \"choices\": [\"a\"], \"answer\": 0}\n{\"choices\": [\"a\", 3], "
               "\"answer\": 0}\n{\n"
               "{\"context\": \"x\", \"choices\": [\"a\", \"b\"], \"answer\": 2}\n"
               "{\"context\": \"x\", \"choices\": [\"a\", \"b\"], \"answer\": \"c\"}\n[]\n");
    const auto items = read_choice_file(folder / "q.jsonl");
    ASSERT_FALSE(items);
    EXPECT_EQ(items.error().kind, ErrorKind::invalid_input);
    for (const char* place :
         {"line 1.choices: must be at least two", "line 2.context: must be given",
          "line 2.choices: must hold texts only", "line 3", "line 4.answer: must be at most 1, got 2",
          "line 5.answer: must be one of the choices", "line 6"})
        EXPECT_NE(items.error().message.find(place), std::string::npos) << place << "\n"
                                                                        << items.error().message;
    write_text(folder / "empty.jsonl", "\n");
    EXPECT_FALSE(read_reading_file(folder / "empty.jsonl"));
    write_text(folder / "r.jsonl",
               "{\"context\": \"c\", \"input\": null, \"answers\": [], \"all_classes\": null}\n");
    const auto reading = read_reading_file(folder / "r.jsonl");
    ASSERT_FALSE(reading);
    EXPECT_NE(reading.error().message.find("line 1.answers: must hold an answer"), std::string::npos);
}

}  // namespace
}  // namespace braid::testing
