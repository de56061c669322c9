#include "core/spec/window_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/mixers/builtin.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"

namespace braid {
namespace {

std::vector<std::string> notes(const char* pattern, std::int64_t context) {
    return window_notes(instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale("S1")),
                        builtin_mixers(), context);
}

TEST(WindowNotes, NameEveryWindowThatLimitsNothing) {
    EXPECT_THAT(notes("FS[w=512] x2", 128),
                testing::ElementsAre(
                    "layers[1], layers[3]: a window of 512 tokens is above the context of 128; these "
                    "layers see all of it, as full attention does"));
    EXPECT_THAT(notes("{F:3 S[w=200]:3} S[w=300] x1", 128),
                testing::ElementsAre(testing::StartsWith("layers[0].groups[1]: a window of 200"),
                                     testing::StartsWith("layers[1]: a window of 300")));
    EXPECT_THAT(notes("S[w=512] x9", 100), testing::ElementsAre(testing::HasSubstr("layers[3] and 5 more:")));
}

TEST(WindowNotes, AreSilentWhereWindowsWork) {
    EXPECT_THAT(notes("FS[w=128] M x2", 128), testing::IsEmpty());
    EXPECT_THAT(notes("FS[w=16] x2", 128), testing::IsEmpty());
}

}  // namespace
}  // namespace braid
