#include "core/record/checkpoint_list.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/record/corpus_summary.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

TEST(CheckpointList, FindsTheNewestAndNamesThoseThereAre) {
    const TemporaryFolder folder;
    const RunFolder run(folder / "run");
    EXPECT_EQ(find_run_checkpoint(run, std::nullopt).error().kind, ErrorKind::not_found);
    for (const char* name : {"step-00000200", "step-00000400", "step-x", "unfinished.step-00000600"})
        ASSERT_TRUE(make_folder(run.checkpoints_folder() + "/" + name).has_value());
    EXPECT_EQ(list_checkpoints(run.checkpoints_folder()), (std::vector<Step>{Step(400), Step(200)}));
    EXPECT_EQ(find_run_checkpoint(run, std::nullopt)->step, Step(400));
    const WeightsOrigin origin = *find_run_checkpoint(run, Step(200));
    EXPECT_EQ(origin.folder, run.checkpoint_folder(Step(200)));
    EXPECT_EQ(origin.run, run.name());
    EXPECT_NE(find_run_checkpoint(run, Step(300)).error().message.find("400, 200"), std::string::npos);
}

TEST(CorpusSummary, TellsWhatTheManifestSays) {
    const TemporaryFolder folder;
    ASSERT_TRUE(make_folder(folder / "corpora/mix").has_value());
    ASSERT_TRUE(make_folder(folder / "runs/a/corpus").has_value());
    ASSERT_TRUE(make_folder(folder / "other").has_value());
    const Json manifest = {
        {"schema_version", 2},
        {"tokenizer", {{"kind", "bpe"}, {"file", "tokenizer.json"}, {"vocab", 32000}}},
        {"train", {{"documents", 9}, {"tokens", 1000}, {"long_documents", 2}, {"long_tokens", 400}}},
        {"validation", {{"documents", 1}, {"tokens", 50}}},
        {"long_bytes", 65536},
        {"shards", Json::array()}};
    for (const char* place : {"corpora/mix", "runs/a/corpus"})
        ASSERT_TRUE(write_json_atomically(folder / place + "/manifest.json", manifest).has_value());
    ASSERT_TRUE(write_json_atomically(folder / "other/manifest.json", Json{{"name", "web"}}).has_value());
    const std::vector<CorpusSummary> found = find_corpora(folder / "");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].folder, "corpora/mix");
    EXPECT_EQ(found[0].tokenizer, "tokenizer.json");
    EXPECT_EQ(found[0].vocab, 32'000);
    EXPECT_EQ(found[0].train_tokens, 1'000);
    EXPECT_EQ(found[0].long_tokens, 400);
    EXPECT_EQ(found[0].validation_tokens, 50);
    EXPECT_EQ(read_corpus_summary(folder / "other").error().kind, ErrorKind::corrupt);
    EXPECT_EQ(read_corpus_summary(folder / "none").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace braid
