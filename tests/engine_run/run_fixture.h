// Tiny runs in folders of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/engine/training_run.h"
#include "core/mixers/builtin.h"
#include "core/record/run_reader.h"
#include "core/spec/shorthand.h"

namespace braid::testing {

inline ArchitectureSpec tiny_architecture(const std::string& pattern = "FS[w=4] x1") {
    Scale scale = *find_scale("tiny");
    scale.d_model = 32;
    scale.ffn_width = 48;
    scale.head_dim = 16;
    return instantiate(parse_pattern(pattern, builtin_mixers()).value(), scale);
}

inline TrainingSpec short_training() {
    TrainingSpec training;
    training.steps = 20;
    training.batch = 4;
    training.micro_batches = 2;
    training.warmup_steps = 4;
    training.threads = 2;
    training.device = "cpu";
    training.evaluate_every = 10;
    training.checkpoint_every = 10;
    return training;
}

class RunTest : public ::testing::Test {
protected:
    RunTest() {
        static int counter = 0;
        folder_ = std::filesystem::temp_directory_path() /
                  ("braid runs ü " + std::to_string(::getpid()) + "-" + std::to_string(counter++));
        std::filesystem::create_directories(folder_);
    }
    ~RunTest() override { std::filesystem::remove_all(folder_); }

    RunFolder make_run(const std::string& name, const TrainingSpec& training = short_training(),
                       const std::string& pattern = "FS[w=4] x1") const {
        const RunPlan plan{.id = RunId(name),
                           .architecture = tiny_architecture(pattern),
                           .training = training,
                           .data = {},
                           .created = "2026-01-01T00:00:00Z"};
        const Result<RunFolder> made = create_run_folder((folder_ / name).string(), plan);
        EXPECT_TRUE(made) << describe(made.error());
        return *made;
    }

    // Trains until `stop_at` steps are done (0: to the end).
    static Result<TrainingOutcome> train(const RunFolder& run, std::int64_t stop_at = 0,
                                         const std::function<void(Step)>& after_step = {}) {
        std::atomic<bool> stop{false};
        return train_run(run, {.stop_requested = &stop, .progress = [&](const TrainingProgress& now) {
                                   if (after_step) after_step(now.step);
                                   if (stop_at > 0 && now.step.value >= stop_at) stop = true;
                               }});
    }

    static std::shared_ptr<const RunSnapshot> read(const RunFolder& run) { return RunReader(run).poll(); }

    static std::string file_of(const RunFolder& run, std::int64_t step, const std::string& name) {
        return read_file(run.checkpoint_folder(Step(step)) + "/" + name).value_or("missing " + name);
    }

    static bool has_event(const RunSnapshot& run, const std::string& kind) {
        for (const RunEvent& event : run.events)
            if (event.kind == kind) return true;
        return false;
    }

    // Bytes of model and optimizer, and every metric that is no time.
    static void expect_same(const RunFolder& a, const RunFolder& b, std::int64_t step) {
        for (const char* name : {"model.safetensors", "optimizer.safetensors", "architecture.json"})
            EXPECT_TRUE(file_of(a, step, name) == file_of(b, step, name)) << name << " differs";
        const auto left = read(a);
        const auto right = read(b);
        for (const char* metric :
             {"loss", "lr", "grad_norm", "tokens", "recall/near", "recall/mid", "recall/far"}) {
            ASSERT_TRUE(left->series.contains(metric)) << metric;
            ASSERT_TRUE(right->series.contains(metric)) << metric;
            EXPECT_TRUE(left->series.at(metric) == right->series.at(metric)) << metric << " differs";
        }
    }

    std::filesystem::path folder_;
};

}  // namespace braid::testing
