// What data a run may read, without reading any.
#include "core/spec/data_kinds.h"

#include <gtest/gtest.h>

#include "core/spec/key_tokens.h"
#include "core/spec/task_kind.h"

namespace braid {
namespace {

TEST(DataKinds, EveryTaskIsDescribedAndFitsItsDefaults) {
    ASSERT_EQ(tasks().size(), 6U);
    for (const TaskKind* task : tasks()) {
        SCOPED_TRACE(task->id);
        EXPECT_EQ(find_task(task->id), task);
        EXPECT_EQ(data_parameters(task->id), &task->parameters);
        EXPECT_GT(task->vocab({}), 2);
        EXPECT_TRUE(validate(DataSpec{.kind = task->id}, TrainingSpec{}).empty());
        for (const ParameterDescription& parameter : task->parameters) {
            EXPECT_FALSE(parameter.label.empty() || parameter.help.empty()) << parameter.key;
            EXPECT_FALSE(check_parameter(parameter, parameter.default_value, parameter.key).has_value())
                << parameter.key;
        }
    }
    EXPECT_EQ(find_task("nonsense"), nullptr);
    EXPECT_EQ(data_parameters("corpus"), &corpus_parameters());
    EXPECT_EQ(data_parameters("nonsense"), nullptr);
}

TEST(DataKinds, EveryProblemHasItsPlace) {
    EXPECT_EQ(validate(DataSpec{.kind = "nonsense"}, TrainingSpec{}).at(0).path, "data.kind");
    EXPECT_EQ(validate(DataSpec{.kind = "corpus"}, TrainingSpec{}).at(0).path, "data.corpus");
    DataSpec corpus{.kind = "corpus", .corpus = "corpora/mix"};
    EXPECT_TRUE(validate(corpus, TrainingSpec{}).empty());
    corpus.parameters.set("long_share", 0.5);
    EXPECT_EQ(validate(corpus, TrainingSpec{}).at(0).path, "data.long_share");
    DataSpec niah{.kind = "niah"};
    niah.parameters.set("asked", std::int64_t{9});
    niah.parameters.set("keys", std::int64_t{0});
    niah.parameters.set("colour", std::string("red"));
    EXPECT_EQ(validate(niah, TrainingSpec{}).size(), 2U)
        << "range and unknown; rules between them come after";
}

TEST(KeyTokenFile, KeepsWhatItDoesNotLookInto) {
    const KeyTokenFile file{.rule = {.context = 8, .short_context = 2, .advance = 1, .fewest = 2},
                            .reference = {{"run", "a91"}},
                            .tokenizer = {{"kind", "byte"}},
                            .corpus = "c0ffee",
                            .samples = {{.text = "abcdefgh", .spans = {{2, 4}, {6, 7}}}}};
    const auto read = key_token_file_from_json(to_json(file));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(to_json(*read), to_json(file));
    Json broken = to_json(file);
    broken["samples"][0]["spans"][1] = Json::array({3, 9});
    EXPECT_EQ(key_token_file_from_json(broken).error().at(0).path, "samples[0].spans[1]");
}

}  // namespace
}  // namespace braid
