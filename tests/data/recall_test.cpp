#include "core/data/recall.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "core/base/random.h"

namespace braid {
namespace {

std::unique_ptr<DataSource> source(std::int64_t context = 128, std::uint64_t seed = 1) {
    TrainingSpec training;
    training.context = context;
    training.seed = seed;
    Result<std::unique_ptr<DataSource>> made = make_data_source(DataSpec{}, training);
    EXPECT_TRUE(made.has_value()) << describe(made.error());
    return made ? std::move(*made) : nullptr;
}

TEST(Recall, KeysAndValuesAlternateAndAKeyKeepsItsValue) {
    const Batch batch = source()->batch(Step(3), 0, 50).value();
    for (std::int64_t b = 0; b < batch.sequences; ++b) {
        std::map<std::int32_t, std::int32_t> value_of;
        for (std::int64_t t = 0; t < 128; ++t) {
            const std::int32_t token = batch.tokens_BT[static_cast<std::size_t>(b * 128 + t)];
            const std::int32_t target = batch.targets_BT[static_cast<std::size_t>(b * 128 + t)];
            if (t + 1 < 128) {
                EXPECT_EQ(target, batch.tokens_BT[static_cast<std::size_t>(b * 128 + t + 1)]);
            }
            if (t % 2 == 0) {
                ASSERT_TRUE(token >= 0 && token < 32);
                ASSERT_TRUE(target >= 32 && target < 64);
                EXPECT_EQ(value_of.try_emplace(token, target).first->second, target);
            } else {
                ASSERT_TRUE(target >= 0 && target < 32);
            }
        }
    }
    EXPECT_EQ(source()->vocab(), 64);
}

// Against a generator of its own, written as the task is described.
TEST(Recall, RanksFollowOneOverR) {
    const RecallParameters parameters;
    std::vector<double> expected(8, 0);
    std::vector<double> counted(8, 0);
    double repeats = 0;
    double pairs = 0;
    std::vector<std::int32_t> tokens(129);
    for (std::uint64_t n = 0; n < 4'000; ++n) {
        Random random(5, "ranks", n);
        draw_recall(parameters, random, 0, tokens);
        std::vector<std::int32_t> recent;
        for (std::size_t at = 0; at < 128; at += 2) {
            const auto found = std::find(recent.rbegin(), recent.rend(), tokens[at]);
            ++pairs;
            if (found != recent.rend()) {
                ++repeats;
                double sum = 0;
                for (std::size_t r = 1; r <= recent.size(); ++r) sum += 1.0 / static_cast<double>(r);
                for (std::size_t r = 0; r < std::min<std::size_t>(8, recent.size()); ++r)
                    expected[r] += 1.0 / static_cast<double>(r + 1) / sum;
                const auto rank = static_cast<std::size_t>(found - recent.rbegin());
                if (rank < 8) ++counted[rank];
                recent.erase(std::next(found).base());
            }
            recent.push_back(tokens[at]);
        }
    }
    for (std::size_t r = 0; r < 8; ++r)
        EXPECT_NEAR(counted[r] / expected[r], 1, 5 / std::sqrt(expected[r])) << "rank " << r + 1;
    // The first key is always new, 30% of the others; a few sequences run out of new keys.
    EXPECT_NEAR(repeats / pairs, 0.7 * 63 / 64, 0.003);
}

// The note on data gives 55% near, 13% mid, 1.4% far of all values, measured on a sample of a few thousand.
TEST(Recall, QueriesAreMostlyNear) {
    const RecallParameters parameters;
    double near = 0;
    double mid = 0;
    double far = 0;
    double values = 0;
    std::vector<std::int32_t> tokens(129);
    for (std::uint64_t n = 0; n < 8'000; ++n) {
        Random random(1, "data/recall", n);
        for (const RecallQuery& query : draw_recall(parameters, random, 0, tokens))
            ++(query.distance <= 16 ? near : query.distance <= 64 ? mid : far);
        values += 64;
    }
    std::printf("of %.0f values: near %.2f%%, mid %.2f%%, far %.2f%%\n", values, 100 * near / values,
                100 * mid / values, 100 * far / values);
    EXPECT_NEAR(near / values, 0.55, 0.015);
    EXPECT_NEAR(mid / values, 0.13, 0.01);
    EXPECT_NEAR(far / values, 0.014, 0.0015);
}

TEST(Recall, BatchesAreAFunctionOfSeedStepAndPlace) {
    const auto data = source();
    const Batch whole = data->batch(Step(7), 0, 32).value();
    EXPECT_EQ(source()->batch(Step(7), 0, 32).value(), whole);
    // Any part of it alone: what a second device or a micro-batch asks for.
    const Batch part = data->batch(Step(7), 20, 5).value();
    EXPECT_TRUE(std::equal(part.tokens_BT.begin(), part.tokens_BT.end(), whole.tokens_BT.begin() + 20 * 128));
    EXPECT_TRUE(
        std::equal(part.targets_BT.begin(), part.targets_BT.end(), whole.targets_BT.begin() + 20 * 128));
    EXPECT_NE(data->batch(Step(8), 0, 32).value(), whole);
    EXPECT_NE(source(128, 2)->batch(Step(7), 0, 32).value(), whole);
    std::set<std::vector<std::int32_t>> sequences;
    for (std::int64_t b = 0; b < 32; ++b)
        sequences.insert({whole.tokens_BT.begin() + b * 128, whole.tokens_BT.begin() + (b + 1) * 128});
    EXPECT_EQ(sequences.size(), 32U);
}

// A golden batch: results of today must be the results of tomorrow.
TEST(Recall, TheFirstBatchOfSeedOneIsWhatItWas) {
    const Batch batch = source()->batch(Step(0), 0, 32).value();
    std::uint64_t hash = 14695981039346656037ULL;
    for (const std::int32_t token : batch.tokens_BT)
        hash = (hash ^ static_cast<std::uint64_t>(token)) * 1099511628211ULL;
    EXPECT_EQ(hash, 5785357409294887842ULL);
}

TEST(Recall, TheEvaluationSetAsksSixKeysFarAway) {
    for (const std::int64_t context : {128, 96, 130, 127, 48, 512}) {
        const EvaluationSet set = source(context)->evaluation().value();
        EXPECT_EQ(set.batch.sequences, 256);
        EXPECT_EQ(set.groups, (std::vector<std::string>{"recall/near", "recall/mid", "recall/far"}));
        EXPECT_TRUE(set.loss_metric.empty());
        std::vector<int> count(3, 0);
        std::map<std::int32_t, std::set<std::int32_t>> asked;  // by sequence: keys
        std::map<std::int32_t, int> distances;
        for (const Query& query : set.queries) {
            ++count[static_cast<std::size_t>(query.group)];
            const auto at = static_cast<std::size_t>(query.sequence * context + query.position);
            const std::int32_t key = set.batch.tokens_BT[at];
            const std::int32_t value = set.batch.targets_BT[at];
            // Looking back from the value: the key's last occurrence lies `distance` tokens before it.
            const std::size_t seen = at + 1 - static_cast<std::size_t>(query.distance);
            ASSERT_EQ(set.batch.tokens_BT[seen], key);
            ASSERT_EQ(set.batch.tokens_BT[seen + 1], value);
            for (std::size_t between = seen + 2; between < at; between += 2)
                ASSERT_NE(set.batch.tokens_BT[between], key);
            if (query.group == 2) {
                EXPECT_GT(query.distance, context / 2);
                EXPECT_LT(query.distance, context);
                EXPECT_LT(query.position - query.distance + 1, 12) << "one of the six that open the sequence";
                EXPECT_TRUE(asked[query.sequence].insert(key).second) << "each is asked once";
                ++distances[query.distance];
            } else {
                EXPECT_LE(query.distance, query.group == 0 ? 16 : context / 2);
            }
        }
        EXPECT_EQ(count[2], 1'536);
        EXPECT_EQ(asked.size(), 256U);
        if (context >= 96) {
            EXPECT_GT(count[1], 256);
        }
        EXPECT_GT(count[0], 1'500);
        if (context == 128) {
            std::printf("evaluation: %d near, %d mid, %d far\n", count[0], count[1], count[2]);
            EXPECT_EQ(distances.begin()->first, 65);
            EXPECT_GE(distances.rbegin()->first, 125);
        }
    }
}

TEST(Recall, TheEvaluationSetDoesNotDependOnTheSeed) {
    const EvaluationSet one = source(128, 1)->evaluation().value();
    const EvaluationSet two = source(128, 2)->evaluation().value();
    EXPECT_EQ(one.batch, two.batch);
    EXPECT_NE(source(128, 1)->fingerprint(), source(128, 2)->fingerprint());
}

TEST(Recall, WrongParametersAreAllListed) {
    TrainingSpec training;
    training.context = 40;
    DataSpec data;
    data.parameters.set("keys", std::int64_t{1});
    data.parameters.set("colour", std::string("red"));
    data.parameters.set("new_key", 2.0);
    EXPECT_EQ(validate(data, training).size(), 3U);
    data.parameters = {};
    ASSERT_EQ(validate(data, training).size(), 1U);
    EXPECT_EQ(validate(data, training)[0].path, "training.context");
    data.kind = "chess";
    EXPECT_EQ(make_data_source(data, training).error().kind, ErrorKind::invalid_input);
    EXPECT_NE(make_data_source(data, training).error().message.find("recall, mqar"), std::string::npos);
}

TEST(Recall, OtherSizesKeepTheRules) {
    TrainingSpec training;
    training.context = 37;
    DataSpec data;
    data.parameters.set("keys", std::int64_t{3});
    data.parameters.set("values", std::int64_t{2});
    data.parameters.set("asked", std::int64_t{2});
    data.parameters.set("new_key", 1.0);
    const auto small = make_data_source(data, training);
    ASSERT_TRUE(small.has_value()) << describe(small.error());
    const Batch batch = (*small)->batch(Step(0), 0, 100).value();
    for (const std::int32_t token : batch.tokens_BT) EXPECT_TRUE(token >= 0 && token < 5);
    EXPECT_EQ((*small)->vocab(), 5);
    EXPECT_TRUE((*small)->evaluation().has_value());
}

}  // namespace
}  // namespace braid
