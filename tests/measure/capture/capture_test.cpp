// Captures of tiny models in float64 against loops; what is refused; what is left when something fails.
#include "core/measure/capture/capture.h"

#include <gmock/gmock.h>
#include <sys/mount.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/attention/top_links.h"
#include "core/base/file.h"
#include "core/measure/capture/captured_rows.h"
#include "core/mixers/builtin.h"
#include "core/record/capture_folder.h"
#include "tests/measure/capture/capture_fixture.h"
#include "tests/measure/capture/slow_recurrence.h"

namespace braid::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Every level of a pyramid against the matrix, [t][s] with s <= t or more.
double pyramid_error(const AttentionPyramid& pyramid, const Matrix& wanted) {
    double error = 0;
    const auto tokens = std::int64_t(wanted.size());
    for (int level = pyramid.finest(); level <= pyramid.coarsest(); ++level) {
        const std::int64_t size = std::int64_t{1} << level;
        for (std::int64_t row = 0; row * size < tokens; ++row)
            for (std::int64_t column = 0; column <= row; ++column) {
                double largest = 0, sum = 0;
                for (std::int64_t t = row * size; t < std::min((row + 1) * size, tokens); ++t)
                    for (std::int64_t s = column * size; s < std::min((column + 1) * size, t + 1); ++s) {
                        const double weight = wanted[std::size_t(t)][std::size_t(s)];
                        if (std::abs(weight) > std::abs(largest)) largest = weight;
                        sum += weight;
                    }
                const AttentionTile* tile = pyramid.tile(level, row / 256, column / 256);
                const auto at = std::size_t(row % 256 * 256 + column % 256);
                error = std::max(error, std::abs(tile->largest[at] - largest));
                error = std::max(
                    error, std::abs(tile->mean[at] - sum / double(seen_pairs(tokens, level, row, column))));
            }
    }
    return error;
}

double factors_error(const HeadFactors& factors, const Matrix& wanted) {
    double error = 0;
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        const std::vector<float> row = attention_row(factors, std::int64_t(t));
        for (std::size_t s = 0; s < wanted.size(); ++s)
            error = std::max(error, std::abs(row[s] - (s <= t ? wanted[t][s] : 0)));
    }
    return error;
}

double largest_of(const Vector& values) {
    double most = 0;
    for (const double each : values) most = std::max(most, std::abs(each));
    return most;
}
double largest_of(const Matrix& matrix) {
    double most = 0;
    for (const Vector& row : matrix) most = std::max(most, largest_of(row));
    return most;
}

TEST_F(Captured, SoftmaxHeadsAreThoseOfALoop) {
    const auto model = lively_model("S[w=7] F x1", task_);
    CaptureText text = token_text(random_tokens(600, task_.vocab), nullptr);
    text.needles = {{.span = {40, 44}, .label = "here"}, {.span = {590, 592}, .label = "there"}};
    const SlowPass pass = slow_pass(*model, text.tokens);
    const CaptureAnswer answer = must(input_of(model, text, "0.1,1.2"));
    ASSERT_EQ(answer.capture.heads.size(), 8U);
    for (const CaptureHead& head : answer.capture.heads) {
        const Matrix& wanted = pass.attention[std::size_t(head.layer)][std::size_t(head.head)];
        const bool detail = head.layer == 0 ? head.head == 1 : head.head == 2;
        const auto read = read_captured_head(answer.capture.folder + "/" + head.file);
        ASSERT_TRUE(read) << describe(read.error());
        EXPECT_EQ(head.factors, detail);
        EXPECT_EQ(read->factors.has_value(), detail);
        EXPECT_EQ(head.finest, 2) << "600 tokens: squares of 4 are one tile";
        EXPECT_EQ(head.mixer, head.layer == 0 ? "swa" : "full");
        EXPECT_EQ(head.window, head.layer == 0 ? 7 : 0);
        EXPECT_FALSE(head.implied);
        Matrix shares = wanted;
        for (Vector& row : shares) row.pop_back();  // the sink's
        const std::string name = head.mixer + " " + head.file;
        expect_error((name + " tiles").c_str(), pyramid_error(read->pyramid, shares), 1e-6);
        if (detail) {
            // Scores are products of float32, and what is wrong with one of 50 is a factor on its share.
            const double limit = 1e-6 * largest_of(read->factors->offset_T);
            expect_error((name + " rows").c_str(), factors_error(*read->factors, shares), limit);
            double sink = 0;
            for (std::size_t t = 0; t < wanted.size(); ++t)
                sink = std::max(sink, std::abs(read->factors->sink_T[t] - wanted[t].back()));
            expect_error((name + " sink").c_str(), sink, 1e-6);
        }
        // Scores of the last query.
        const Vector& last = shares.back();
        const std::size_t tokens = shares.size();
        double mass = 0, entropy = 0, far = 0;
        for (std::size_t s = 0; s < tokens; ++s) {
            if ((s >= 40 && s < 44) || (s >= 590 && s < 592)) mass += last[s];
            if (last[s] > 0) entropy -= last[s] * std::log(last[s]);
            if (tokens - 1 - s >= 75) far = std::max(far, last[s]);
        }
        entropy /= std::log(head.window > 0 ? 7.0 : double(tokens));
        EXPECT_NEAR(head.scores.needle.value(), mass, 1e-9);
        EXPECT_NEAR(head.scores.entropy.value(), entropy, 1e-9);
        EXPECT_NEAR(head.scores.sink.value(), wanted.back().back(), 1e-9);
        EXPECT_NEAR(head.scores.far.value(), far, 1e-9);
    }
    EXPECT_EQ(answer.capture.settings["heads"], Json({"0.1", "1.2"}));
    EXPECT_EQ(answer.capture.notes.size(), 1U) << "longer than the context of the training";
    EXPECT_GT(answer.bytes, 0);
    // The strongest links follow from the files alone.
    const auto read = read_captured_head(answer.capture.folder + "/1.2.att");
    const auto links = top_links(*read->factors, read->pyramid, 5, 100);
    ASSERT_EQ(links.size(), 5U);
    EXPECT_NEAR(links[0].weight, pass.attention[1][2][std::size_t(links[0].query)][std::size_t(links[0].key)],
                1e-4);
}

class CapturedRecurrence : public Captured, public ::testing::WithParamInterface<const char*> {};

TEST_P(CapturedRecurrence, ImpliedMatricesAreThoseOfALoop) {
    const std::string mixer = GetParam();
    const auto model = lively_model(mixer + " x1", task_);
    const CaptureText text = token_text(random_tokens(300, task_.vocab), nullptr);
    const std::vector<Matrix> wanted = slow_implied(*model, text.tokens);
    const CaptureAnswer answer = must(input_of(model, text, "0.0,0.3"));
    ASSERT_EQ(answer.capture.heads.size(), wanted.size());
    for (const CaptureHead& head : answer.capture.heads) {
        const Matrix& matrix = wanted[std::size_t(head.head)];
        const bool detail = head.head != 1 && head.head != 2, delta = head.mixer == "gdn";
        const auto read = read_captured_head(answer.capture.folder + "/" + head.file);
        ASSERT_TRUE(read) << describe(read.error());
        EXPECT_TRUE(head.implied);
        EXPECT_EQ(head.factors, detail && !delta);
        EXPECT_EQ(head.finest, detail && delta ? 0 : 1);
        const double limit = 2e-6 * std::max(largest_of(matrix), 1.0);
        const std::string name = head.mixer + " " + head.file;
        expect_error((name + " tiles").c_str(), pyramid_error(read->pyramid, matrix), limit);
        if (head.factors)
            expect_error((name + " rows").c_str(), factors_error(*read->factors, matrix), limit);
        double sum = 0, far = 0;
        for (const double weight : matrix.back()) sum += std::abs(weight);
        for (std::size_t s = 0; s + 37 < 300; ++s) far = std::max(far, std::abs(matrix.back()[s]) / sum);
        EXPECT_NEAR(head.scores.far.value(), far, 1e-9);
        EXPECT_FALSE(head.scores.sink.has_value());
        EXPECT_FALSE(head.scores.needle.has_value());
    }
    EXPECT_EQ(answer.capture.notes.size(), 2U) << "longer than the training; implied";
}
INSTANTIATE_TEST_SUITE_P(Mixers, CapturedRecurrence, ::testing::Values("L", "M", "G"));

TEST_F(Captured, EveryMixerHasAReferenceHere) {
    for (const auto& kind : builtin_mixers().all()) {
        const std::string& id = kind->description().id;
        EXPECT_TRUE(kind->description().softmax || id == "lightning" || id == "mamba2" || id == "gdn") << id;
    }
}

TEST_F(Captured, ANeedleIsWhereItIsSaidToBe) {
    const auto model = lively_model("FG x1", task_);
    const MeasureInput measured = tiny_input("attention", *model, task_);
    const Result<CaptureText> text = needle_text(measured, 3, 0.25);
    ASSERT_TRUE(text) << describe(text.error());
    ASSERT_EQ(text->needles.size(), 1U);
    const CaptureSpan needle = text->needles[0].span;
    EXPECT_EQ(text->tokens[std::size_t(needle.begin)], 0) << "the mark";
    EXPECT_EQ(text->tokens[std::size_t(needle.begin) + 1], text->tokens.back())
        << "the key that is asked for";
    ASSERT_TRUE(text->answer);
    EXPECT_EQ(text->answer->begin, needle.begin + 2);
    EXPECT_EQ(text->texts.back(), std::to_string(text->tokens.back()));
    const CaptureAnswer answer = must(input_of(model, *text, ""));
    EXPECT_EQ(answer.capture.source, CaptureSource::needle);
    EXPECT_EQ(answer.capture.settings["sample"], 3);
    for (const CaptureHead& head : answer.capture.heads) {
        EXPECT_TRUE(head.scores.needle.has_value());
        EXPECT_EQ(head.factors, head.mixer == "full") << "softmax heads without being asked for";
    }
    // The same settings replace, others stand beside it.
    must(input_of(model, *text, ""));
    EXPECT_EQ(left().size(), 1U);
    must(input_of(model, *text, "none"));
    EXPECT_EQ(left().size(), 2U);
    EXPECT_EQ(list_captures(folder_ / "captures").captures.size(), 2U);
}

TEST_F(Captured, OneTokenAndOneTokenRepeated) {
    const auto model = lively_model("F[nope,nosink] L M G x1", task_);
    for (const std::int64_t tokens : {1, 2, 50}) {
        const CaptureText text = token_text(std::vector<std::int32_t>(std::size_t(tokens), 3), nullptr);
        const CaptureAnswer answer = must(input_of(model, text, "all"));
        ASSERT_EQ(answer.capture.heads.size(), 16U);
        const auto read = read_captured_head(answer.capture.folder + "/0.2.att");
        ASSERT_TRUE(read && read->factors);
        const std::vector<float> row = attention_row(*read->factors, tokens - 1);
        for (const float share : row) EXPECT_NEAR(share, 1 / double(tokens), 1e-6);
        EXPECT_EQ(answer.capture.heads[0].scores.far.has_value(), tokens > 1);
        for (const CaptureHead& head : answer.capture.heads)
            ASSERT_TRUE(read_captured_head(answer.capture.folder + "/" + head.file)) << head.file;
    }
}

TEST_F(Captured, HeadsThatThereAreNotAreNamedTogether) {
    const auto model = lively_model("FG x1", task_);
    const CaptureText text = token_text(random_tokens(20, task_.vocab), nullptr);
    const std::string said = describe(refused(input_of(model, text, "0.1,7.3,1.9,x,0")));
    for (const char* part : {"got \"7.3\"", "got \"1.9\"", "got \"x\"", "got \"0\"",
                             "a head of it from 0 to 3 in layer 1", "a layer from 0 to 1"})
        EXPECT_THAT(said, HasSubstr(part));
    EXPECT_THAT(said, ::testing::Not(HasSubstr("0.1\"")));
    EXPECT_TRUE(left().empty()) << "nothing was begun";
}

TEST_F(Captured, ALongTextOnACpuIsRefusedWithWhatItWouldTake) {
    const auto model = lively_model("FG x1", task_);
    const auto input = input_of(model, token_text(std::vector<std::int32_t>(100'000, 3), nullptr), "none");
    measured_->on_cpu = true;
    const Error error = refused(input);
    EXPECT_EQ(error.kind, ErrorKind::invalid_input);
    for (const char* part :
         {"got 100000", "would take about", " s and ", "memory", "--allow-long", "--device cuda"})
        EXPECT_THAT(describe(error), HasSubstr(part));
    measured_->allow_long = true;
    const std::string longer = describe(
        refused(input_of(model, token_text(std::vector<std::int32_t>((1 << 20) + 1, 3), nullptr), "none")));
    EXPECT_THAT(longer, HasSubstr("must have at most 1048576 tokens"));
}

TEST_F(Captured, ACaptureLargerThanTheDiskIsRefusedBeforeAnythingIsComputed) {
    const auto model = lively_model("F x1", task_);
    CaptureInput input = input_of(model, token_text(random_tokens(3'000, task_.vocab), nullptr), "all");
    bool opened = false;
    input.open = [&]() -> Result<std::shared_ptr<Model>> {
        opened = true;
        return model;
    };
    input.room = [](const std::string&) -> Result<std::int64_t> { return 1 << 20; };
    const Error error = refused(input);
    EXPECT_EQ(error.kind, ErrorKind::no_space);
    EXPECT_THAT(describe(error), HasSubstr("needs 3.762 MiB, but 1 MiB are free"));
    EXPECT_FALSE(opened);
    // What it needs is what it takes.
    input.room = {};
    const CaptureAnswer answer = must(input);
    std::int64_t bytes = 0;
    for (const auto& file : fs::directory_iterator(answer.capture.folder))
        bytes += std::int64_t(file.file_size());
    EXPECT_GT(bytes, 2'000'000);
    EXPECT_LT(bytes, 4'000'000);
}

TEST_F(Captured, AFullDiskLeavesNothing) {
    const std::string disk = folder_ / "captures";
    ASSERT_TRUE(make_folder(disk));
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2M") != 0)
        GTEST_SKIP() << "a small file system can only be mounted by root";
    const auto model = lively_model("F x1", task_);
    CaptureInput input = input_of(model, token_text(random_tokens(3'000, task_.vocab), nullptr), "all");
    input.room = [](const std::string&) -> Result<std::int64_t> { return INT64_MAX; };  // filled meanwhile
    const Error error = refused(input);
    EXPECT_EQ(error.kind, ErrorKind::no_space) << describe(error);
    EXPECT_THAT(describe(error), HasSubstr(".att"));
    EXPECT_TRUE(left().empty());
    ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Captured, WhatAKilledWriterLeftIsRemovedByTheNext) {
    const auto model = lively_model("F x1", task_);
    const std::string captures = folder_ / "captures";
    const std::string killed = captures + "/.unfinished-1-2-3", fresh = captures + "/.unfinished-1-2-4";
    for (const std::string& draft : {killed, fresh}) ASSERT_TRUE(make_folder(draft));
    std::ofstream(killed + "/lock") << "";
    std::ofstream(killed + "/0.0.att") << "half";
    const Result<CaptureDraft> living = CaptureDraft::begin(captures);
    ASSERT_TRUE(living) << describe(living.error());
    EXPECT_FALSE(fs::exists(killed));
    EXPECT_TRUE(fs::exists(fresh)) << "another writer may just be making it";
    fs::last_write_time(fresh, fs::file_time_type::clock::now() - std::chrono::hours(1));
    must(input_of(model, token_text(random_tokens(20, task_.vocab), nullptr), "all"));
    EXPECT_FALSE(fs::exists(fresh));
    EXPECT_TRUE(fs::exists(living->folder())) << "of a writer that works";
    EXPECT_EQ(list_captures(captures).captures.size(), 1U);
    EXPECT_TRUE(list_captures(captures).problems.empty());
}

TEST_F(Captured, AStopLeavesNothingAndTheNextPassIsWhole) {
    const auto model = lively_model("FG x2", task_);
    const auto input = input_of(model, token_text(random_tokens(200, task_.vocab), nullptr), "all");
    std::vector<std::string> said;
    measured_->progress = [&](double fraction, const std::string& text) {
        EXPECT_GE(fraction, 0);
        EXPECT_LE(fraction, 1);
        said.push_back(text);
        return said.size() < 12;
    };
    EXPECT_EQ(refused(input).kind, ErrorKind::interrupted);
    EXPECT_EQ(said.size(), 12U) << "nothing is done behind a stop";
    EXPECT_THAT(said.back(), HasSubstr(" of 4"));
    EXPECT_TRUE(left().empty());
    measured_->progress = {};
    must(input);
}

TEST(CaptureSpeed, TwoThousandTokensOfAHeadInASecondOnTwoCores) {
    const TemporaryFolder folder;
    TinyTask task = tiny_niah();
    // Dimensions of a head as in the paper's models.
    std::shared_ptr<Model> model = test::model(
        architecture(
            "FL x1",
            {.d_model = 64, .ffn_width = 96, .heads = 2, .kv_heads = 1, .head_dim = 64, .vocab = 26}),
        at::kFloat);
    const std::vector<std::int32_t> tokens = random_tokens(2'048, 26);
    std::map<std::string, double> seconds;
    ForwardTaps taps;
    taps.mixed = [&](const GroupTap& tap) {
        const auto begin = std::chrono::steady_clock::now();
        const auto head = capture_head(tap, 1, true, [](double) { return true; });
        seconds[tap.layer == 0 ? "softmax" : "implied"] =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        ASSERT_TRUE(head && head->factors);
    };
    model->forward(token_tensor({&tokens}), taps);
    for (const auto& [what, time] : seconds) {
        std::printf("    2,048 x 2,048 of a %s head: %.3f s\n", what.c_str(), time);
        EXPECT_LT(time, 10) << "a hang, not a slow machine";
    }
}

}  // namespace
}  // namespace braid::test
