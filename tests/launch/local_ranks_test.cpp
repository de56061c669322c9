#include "core/launch/local_ranks.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <thread>

#include "core/base/file.h"
#include "tests/record/run_fixture.h"

namespace braid {
namespace {

using ::testing::HasSubstr;

class LocalRanksTest : public RunTest {
protected:
    void SetUp() override {
        RunTest::SetUp();
        const std::string fake = std::string(std::getenv("BRAID_BINARY_DIR")) + "/tests/fake_engine";
        ::setenv("BRAID_ENGINE", fake.c_str(), 1);
    }
    void TearDown() override {
        ::unsetenv("BRAID_ENGINE");
        ::unsetenv("BRAID_FAKE");
    }
    template <class Condition>
    static bool eventually(const Condition& holds) {
        for (int i = 0; i < 1'000; ++i) {
            if (holds()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
};

TEST_F(LocalRanksTest, GetThePlaceOfTheirRankAndAreEnded) {
    ::setenv("BRAID_FAKE", "rank", 1);
    Result<LocalRanks> ranks = LocalRanks::start(folder_, 3);
    ASSERT_TRUE(ranks) << describe(ranks.error());
    std::string log;
    ASSERT_TRUE(eventually([&] {
        log = read_file(folder_.log_file()).value_or("");
        return std::count(log.begin(), log.end(), '\n') >= 2;
    })) << log;
    for (const char* rank : {"1", "2"})
        EXPECT_THAT(log, HasSubstr(std::string("rank ") + rank + " of 3, local " + rank +
                                   " of 3, at 127.0.0.1:" + std::to_string(ranks->port())));
    EXPECT_FALSE(ranks->failed());
    ranks->end();
    EXPECT_FALSE(ranks->failed()) << "nobody is left";
}

TEST_F(LocalRanksTest, OneThatEndsIsNamedWithItsLastWords) {
    ::setenv("BRAID_FAKE", "fails", 1);
    Result<LocalRanks> ranks = LocalRanks::start(folder_, 2);
    ASSERT_TRUE(ranks) << describe(ranks.error());
    std::optional<Error> error;
    ASSERT_TRUE(eventually([&] { return (error = ranks->failed()).has_value(); }));
    EXPECT_THAT(error->message, HasSubstr("rank 1 ended with code 3 before the run began"));
    EXPECT_THAT(error->message, HasSubstr("no memory for the model"));
}

}  // namespace
}  // namespace braid
