// bench: every table has its rows, and a step is compared with the plain model where that knows it.
#include <gtest/gtest.h>

#include "core/record/growth.h"
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

TEST(Bench, AccumulationAndKernelsAreThoseOfTraining) {
    const auto step = [](const std::vector<std::string>& more) {
        std::vector<std::string> words{"bench",    "step", "F x1",    "--device", "cpu",
                                       "--rounds", "3",    "--batch", "2",        "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return run({words});
    };
    const Finished once = step({}),
                   thrice = step({"--accumulate", "3", "--set", "kernels.attention=reference"});
    ASSERT_EQ(once.code, 0) << once.all();
    ASSERT_EQ(thrice.code, 0) << thrice.all();
    const Json row = thrice.json()["rows"][0];
    EXPECT_NEAR(row["step_ms"].get<double>(),
                3 * row["forward_backward_ms"].get<double>() + row["update_ms"].get<double>(), 1e-6);
    EXPECT_NEAR(row["tokens_per_s"].get<double>(), 3 * 2 * 128 / row["step_ms"].get<double>() * 1e3, 1);
    EXPECT_EQ(row["attention_kernels"][0], "reference: all shapes");
    EXPECT_NE(once.json()["rows"][0]["attention_kernels"], row["attention_kernels"]);
    EXPECT_EQ(step({"--set", "kernels.attention=nosuch"}).code, 2);
    EXPECT_EQ(step({"--set", "kernels.recurrence=hopper"}).code, 2) << "not on the CPU";
    EXPECT_NE(row["activations"].get<std::string>().find("all are kept"), std::string::npos);
    const Finished tight = step({"--set", "activation_memory=1e-6"});
    ASSERT_EQ(tight.code, 0) << tight.all();
    EXPECT_NE(tight.json()["rows"][0]["activations"].get<std::string>().find("computed again"),
              std::string::npos);
    EXPECT_EQ(step({"--accumulate", "2", "--contexts", "64"}).code, 2);
    const Finished idle = step({"--set", "gpus=4", "--set", "data.keys=3", "--set", "grad_clip=0.5"});
    EXPECT_EQ(idle.code, 2);
    EXPECT_NE(idle.all().find("gpus"), std::string::npos) << idle.all();
    EXPECT_NE(idle.all().find("data.keys"), std::string::npos) << idle.all();
    const Finished uneven = step({"--contexts", "100"});
    EXPECT_NE(uneven.all().find("--contexts: must divide 256"), std::string::npos) << uneven.all();
}

TEST(Bench, MixersDecodingAndLossHaveTheirRows) {
    const Finished ops =
        run({{"bench", "ops", "--device", "cpu", "--rounds", "1", "--context", "64", "--json"}});
    ASSERT_EQ(ops.code, 0) << ops.all();
    EXPECT_EQ(ops.json()["rows"].size(), 5U);
    EXPECT_EQ(ops.json()["rows"][0]["of_full"], 1.0);
    const Finished alone =
        run({{"bench", "operators", "--device", "cpu", "--rounds", "1", "--context", "200", "--json"}});
    ASSERT_EQ(alone.code, 0) << alone.all();
    const Json operators = alone.json()["rows"];
    ASSERT_EQ(operators.size(), 6U) << "all keys, the window below 200 tokens, three recurrences, the head";
    EXPECT_EQ(operators[1]["operation"], "attention, window 128, sink");
    for (const Json& row : operators) {
        EXPECT_GT(row["forward_ms"].get<double>(), 0) << row;
        EXPECT_GT(row["forward_backward_ms"].get<double>(), 0) << row;
    }
    EXPECT_GT(operators[0]["tflops"].get<double>(), 0);
    EXPECT_TRUE(operators[2]["tflops"].is_null()) << operators[2];
    const Finished decode = run({{"bench", "decode", "SF", "--device", "cpu", "--context", "64", "--batch",
                                  "2", "--rounds", "2", "--json"}});
    ASSERT_EQ(decode.code, 0) << decode.all();
    EXPECT_GT(decode.json()["rows"][0]["state_bytes"].get<std::int64_t>(), 0);
    const Finished loss =
        run({{"bench", "loss", "--device", "cpu", "--rounds", "1", "--batch", "1", "--json"}});
    ASSERT_EQ(loss.code, 0) << loss.all();
    EXPECT_GT(loss.json()["rows"][0]["ratio"].get<double>(), 0);
}

TEST(Bench, ASweepOverContextsAndScalesIsATableAndAFile) {
    const Workplace place;
    const std::string file = place.path("growth.json");
    const std::vector<std::string> sweep{
        "bench",   "step", "F",          "FS[w=8]",   "--device", "cpu",  "--context", "64",
        "--batch", "4",    "--contexts", "32,64,128", "--scales", "tiny", "--rounds",  "1"};
    std::vector<std::string> with_file = sweep;
    with_file.insert(with_file.end(), {"--out", file});
    const Finished table = run({with_file});
    ASSERT_EQ(table.code, 0) << table.all();
    EXPECT_NE(table.out.find("TOKENS/S"), std::string::npos) << table.out;
    const Result<GrowthRecord> record = read_growth(file);
    ASSERT_TRUE(record) << describe(record.error());
    ASSERT_EQ(record->rows.size(), 6U) << "three contexts of each; the scale is among them";
    for (const GrowthRow& row : record->rows) {
        EXPECT_EQ(row.batch * row.context, 256) << "as many tokens a step";
        EXPECT_GT(row.tokens_per_s(), 0);
        EXPECT_GT(row.parameters, 0);
    }
    EXPECT_FALSE(record->title.empty());
    EXPECT_NE(record->command.find("--contexts 32,64,128"), std::string::npos) << record->command;
    std::vector<std::string> too_long = sweep;
    too_long[11] = "512";
    EXPECT_EQ(run({too_long}).code, 2) << "more than a step's tokens";
}

TEST(Bench, BadShapesAreInvalidInput) {
    EXPECT_EQ(run({{"bench", "step", "F", "--batch", "0"}}).code, 2);
    EXPECT_EQ(run({{"bench", "step", "FQ"}}).code, 2);
    EXPECT_EQ(run({{"bench", "ops", "--scale", "S9"}}).code, 2);
}

}  // namespace
}  // namespace braid::testing
