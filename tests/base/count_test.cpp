#include "core/base/count.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Count, AcceptsWhatPeopleWrite) {
    const std::pair<const char*, std::int64_t> counts[] = {{"600", 600},
                                                           {"130k", 130'000},
                                                           {"130K", 130'000},
                                                           {"2.5M", 2'500'000},
                                                           {"1e9", 1'000'000'000},
                                                           {"1.2B", 1'200'000'000},
                                                           {"3G", 3'000'000'000},
                                                           {"1T", 1'000'000'000'000},
                                                           {"2_457_600", 2'457'600},
                                                           {"2,457,600", 2'457'600}};
    for (const auto& [text, value] : counts) {
        const auto read = parse_count(text, "--tokens");
        ASSERT_TRUE(read.has_value()) << text;
        EXPECT_EQ(*read, value) << text;
    }
}

TEST(Count, NamesWhatIsNone) {
    for (const char* text : {"", "K", "0", "-1", "0.2", "1e19", "inf", "nan", "130X", "1 000", "M5", "5KK"}) {
        const auto read = parse_count(text, "--tokens");
        ASSERT_FALSE(read.has_value()) << text;
        EXPECT_EQ(read.error().front().path, "--tokens");
        EXPECT_EQ(read.error().front().found, text);
    }
}

}  // namespace
}  // namespace braid
