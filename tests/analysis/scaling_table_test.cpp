#include "core/analysis/scaling_table.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

std::string messages(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.message() + "\n";
    return text;
}

Checked<ScalingTable> read(std::string_view text, const ScalingTableOptions& options = {}) {
    Checked<CsvTable> table = parse_csv(text);
    if (!table) return tl::unexpected(table.error());
    return scaling_table(std::move(*table), options);
}

RowRule rule(std::string_view text) { return *parse_row_rule(text, "rule"); }

void expect_problems(const Checked<ScalingTable>& table, const std::vector<std::string>& parts,
                     std::size_t count) {
    ASSERT_FALSE(table);
    const std::string text = messages(table.error());
    for (const std::string& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(table.error().size(), count) << text;
}

TEST(ScalingTable, ColumnsInAnyOrderAndCaseOthersKept) {
    const auto table = read("seed,LOSS,Tokens,note,parameters\n1,3.2,1e9,\"a, b\",1.5e7\n");
    ASSERT_TRUE(table) << messages(table.error());
    ASSERT_EQ(table->points.size(), 1U);
    EXPECT_EQ(table->points[0].parameters, 1.5e7);
    EXPECT_EQ(table->points[0].tokens, 1e9);
    EXPECT_EQ(table->points[0].loss, 3.2);
    EXPECT_EQ(table->points[0].line, 2U);
    EXPECT_EQ(table->table.titles.size(), 5U);
}

TEST(ScalingTable, EveryBadCellIsNamedByLineRuleAndValue) {
    expect_problems(read("parameters,tokens,loss\n"
                         "15M,1e9,3.2\n"
                         "1e7,-5,3.1\n"
                         "1e7,1e9,nan\n"
                         "inf,0,\n"
                         "1e7,2e9,3.0\n"
                         "1e7,2e9,3.0\n"),
                    {"line 2, parameters: must be a number such as 15000000 or 1.5e7, got '15M'",
                     "line 3, tokens: must be above 0, got -5", "line 4, loss: must be finite, got nan",
                     "line 5, parameters: must be finite, got inf", "line 5, tokens: must be above 0, got 0",
                     "line 5, loss: must be a number such as 15000000 or 1.5e7, got nothing",
                     "line 7: must be there once: it repeats line 6"},
                    7);
}

TEST(ScalingTable, MissingColumnsAreNamedWithWhatThereIs) {
    expect_problems(read("N,D,loss\n1,2,3\n"),
                    {"column of the parameters: must be one of N, D, loss, got 'parameters'",
                     "column of the tokens: must be one of N, D, loss, got 'tokens'"},
                    2);
    EXPECT_TRUE(read("N,D,loss\n1e8,2e9,3\n", {.parameters = "n", .tokens = "d"}));
    expect_problems(read("parameters,tokens,loss\n", {}), {"must have rows"}, 1);
    expect_problems(read("parameters,tokens,loss\n1,2,3\n", {.group = "arch"}), {"column of the groups"}, 1);
}

TEST(ScalingTable, RulesHoldOutAndExclude) {
    const std::string text =
        "scale,arch,parameters,tokens,loss\n"
        "S1,Full,1e7,1e9,nan\nS1,Full,1e7,2e9,3.4\nS4,Full,1e8,1e10,2.9\n"
        "S1,SWA,1.1e7,1.1e9,3.6\nS4,SWA,1.2e8,1.2e10,2.8\n";
    const auto table =
        read(text, {.group = "ARCH",
                    .held_out = {rule("largest")},
                    .excluded = {rule("scale=S1, tokens_per_parameter<=100: too little training")}});
    ASSERT_TRUE(table) << messages(table.error());
    const auto use = [&](std::size_t i) { return table->points[i].use; };
    EXPECT_EQ(use(0), PointUse::excluded) << "an excluded row may hold any loss";
    EXPECT_EQ(table->points[0].reason, "too little training");
    EXPECT_EQ(use(1), PointUse::fitted);
    EXPECT_EQ(use(2), PointUse::held_out) << "the largest of its group";
    EXPECT_EQ(use(3), PointUse::excluded);
    EXPECT_EQ(use(4), PointUse::held_out);
    EXPECT_EQ(read(text, {.excluded = {rule("line=2")}})->points[0].reason, "line=2");
}

TEST(ScalingTable, RulesThatMeanNothingAreRefused) {
    expect_problems(
        read("parameters,tokens,loss\n1e8,2e9,3\n",
             {.held_out = {rule("scale=S4")}, .excluded = {rule("loss>99")}}),
        {"--held-out: must ask for one of parameters, tokens, loss, tokens_per_parameter, line, got 'scale'",
         "--exclude: must match a row, got 'loss>99'"},
        2);
    const Checked<RowRule> wrong = parse_row_rule("scale, =3, tokens>: why", "--exclude");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().size(), 3U) << messages(wrong.error());
}

TEST(ScalingTable, CellsCompareAsNumbersWhereBothAre) {
    EXPECT_TRUE(compare_cells("1e3", "=", "1000"));
    EXPECT_TRUE(compare_cells("1001", ">", "1000"));
    EXPECT_FALSE(compare_cells("9", ">", "10"));
    EXPECT_TRUE(compare_cells("S4", "!=", "S3"));
    EXPECT_FALSE(compare_cells("S4", "<", "S5")) << "text has no order";
    EXPECT_TRUE(compare_cells("100.00001", "<=", "100"));
}

TEST(ScalingTable, RepeatsAndSmallNumbersAreSaid) {
    const auto table = read("parameters,tokens,loss\n15,1000,3.1\n15,1000,3.2\n30,1000,3.0\n");
    ASSERT_TRUE(table);
    std::string text;
    for (const std::string& warning : table->warnings) text += warning + "\n";
    EXPECT_NE(text.find("2 rows share parameters and tokens"), std::string::npos) << text;
    EXPECT_NE(text.find("--group"), std::string::npos) << text;
    EXPECT_NE(text.find("not millions"), std::string::npos) << text;
}

}  // namespace
}  // namespace braid
