// bench: every table has its rows, and a step is compared with the plain model where that knows it.
#include <gtest/gtest.h>

#include "tests/app_engine/program.h"

namespace braid::testing {
namespace {

TEST(Bench, AStepStandsBesideThePlainModel) {
    const Finished bench = run({{"bench", "step", "(FS[w=16])x2", "LF", "--device", "cpu", "--rounds", "3",
                                 "--batch", "4", "--json"}});
    ASSERT_EQ(bench.code, 0) << bench.all();
    const Json rows = bench.json()["rows"];
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_GT(rows[0]["step_ms"].get<double>(), 0);
    // 2.4 to 2.6 on an x86 core; the floor only says that the fast path is one.
    EXPECT_EQ(bench.json()["clock"], "cpu");
    EXPECT_GT(rows[0]["ratio"].get<double>(), 1.2);
    EXPECT_TRUE(rows[1]["ratio"].is_null()) << "the plain model has softmax attention alone";
}

TEST(Bench, MixersDecodingAndLossHaveTheirRows) {
    const Finished ops =
        run({{"bench", "ops", "--device", "cpu", "--rounds", "1", "--context", "64", "--json"}});
    ASSERT_EQ(ops.code, 0) << ops.all();
    EXPECT_EQ(ops.json()["rows"].size(), 5U);
    EXPECT_EQ(ops.json()["rows"][0]["of_full"], 1.0);
    const Finished decode = run({{"bench", "decode", "SF", "--device", "cpu", "--context", "64", "--batch",
                                  "2", "--rounds", "2", "--json"}});
    ASSERT_EQ(decode.code, 0) << decode.all();
    EXPECT_GT(decode.json()["rows"][0]["state_bytes"].get<std::int64_t>(), 0);
    const Finished loss =
        run({{"bench", "loss", "--device", "cpu", "--rounds", "1", "--batch", "1", "--json"}});
    ASSERT_EQ(loss.code, 0) << loss.all();
    EXPECT_GT(loss.json()["rows"][0]["ratio"].get<double>(), 0);
}

TEST(Bench, BadShapesAreInvalidInput) {
    EXPECT_EQ(run({{"bench", "step", "F", "--batch", "0"}}).code, 2);
    EXPECT_EQ(run({{"bench", "step", "FQ"}}).code, 2);
    EXPECT_EQ(run({{"bench", "ops", "--scale", "S9"}}).code, 2);
}

}  // namespace
}  // namespace braid::testing
