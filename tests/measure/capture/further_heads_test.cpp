// What a capture takes from those before it.
#include <chrono>
#include <filesystem>

#include "core/attention/capture_file.h"
#include "tests/measure/capture/capture_fixture.h"

namespace braid::test {
namespace {

namespace fs = std::filesystem;

// Further heads of a text cost no second pass: what is there serves again, the rest comes from what the last
// pass left.
TEST_F(Captured, FurtherHeadsOfATextAreTakenFromWhatIsThere) {
    const auto model = lively_model("FSLM x1", task_);
    const std::vector<std::int32_t> tokens = random_tokens(700, task_.vocab);
    const auto input = [&](const std::string& heads, const char* folder) {
        CaptureInput made = input_of(model, token_text(tokens, nullptr), heads);
        made.folder = folder_ / folder;
        made.weights_written = fs::file_time_type::min();
        return made;
    };
    const auto same_as_afresh = [&](const CaptureAnswer& answer, const std::string& heads) {
        CaptureInput afresh = input(heads, "afresh");
        afresh.weights_written = fs::file_time_type::max();
        const CaptureAnswer expected = must(afresh);
        EXPECT_EQ(expected.computed, expected.capture.heads.size());
        EXPECT_EQ(answer.capture.heads, expected.capture.heads);
        EXPECT_EQ(answer.bytes, expected.bytes);
        for (const CaptureHead& head : expected.capture.heads) {
            const auto mine = read_captured_head(answer.capture.folder + "/" + head.file);
            const auto other = read_captured_head(expected.capture.folder + "/" + head.file);
            EXPECT_TRUE(mine && other && *mine == *other) << head.file;
        }
    };
    RememberedPass remembered;
    const auto capture = [&](const std::string& heads) {
        CaptureInput made = input(heads, "captures");
        made.remembered = &remembered;
        return must(made);
    };
    const std::size_t all = capture("none").computed;
    EXPECT_EQ(all, 16U);
    EXPECT_GT(remembered.bytes(), 0);
    CaptureAnswer further = capture("0.1,2.0,3.1");
    EXPECT_EQ(further.computed, 3U);
    EXPECT_FALSE(further.passed);
    same_as_afresh(further, "0.1,2.0,3.1");
    further = capture("0.1,1.0,2.0,3.1");
    EXPECT_EQ(further.computed, 1U) << "the others are of the captures before";
    EXPECT_FALSE(further.passed);
    same_as_afresh(further, "0.1,1.0,2.0,3.1");
    // Nothing remembered: a pass, up to the layer that is wanted.
    remembered.forget();
    further = capture("1.1");
    EXPECT_EQ(further.computed, 1U);
    EXPECT_TRUE(further.passed);
    EXPECT_FALSE(remembered.holds(2, 0));
    same_as_afresh(further, "1.1");
    // A file that is damaged is made anew; younger weights make all of them anew.
    fs::resize_file(further.capture.folder + "/1.1.att", 100);
    further = capture("1.1");
    EXPECT_EQ(further.computed, 1U);
    same_as_afresh(further, "1.1");
    CaptureInput younger = input("1.1", "captures");
    younger.weights_written = fs::file_time_type::clock::now() + std::chrono::hours(1);
    EXPECT_EQ(must(younger).computed, all);
}

// Where there is little room, layers that see the whole text are what stays.
TEST_F(Captured, LittleIsRememberedWhereThereIsLittleRoom) {
    const auto model = lively_model("MLSF x1", task_);
    RememberedPass remembered;
    const auto capture = [&] {
        CaptureInput made = input_of(model, token_text(random_tokens(300, task_.vocab), nullptr), "none");
        made.remembered = &remembered;
        return must(made);
    };
    capture();
    for (const std::int64_t layer : {0, 1, 2, 3}) EXPECT_TRUE(remembered.holds(layer, 0));
    const std::int64_t whole = remembered.bytes();
    remembered.limit(whole - 1);
    EXPECT_EQ(remembered.bytes(), 0);
    capture();
    EXPECT_LT(remembered.bytes(), whole);
    EXPECT_GT(remembered.bytes(), 0);
    EXPECT_TRUE(remembered.holds(3, 0) && remembered.holds(2, 0));
    EXPECT_FALSE(remembered.holds(0, 0));
    remembered.limit(1);
    EXPECT_TRUE(capture().passed);
    EXPECT_EQ(remembered.bytes(), 0);
}

}  // namespace
}  // namespace braid::test
