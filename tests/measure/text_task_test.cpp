// Generated questions over long texts: what RULER and BABILong ask, looked at as a reader would.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/measure/babilong.h"
#include "core/measure/ruler/needles.h"
#include "core/measure/ruler/qa_file.h"
#include "core/measure/ruler/tasks.h"
#include "tests/base/temporary_folder.h"

namespace braid::testing {
namespace {

std::int64_t bytes_of(const std::string& text) { return static_cast<std::int64_t>(text.size()) + 1; }

std::shared_ptr<const QaSet> small_qa() {
    auto set = std::make_shared<QaSet>();
    for (int i = 0; i < 30; ++i) {
        const std::string n = std::to_string(i);
        set->paragraphs.push_back("Town " + n + " has " + std::to_string(100 + i) + " houses.");
        set->items.push_back({.question = "How many houses has town " + n + "?",
                              .answers = {std::to_string(100 + i)},
                              .support = {static_cast<std::size_t>(i)}});
    }
    return set;
}

TextSources all_sources() {
    TextSources sources;
    for (int i = 0; i < 300; ++i)
        sources.essay +=
            "It was chapter " + std::to_string(i) + ", and the sea was calm. Nobody said much!\n";
    sources.single_hop = sources.multi_hop = small_qa();
    return sources;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

class EveryRulerTask : public ::testing::TestWithParam<std::string> {
protected:
    const TextTask& task() const { return *find_ruler_task(GetParam()); }
    TextSources sources_ = all_sources();
};

TEST_P(EveryRulerTask, FillsTheLengthAndNeverExceedsIt) {
    TextSizer sizer(task(), bytes_of);
    for (const std::int64_t length : {3'000, 12'000})
        for (std::int64_t index = 0; index < 6; ++index) {
            const auto question = sizer.question({.sources = sources_, .length = length, .index = index});
            ASSERT_TRUE(question) << describe(question.error());
            const std::int64_t used = bytes_of(question->prompt) + task().new_tokens;
            EXPECT_LE(used, length);
            // Thirty short documents are all that the questions have.
            if (!GetParam().starts_with("qa")) {
                EXPECT_GT(used, length * 85 / 100) << GetParam() << " " << length << " " << index;
            }
        }
}

TEST_P(EveryRulerTask, IsAPureFunctionOfSeedAndIndex) {
    TextSizer one(task(), bytes_of), other(task(), bytes_of);
    const TextRequest request{.sources = sources_, .length = 3'000, .index = 3};
    const TextQuestion question = one.question(request).value();
    // Whatever was asked before.
    (void)other.question({.sources = sources_, .length = 3'000, .index = 1});
    const TextQuestion again = other.question(request).value();
    EXPECT_EQ(question.prompt, again.prompt);
    EXPECT_EQ(question.expected, again.expected);
    TextRequest next = request, seed = request;
    next.index = 4;
    seed.seed = 43;
    EXPECT_NE(one.question(next)->prompt, question.prompt);
    EXPECT_NE(one.question(seed)->prompt, question.prompt);
}

TEST_P(EveryRulerTask, TheAnswerStandsInThePromptAndIsMarkedRight) {
    TextSizer sizer(task(), bytes_of);
    const TextQuestion question = sizer.question({.sources = sources_, .length = 3'000}).value();
    std::string answer = " certainly: ";
    for (const std::string& wanted : question.expected) {
        EXPECT_NE(question.prompt.find(wanted), std::string::npos) << wanted << "\n" << question.prompt;
        answer += wanted + ", ";
    }
    for (char& c : answer) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(task().mark(answer, question), 1) << "letters are compared without case";
    EXPECT_EQ(task().mark("no idea", question), 0);
    EXPECT_FALSE(question.question.empty());
    EXPECT_NE(question.prompt.find(question.question), std::string::npos);
}

TEST_P(EveryRulerTask, ALengthThatIsTooShortSaysWhatItNeeds) {
    TextSizer sizer(task(), bytes_of);
    const auto question = sizer.question({.sources = sources_, .length = 60});
    ASSERT_FALSE(question);
    EXPECT_NE(question.error().message.find(GetParam() + ": needs a length of at least"), std::string::npos)
        << question.error().message;
}

TEST(TextSizer, ALongSampleIsLeftAloneAndTheOthersFillTheLength) {
    // Samples 0 and 3 have a question of 500 bytes.
    const TextTask task{
        .id = "t", .new_tokens = 1, .make = [](const TextRequest& request, std::int64_t size) {
            const bool is_long = request.index % 3 == 0;
            return TextQuestion{.prompt = std::string(std::size_t(size), 'x') +
                                          std::string(is_long ? 500 : 5, '?')};
        }};
    const TextSources none;
    const auto ask = [&](TextSizer& sizer, std::int64_t index) {
        return sizer.question({.sources = none, .length = 100, .index = index});
    };
    TextSizer in_order(task, bytes_of), later(task, bytes_of);
    const auto first = ask(in_order, 0);
    ASSERT_FALSE(first);
    EXPECT_NE(first.error().message.find("at least 503"), std::string::npos) << first.error().message;
    const auto second = ask(in_order, 1);
    ASSERT_TRUE(second) << describe(second.error());
    EXPECT_EQ(bytes_of(second->prompt) + 1, 100);
    EXPECT_FALSE(ask(in_order, 3));
    EXPECT_EQ(ask(in_order, 4)->prompt, ask(later, 4)->prompt) << "whatever was asked before";
}

std::vector<std::string> ids() {
    std::vector<std::string> ids;
    for (const TextTask& task : ruler_tasks()) ids.push_back(task.id);
    return ids;
}
INSTANTIATE_TEST_SUITE_P(Ruler, EveryRulerTask, ::testing::ValuesIn(ids()),
                         [](const auto& one) { return one.param; });

TEST(Ruler, HasTheThirteenTasksOfThePaperEightWithNeedles) {
    EXPECT_EQ(ids(),
              (std::vector<std::string>{"niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1",
                                        "niah_multikey_2", "niah_multikey_3", "niah_multivalue",
                                        "niah_multiquery", "vt", "cwe", "fwe", "qa_1", "qa_2"}));
    EXPECT_EQ(
        std::count_if(ruler_tasks().begin(), ruler_tasks().end(), [](const auto& t) { return t.needle; }), 8);
    const std::map<std::string, std::int64_t> new_tokens = {
        {"niah_single_1", 128}, {"vt", 30}, {"cwe", 120}, {"fwe", 50}, {"qa_1", 32}, {"qa_2", 32}};
    for (const auto& [id, tokens] : new_tokens) EXPECT_EQ(find_ruler_task(id)->new_tokens, tokens) << id;
}

TEST(Ruler, WithoutATextOrQuestionsTheTasksHaveNoData) {
    const TextSources none;
    std::set<std::string> missing;
    for (const TextTask& task : ruler_tasks())
        if (!task.missing(none).empty()) missing.insert(task.id);
    EXPECT_EQ(missing, (std::set<std::string>{"niah_single_2", "niah_single_3", "niah_multikey_1",
                                              "niah_multivalue", "niah_multiquery", "qa_1", "qa_2"}));
    for (const TextTask& task : ruler_tasks()) EXPECT_EQ(task.missing(all_sources()), "") << task.id;
}

TEST(Ruler, NeedlesAreAsManyAsTheVariantSays) {
    const TextSources sources = all_sources();
    const auto prompt = [&](const char* id) { return find_ruler_task(id)->make({.sources = sources}, 400); };
    const std::map<std::string, std::pair<std::size_t, std::size_t>> counts = {
        // needles, expected
        {"niah_single_1", {1, 1}},   {"niah_single_3", {1, 1}},   {"niah_multikey_1", {4, 1}},
        {"niah_multivalue", {4, 4}}, {"niah_multiquery", {4, 4}}, {"niah_multikey_2", {401, 1}}};
    for (const auto& [id, count] : counts) {
        const TextQuestion question = prompt(id.c_str());
        EXPECT_EQ(count_of(question.prompt, "A special magic "), count.first) << id;
        EXPECT_EQ(question.expected.size(), count.second) << id;
        EXPECT_EQ(question.depth.has_value(), count.second == 1) << id;
    }
    EXPECT_EQ(prompt("niah_single_3").expected[0].size(), 36U);
    EXPECT_EQ(prompt("niah_single_1").expected[0].size(), 7U);
}

TEST(Ruler, ANeedleLiesAtTheDepthThatIsAskedFor) {
    const TextSources sources = all_sources();
    for (const char* id : {"niah_single_1", "niah_single_2", "niah_multikey_2"})
        for (const double depth : {0.0, 0.25, 0.5, 1.0}) {
            const TextQuestion question =
                find_ruler_task(id)->make({.sources = sources, .depth = depth}, 400);
            const double begin = double(question.prompt.find('\n')),
                         end = double(question.prompt.rfind('\n'));
            const double at = double(question.prompt.find(question.expected[0]));
            EXPECT_NEAR((at - begin) / (end - begin), depth, 0.03) << id;
            EXPECT_NEAR(*question.depth, depth, 0.02);
        }
}

TEST(Ruler, EssayNeedlesStandAtFortyEvenDepths) {
    const TextSources sources = all_sources();
    std::set<double> depths;
    for (std::int64_t i = 0; i < 400; ++i)
        depths.insert(*find_ruler_task("niah_single_2")->make({.sources = sources, .index = i}, 4'000).depth);
    EXPECT_EQ(depths.size(), 40U);
    EXPECT_EQ(*depths.begin(), 0);
    EXPECT_EQ(*depths.rbegin(), 1);
}

TEST(Ruler, ATextWithoutAsciiSentencesHasPlacesForNeedlesToo) {
    std::string chinese, endless, joined;
    for (int i = 0; i < 400; ++i) {
        chinese += "\u6d77\u9762\u5e73\u9759\u3002\u6ca1\u6709\u4eba\u8bf4\u8bdd\uff01";  // no blanks
        endless += "and the sea was calm ";                                               // no ends
        joined += "\u6d77\u9762\u5e73\u9759";                                             // neither
    }
    for (const std::string& essay : {chinese, endless, joined}) {
        TextSources sources;
        sources.essay = essay;
        for (const double depth : {0.25, 0.5, 0.75}) {
            const TextQuestion question =
                find_ruler_task("niah_single_2")->make({.sources = sources, .depth = depth}, 400);
            EXPECT_NEAR(*question.depth, depth, 0.06) << essay.substr(0, 12);
        }
    }
    const std::vector<std::string> sentences = essay_sentences(chinese, 3);
    EXPECT_EQ(sentences, (std::vector<std::string>{"\u6d77\u9762\u5e73\u9759\u3002",
                                                   "\u6ca1\u6709\u4eba\u8bf4\u8bdd\uff01",
                                                   "\u6d77\u9762\u5e73\u9759\u3002"}));
    EXPECT_EQ(essay_sentences(joined, 2), (std::vector<std::string>{joined.substr(0, 126)}))
        << "twice 21 characters of three bytes, with no blank between them";
    EXPECT_EQ(essay_sentences("One two.  Three\n", 4), (std::vector<std::string>{"One two.", "Three One"}))
        << "as before";
}

TEST(Ruler, AChainIsAssignedBeforeItIsRead) {
    const TextSources sources;
    const TextQuestion question = find_ruler_task("vt")->make({.sources = sources}, 60);
    ASSERT_EQ(question.expected.size(), 5U) << "four hops";
    const std::string text = question.prompt.substr(question.prompt.find("\n\n"));
    std::size_t last = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        const std::string line =
            "VAR " + question.expected[i] + " = " + (i == 0 ? "" : "VAR " + question.expected[i - 1]);
        const std::size_t at = text.find(line);
        ASSERT_NE(at, std::string::npos) << line;
        EXPECT_GT(at, last);
        last = at;
    }
    EXPECT_EQ(count_of(question.prompt, "Follow the assignments"), 2U) << "one example";
}

TEST(Ruler, CommonWordsComeAsOftenAsThePaperSays) {
    const TextSources sources;
    for (const auto& [length, often, seldom] : {std::tuple{2'048, 6, 1}, std::tuple{8'192, 30, 3}}) {
        const TextQuestion question =
            find_ruler_task("cwe")->make({.sources = sources, .length = length}, 50);
        const std::string text = question.prompt.substr(question.prompt.find("\n\n"));
        std::istringstream words(text.substr(text.find("1. ")));
        std::map<std::string, int> counts;
        std::string number, word;
        for (int i = 1; words >> number >> word && number == std::to_string(i) + "."; ++i) ++counts[word];
        EXPECT_EQ(counts.size(), 60U);
        for (const auto& [name, count] : counts) {
            const bool common = std::find(question.expected.begin(), question.expected.end(), name) !=
                                question.expected.end();
            EXPECT_EQ(count, common ? often : seldom) << name;
        }
    }
}

TEST(Ruler, FrequentWordsFollowZipf) {
    const TextSources sources;
    const TextQuestion question = find_ruler_task("fwe")->make({.sources = sources, .length = 4'096}, 1'000);
    std::map<std::string, int> counts;
    std::istringstream words(question.prompt);
    for (std::string word; words >> word;) ++counts[word];
    // 1059 / zeta(2) / k^2 over 81 words: 649, 162, 72, 41.
    EXPECT_NEAR(counts["..."], 649, 2);
    ASSERT_EQ(question.expected.size(), 3U);
    EXPECT_NEAR(counts[question.expected[0]], 162, 2);
    EXPECT_NEAR(counts[question.expected[1]], 72, 2);
    EXPECT_NEAR(counts[question.expected[2]], 41, 2);
}

TEST(Ruler, AnyReferenceOfAQuestionCountsOnlyThere) {
    const TextQuestion question{.expected = {"Paris", "the capital"}};
    EXPECT_EQ(find_ruler_task("qa_1")->mark("PARIS.", question), 1);
    EXPECT_EQ(mark_share_found("PARIS.", question), 0.5);
}

TEST(Ruler, QuestionFilesOfBothForms) {
    const TemporaryFolder folder;
    write_text(folder / "squad.json",
               R"({"data": [{"title": "x", "paragraphs": [{"context": "The sea is blue.", "qas": [
                   {"question": "What is blue?", "answers": [{"text": "The sea"}, {"text": "The sea"}, {"text": "sea"}]},
                   {"question": "Who?", "answers": [], "is_impossible": true}]}]}]})");
    const auto squad = read_qa_file(folder / "squad.json");
    ASSERT_TRUE(squad) << describe(squad.error());
    EXPECT_FALSE(squad->multi_hop);
    ASSERT_EQ(squad->set.items.size(), 1U);
    EXPECT_EQ(squad->set.items[0].answers, (std::vector<std::string>{"The sea", "The sea", "sea"}))
        << "one of each annotator";
    write_text(folder / "hotpot.json",
               R"([{"question": "Q?", "answer": "yes", "supporting_facts": [["B", 0]],
                    "context": [["A", ["one. ", "two."]], ["B", ["three."]]]}])");
    const auto hotpot = read_qa_file(folder / "hotpot.json");
    ASSERT_TRUE(hotpot) << describe(hotpot.error());
    EXPECT_TRUE(hotpot->multi_hop);
    EXPECT_EQ(hotpot->set.paragraphs, (std::vector<std::string>{"A\none. two.", "B\nthree."}));
    EXPECT_EQ(hotpot->set.items[0].support, (std::vector<std::size_t>{0, 1})) << "distractors belong to it";
    write_text(folder / "unsupported.json",
               R"([{"question": "Q?", "answer": "yes", "supporting_facts": [["C", 0]],
                    "context": [["A", ["one."]]]}, {"question": "Q?", "answer": "no", "context": []}])");
    const auto unsupported = read_qa_file(folder / "unsupported.json");
    ASSERT_FALSE(unsupported);
    for (const char* place : {"[0].supporting_facts", "[1].context: must hold"})
        EXPECT_NE(unsupported.error().message.find(place), std::string::npos) << unsupported.error().message;
    write_text(folder / "bad.json", R"({"data": [{"paragraphs": [{"qas": 3}]}, 7]})");
    const auto bad = read_qa_file(folder / "bad.json");
    ASSERT_FALSE(bad);
    for (const char* place :
         {"data[0].paragraphs[0].context", "data[0].paragraphs[0].qas", "data[1].paragraphs"})
        EXPECT_NE(bad.error().message.find(place), std::string::npos) << bad.error().message;
    write_text(folder / "empty.json", "[]");
    EXPECT_EQ(read_qa_file(folder / "empty.json").error().kind, ErrorKind::invalid_input);
}

TEST(Ruler, ADocumentsArticleComesBeforeOthers) {
    auto set = std::make_shared<QaSet>();
    for (int i = 0; i < 40; ++i) set->paragraphs.push_back("paragraph " + std::to_string(i) + ";");
    // The question's own, then four of its article, then any.
    set->items = {{.question = "Q?", .answers = {"x"}, .support = {7}, .near = {5, 6, 8, 9}}};
    TextSources sources;
    sources.single_hop = set;
    const auto given = [&](std::int64_t size) {
        const std::string prompt =
            find_ruler_task("qa_1")->make({.sources = sources, .index = 2}, size).prompt;
        std::set<int> numbers;
        for (int i = 0; i < 40; ++i)
            if (prompt.find("paragraph " + std::to_string(i) + ";") != std::string::npos) numbers.insert(i);
        EXPECT_EQ(count_of(prompt, "paragraph "), numbers.size()) << "none twice";
        return numbers;
    };
    EXPECT_EQ(given(1), (std::set<int>{7}));
    EXPECT_EQ(given(5), (std::set<int>{5, 6, 7, 8, 9}));
    for (const int number : given(3)) EXPECT_TRUE(number >= 5 && number <= 9) << number;
    const std::set<int> more = given(12);
    EXPECT_EQ(more.size(), 12U);
    for (const int number : {5, 6, 7, 8, 9}) EXPECT_TRUE(more.contains(number)) << number;
    EXPECT_EQ(given(100).size(), 40U);
}

TEST(BabiLong, TheAnswerFollowsFromTheFacts) {
    const TextSources sources = all_sources();
    std::set<std::string> answers;
    for (std::int64_t i = 0; i < 40; ++i) {
        const TextQuestion question = babilong_tasks()[0].make({.sources = sources, .index = i}, 200);
        const std::string who = question.question.substr(9, question.question.size() - 10);
        const std::string move = who + " went to the ";
        const std::size_t last = question.prompt.rfind(move);
        ASSERT_NE(last, std::string::npos) << question.prompt;
        EXPECT_EQ(question.prompt.substr(last + move.size(), question.expected[0].size()),
                  question.expected[0]);
        answers.insert(question.expected[0]);
    }
    EXPECT_EQ(answers.size(), 6U);
    for (std::int64_t i = 0; i < 40; ++i) {
        const TextQuestion question = babilong_tasks()[1].make({.sources = sources, .index = i}, 200);
        const std::size_t taken = question.prompt.find(" took the ");
        const std::size_t begin = question.prompt.rfind(' ', taken - 1) + 1;
        const std::string move = question.prompt.substr(begin, taken - begin) + " went to the ";
        const std::size_t last = question.prompt.rfind(move);
        ASSERT_NE(last, std::string::npos) << question.prompt;
        EXPECT_EQ(question.prompt.substr(last + move.size(), question.expected[0].size()),
                  question.expected[0]);
    }
}

TEST(BabiLong, LabelsOfTheAnswerWithoutThoseOfTheQuestion) {
    const TextQuestion question{.expected = {"kitchen"}, .question = "Where was Mary before the garden?"};
    EXPECT_EQ(mark_labels(" Mary is in the Kitchen.", question), 1);
    EXPECT_EQ(mark_labels("the kitchen, not the garden", question), 1);
    EXPECT_EQ(mark_labels("the kitchen or the office", question), 0);
    EXPECT_EQ(mark_labels("kitchens", question), 0);
    EXPECT_EQ(mark_labels("\n kitchen\nMary went to the office", question), 1);
    EXPECT_EQ(mark_labels("", question), 0);
}

}  // namespace
}  // namespace braid::testing
