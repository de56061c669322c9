#include "core/base/csv_table.h"

#include <gmock/gmock.h>

#include "core/base/parse_number.h"

namespace braid {
namespace {

using testing::ElementsAre;

std::string messages(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.message() + "\n";
    return text;
}

TEST(CsvTable, QuotesLineEndsAndBlanks) {
    const Checked<CsvTable> table = parse_csv(
        "\xEF\xBB\xBF Model , \"a, b\"\r\n\r\n x ,\"say \"\"hi\"\"\"\r\n\"two\nlines\", 3 \r\nlast,");
    ASSERT_TRUE(table) << messages(table.error());
    EXPECT_THAT(table->titles, ElementsAre("Model", "a, b"));
    ASSERT_EQ(table->rows.size(), 3U);
    EXPECT_THAT(table->rows[0].cells, ElementsAre("x", "say \"hi\""));
    EXPECT_THAT(table->rows[1].cells, ElementsAre("two\nlines", "3"));
    EXPECT_THAT(table->rows[2].cells, ElementsAre("last", ""));
    EXPECT_EQ(table->rows[0].line, 3U);
    EXPECT_EQ(table->rows[2].line, 6U);
    EXPECT_EQ(table->column("MODEL "), 0U);
    EXPECT_FALSE(table->column("c"));
}

TEST(CsvTable, TabsAndSemicolonsPartFieldsWhereThereIsNoComma) {
    EXPECT_EQ(parse_csv("a\tb\n1\t\n")->rows[0].cells.size(), 2U);
    EXPECT_EQ(parse_csv("a;b\n1,5;2\n")->rows[0].cells[0], "1,5");
}

TEST(CsvTable, EveryBadRowIsListed) {
    const Checked<CsvTable> table = parse_csv("a,b,A\n1,2,3\n1,2\n\n1,2,3,4\n\"open,1,2\n");
    ASSERT_FALSE(table);
    const std::string text = messages(table.error());
    for (const char* part :
         {"line 3: must have 3 cells", "got 2", "line 5", "got 4", "line 6: must close every quote",
          "line 1: must name every column once, got A twice"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(CsvTable, EmptyAndBinaryFilesAreRefused) {
    EXPECT_FALSE(parse_csv(""));
    EXPECT_FALSE(parse_csv("\n\n"));
    const Checked<CsvTable> zip = parse_csv(std::string_view("PK\x03\x04\0\0\n", 7));
    ASSERT_FALSE(zip);
    EXPECT_NE(messages(zip.error()).find("export it as CSV"), std::string::npos);
}

TEST(CsvTable, WhatIsWrittenReadsBack) {
    const CsvTable table{
        .titles = {"a", "b;c"},
        .rows = {{.line = 2, .cells = {"1,2", "\"x\""}}, {.line = 3, .cells = {"", "two\nlines"}}}};
    const Checked<CsvTable> again = parse_csv(to_csv(table));
    ASSERT_TRUE(again) << messages(again.error());
    EXPECT_EQ(again->titles, table.titles);
    EXPECT_EQ(again->rows, table.rows);
}

TEST(CsvTable, NumbersAreWholeCells) {
    EXPECT_EQ(parse_number(" 1.5e7 "), 1.5e7);
    EXPECT_EQ(parse_number("+3"), 3);
    for (const char* text : {"", "1,5", "12M", "1 2", "--1", "+-1", "0x10", "1e999"})
        EXPECT_FALSE(parse_number(text)) << text;
    EXPECT_TRUE(std::isnan(*parse_number("NaN")));
    EXPECT_TRUE(std::isinf(*parse_number("inf")));
}

}  // namespace
}  // namespace braid
