// Captures of tiny models into a temporary folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/measure/capture/capture.h"
#include "tests/base/temporary_folder.h"
#include "tests/measure/mechanism/measure_fixture.h"

namespace braid::test {

inline std::vector<std::int32_t> random_tokens(std::int64_t count, std::int64_t vocab) {
    Random random(5, "test/capture");
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < count; ++i)
        tokens.push_back(std::int32_t(random.below(std::uint64_t(vocab))));
    return tokens;
}

class Captured : public ::testing::Test {
protected:
    // A capture of the model over the text.
    CaptureInput input_of(const std::shared_ptr<Model>& model, CaptureText text, const std::string& heads) {
        measured_ = std::make_unique<MeasureInput>(tiny_input("attention", *model, task_));
        return {.measured = *measured_,
                .text = std::move(text),
                .heads = heads,
                .folder = folder_ / "captures",
                .command = "braid-engine capture checkpoint",
                .open = [model]() -> Result<std::shared_ptr<Model>> { return model; }};
    }
    CaptureAnswer must(const CaptureInput& input) {
        Result<CaptureAnswer> answer = capture_attention(input);
        EXPECT_TRUE(answer) << describe(answer.error());
        if (!answer) return {};
        Result<Capture> read = read_capture(answer->capture.folder);
        EXPECT_TRUE(read) << describe(read.error());
        EXPECT_TRUE(read && *read == answer->capture) << "the description reads again";
        return std::move(*answer);
    }
    Error refused(const CaptureInput& input) {
        const Result<CaptureAnswer> answer = capture_attention(input);
        EXPECT_FALSE(answer);
        return answer ? Error{} : answer.error();
    }
    std::vector<std::string> left() const {
        std::vector<std::string> names;
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "captures", none))
            names.push_back(entry.path().filename().string());
        return names;
    }

    const TemporaryFolder folder_;
    TinyTask task_ = tiny_niah();
    std::unique_ptr<MeasureInput> measured_;
};

}  // namespace braid::test
