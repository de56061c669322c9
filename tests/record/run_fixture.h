// A small run and ways to look at it.
#pragma once

#include <gtest/gtest.h>

#include "core/record/project.h"
#include "core/record/run_reader.h"
#include "core/record/run_writer.h"
#include "tests/base/temporary_folder.h"

namespace braid {

inline RunPlan small_plan() {
    RunPlan plan;
    plan.id = RunId("a91f");
    plan.name = "swa-4, seed 2";
    plan.architecture = {
        .name = "small",
        .d_model = 8,
        .heads = 2,
        .kv_heads = 2,
        .head_dim = 4,
        .ffn_width = 16,
        .vocab = 64,
        .layers = {
            {.id = LayerId(1), .groups = {{.mixer = "full", .heads = 2, .kv_heads = 2, .parameters = {}}}}}};
    plan.data.kind = "recall";
    plan.created = "2026-02-03T04:05:06Z";
    plan.study = StudyId("laziness");
    plan.point = "swa-4/seed=2";
    plan.command = "braid-engine train 'S[w=4]F' --data recall";
    return plan;
}

class RunTest : public ::testing::Test {
protected:
    void SetUp() override {
        Result<RunFolder> made = create_run_folder(temporary_ / "runs/a91f", small_plan());
        ASSERT_TRUE(made.has_value()) << describe(made.error());
        folder_ = *made;
    }
    std::unique_ptr<RunWriter> writer(WriterOptions options = {}) const {
        Result<std::unique_ptr<RunWriter>> opened = RunWriter::open(folder_, std::move(options));
        EXPECT_TRUE(opened.has_value()) << describe(opened.error());
        return opened ? std::move(*opened) : nullptr;
    }
    std::shared_ptr<const RunSnapshot> read() const { return RunReader(folder_).poll(); }
    std::vector<std::int64_t> steps_of(const std::string& metric) const {
        const auto snapshot = read();
        const auto found = snapshot->series.find(metric);
        if (found == snapshot->series.end()) return {};
        return {found->second.steps.begin(), found->second.steps.end()};
    }

    TemporaryFolder temporary_;
    RunFolder folder_;
};

}  // namespace braid
