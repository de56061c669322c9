// Every task of the list, and each against a solver of its own, written as the task is described.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/data/babi.h"
#include "core/data/batch.h"
#include "core/data/niah.h"
#include "core/data/task.h"

namespace braid {
namespace {

Result<std::unique_ptr<DataSource>> make(const std::string& kind, std::int64_t context = 128,
                                         std::uint64_t seed = 1, const ParameterValues& values = {}) {
    TrainingSpec training;
    training.context = context;
    training.seed = seed;
    return make_data_source({.kind = kind, .parameters = values}, training);
}

ParameterValues with(std::initializer_list<std::pair<const char*, ParameterValue>> list) {
    ParameterValues values;
    for (const auto& [key, value] : list) values.set(key, value);
    return values;
}

// One sequence of a batch.
struct Row {
    std::vector<std::int32_t> tokens, targets;
};
std::vector<Row> rows_of(const Batch& batch) {
    std::vector<Row> rows;
    for (std::ptrdiff_t b = 0; b < batch.sequences; ++b) {
        const std::ptrdiff_t begin = b * batch.context, end = begin + batch.context;
        rows.push_back({{batch.tokens_BT.begin() + begin, batch.tokens_BT.begin() + end},
                        {batch.targets_BT.begin() + begin, batch.targets_BT.begin() + end}});
    }
    return rows;
}
std::vector<std::size_t> asked(const Row& row) {
    std::vector<std::size_t> places;
    for (std::size_t t = 0; t < row.targets.size(); ++t)
        if (row.targets[t] != no_target) places.push_back(t);
    return places;
}

TEST(Tasks, ArePureFunctionsOfParametersSeedAndPlace) {
    EXPECT_EQ(tasks().size(), 6U);
    for (const TaskKind* task : tasks()) {
        SCOPED_TRACE(task->id);
        EXPECT_FALSE(task->title.empty() || task->help.empty() || task->citation.empty());
        const auto data = make(task->id).value();
        EXPECT_EQ(data->vocab(), task->vocab({}));
        const Batch whole = data->batch(Step(7), 0, 8).value();
        const Batch part = make(task->id).value()->batch(Step(7), 5, 2).value();
        EXPECT_TRUE(
            std::equal(part.tokens_BT.begin(), part.tokens_BT.end(), whole.tokens_BT.begin() + 5 * 128));
        EXPECT_TRUE(
            std::equal(part.targets_BT.begin(), part.targets_BT.end(), whole.targets_BT.begin() + 5 * 128));
        EXPECT_NE(data->batch(Step(8), 0, 8).value(), whole);
        EXPECT_NE(make(task->id, 128, 2).value()->batch(Step(7), 0, 8).value(), whole);
        EXPECT_NE(make(task->id, 128, 2).value()->fingerprint(), data->fingerprint());
        for (const std::int32_t token : whole.tokens_BT) ASSERT_TRUE(token >= 0 && token < data->vocab());
        for (const std::int32_t target : whole.targets_BT)
            ASSERT_TRUE(target >= -1 && target < data->vocab());

        const EvaluationSet set = data->evaluation().value();
        EXPECT_EQ(set.batch, make(task->id, 128, 9).value()->evaluation().value().batch)
            << "whatever the seed";
        EXPECT_EQ(set.batch.sequences, 256);
        std::vector<int> in_group(set.groups.size(), 0);
        for (const Query& query : set.queries) {
            ASSERT_TRUE(query.position >= 0 && query.position < 128 && query.distance >= 1 &&
                        query.distance < 129);
            ASSERT_NE(set.batch.targets_BT[static_cast<std::size_t>(query.sequence * 128 + query.position)],
                      -1);
            ++in_group.at(static_cast<std::size_t>(query.group));
        }
        for (std::size_t g = 0; g < set.groups.size(); ++g) {
            EXPECT_GE(in_group[g], 40) << set.groups[g];
            EXPECT_TRUE(set.groups[g].starts_with(task->id + "/")) << set.groups[g];
        }
    }
}

TEST(Tasks, BadParametersAreListed) {
    for (const TaskKind* task : tasks()) {
        SCOPED_TRACE(task->id);
        EXPECT_EQ(make(task->id, 128, 1, with({{"nonsense", std::int64_t{1}}})).error().kind,
                  ErrorKind::invalid_input);
        EXPECT_FALSE(task->check({}, 1).empty()) << "one token of context";
        EXPECT_EQ(make(task->id, 1).error().kind, ErrorKind::invalid_input);
    }
    const auto rules = [](const char* kind, std::int64_t context, const ParameterValues& values) {
        return find_task(kind)->check(values, context);
    };
    EXPECT_EQ(rules("mqar", 64, with({{"pairs", std::int64_t{65}}})).size(), 3U);
    EXPECT_EQ(rules("niah", 128, with({{"asked", std::int64_t{9}}, {"keys", std::int64_t{2}}})).size(), 2U);
    EXPECT_EQ(rules("copy", 128, with({{"length", std::int64_t{65}}}))[0].path, "data.length");
}

TEST(Mqar, EachKeyIsAskedOnceAndItsPairOpensTheSequence) {
    const auto data = make("mqar", 256, 1, with({{"pairs", std::int64_t{16}}})).value();
    std::vector<double> gaps(113, 0);
    const Batch batch = data->batch(Step(0), 0, 400).value();
    for (const Row& row : rows_of(batch)) {
        std::map<std::int32_t, std::int32_t> value_of;
        for (std::size_t i = 0; i < 32; i += 2) {
            ASSERT_LT(row.tokens[i], 64);
            ASSERT_GE(row.tokens[i + 1], 64);
            value_of[row.tokens[i]] = row.tokens[i + 1];
        }
        ASSERT_EQ(value_of.size(), 16U) << "different keys";
        std::set<std::int32_t> seen;
        for (const std::size_t at : asked(row)) {
            ASSERT_TRUE(at >= 32 && at % 2 == 0);
            EXPECT_EQ(row.targets[at], value_of.at(row.tokens[at]));
            seen.insert(row.tokens[at]);
            gaps[(at - 32) / 2 + 1] += 1;
        }
        EXPECT_EQ(seen.size(), 16U);
    }
    // P(g) ~ g^-0.99, but without replacement: the first gap is always far more likely than the last.
    EXPECT_GT(gaps[1], 300) << "of 400";
    EXPECT_LT(gaps[112], 40);
    EXPECT_GT(gaps[1] + gaps[2] + gaps[3], 5 * (gaps[60] + gaps[61] + gaps[62]));
}

TEST(Niah, TheNeedleHoldsTheAnswer) {
    const ParameterValues values =
        with({{"needles", std::int64_t{3}}, {"asked", std::int64_t{2}}, {"value_tokens", std::int64_t{3}}});
    const auto data = make("niah", 200, 1, values).value();
    const EvaluationSet set = data->evaluation().value();
    std::vector<Row> rows = rows_of(data->batch(Step(3), 0, 100).value());
    for (const Row& row : rows_of(set.batch)) rows.push_back(row);
    for (const Row& row : rows) {
        const std::vector<std::size_t> places = asked(row);
        ASSERT_EQ(places.size(), 6U);
        for (std::size_t question = 0; question < 2; ++question) {
            const std::size_t key_at = places[3 * question];
            EXPECT_EQ(row.tokens[key_at - 1], 1);
            std::size_t needle = 0;
            while (row.tokens.at(needle) != 0 || row.tokens.at(needle + 1) != row.tokens[key_at]) ++needle;
            for (std::size_t v = 0; v < 3; ++v)
                EXPECT_EQ(row.targets[places[3 * question + v]], row.tokens[needle + 2 + v]);
        }
    }
    std::vector<int> by_depth(niah_depths, 0);
    for (const Query& query : set.queries) ++by_depth[static_cast<std::size_t>(query.group)];
    for (const int count : by_depth) EXPECT_NEAR(count, 1536 / 5, 60);
}

TEST(Copy, TheSymbolsComeAgain) {
    for (const std::int64_t length : {0, 20}) {
        const auto data = make("copy", 101, 1, with({{"length", length}})).value();
        const std::size_t n = length == 0 ? 50 : 20;
        for (const Row& row : rows_of(data->batch(Step(0), 0, 20).value())) {
            EXPECT_EQ(row.tokens[n], 32) << "the separator";
            ASSERT_EQ(asked(row).size(), n);
            for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(row.targets[n + i], row.tokens[i]);
        }
    }
}

TEST(Induction, WhatFollowedTheSpecialTokenIsAsked) {
    for (const Row& row : rows_of(make("induction").value()->batch(Step(0), 0, 200).value())) {
        const auto first = std::find(row.tokens.begin(), row.tokens.end(), 16);
        ASSERT_EQ(std::count(row.tokens.begin(), row.tokens.end(), 16), 2);
        ASSERT_EQ(row.tokens.back(), 16);
        EXPECT_EQ(asked(row), std::vector<std::size_t>{127});
        EXPECT_EQ(row.targets[127], *(first + 1));
    }
}

// Reads the story as a person would.
TEST(Babi, TheAnswersFollowFromTheStory) {
    const auto data = make("babi", 400).value();
    int questions = 0;
    for (const Row& row : rows_of(data->batch(Step(0), 0, 100).value())) {
        std::vector<std::string> words;
        for (const std::int32_t token : row.tokens) words.push_back(babi_word({}, token));
        std::map<std::string, std::string> place_of, holder_of;  // of people and dropped objects; of objects
        for (std::size_t at = 0; at + 6 < words.size();) {
            if (words[at] == "where") {
                const bool object = words[at + 2] == "the";
                const std::string& about = words[at + (object ? 3 : 2)];
                const std::size_t mark = at + (object ? 4 : 3);
                ASSERT_EQ(words[mark], "?");
                const std::string place =
                    holder_of.contains(about) ? place_of.at(holder_of.at(about)) : place_of.at(about);
                EXPECT_EQ(babi_word({}, row.targets[mark]), place);
                EXPECT_EQ(words[mark + 1], place) << "and the story goes on with it";
                ++questions;
                at = mark + 3;
            } else if (words[at + 1] == "went") {
                place_of[words[at]] = words[at + 4];
                at += 6;
            } else {
                const std::string& object = words[at + 3];
                if (words[at + 1] == "took") {
                    EXPECT_FALSE(holder_of.contains(object));
                    if (place_of.contains(object)) {
                        EXPECT_EQ(place_of.at(object), place_of.at(words[at]));
                    }
                    holder_of[object] = words[at];
                } else {
                    ASSERT_EQ(words[at + 1], "dropped");
                    EXPECT_EQ(holder_of.at(object), words[at]);
                    holder_of.erase(object);
                    place_of[object] = place_of.at(words[at]);
                }
                at += 5;
            }
        }
    }
    EXPECT_GT(questions, 1'000);
}

}  // namespace
}  // namespace braid
