#include "core/base/json_reader.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(JsonReader, CollectsEveryProblem) {
    const Json json = {{"schema_version", 1}, {"a", "text"},        {"b", 0},        {"c", 1.5},
                       {"d", true},           {"e", Json::array()}, {"surplus", "x"}};
    Diagnostics problems;
    JsonReader reader(json, "top", problems);
    EXPECT_TRUE(reader.schema_version(1));
    double number = 0;
    std::int64_t integer = 0;
    std::string text;
    reader.number("a", number);
    reader.integer("b", integer, 1, 5);
    reader.integer("c", integer);
    reader.text("d", text);
    reader.require("missing");
    reader.find("e");
    reader.refuse_unknown_keys();
    std::vector<std::string> messages;
    for (const Diagnostic& problem : problems) messages.push_back(problem.message());
    EXPECT_EQ(messages, (std::vector<std::string>{
                            "top.a: must be a number, got \"text\"", "top.b: must be at least 1, got 0",
                            "top.c: must be an integer, got 1.5", "top.d: must be a text, got true",
                            "top.missing: must be given", "top.surplus: is not a known key, got \"x\""}));
}

TEST(JsonReader, RefusesAFutureSchema) {
    Diagnostics problems;
    const Json json = {{"schema_version", 3}};
    JsonReader reader(json, "", problems);
    EXPECT_FALSE(reader.schema_version(2));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].rule.find("newer Braid"), std::string::npos);
}

TEST(JsonReader, PutsNestedProblemsBelowTheirKey) {
    Diagnostics problems;
    const Json json = Json::object();
    JsonReader reader(json, "", problems);
    std::string value;
    reader.take("layers",
                Checked<std::string>(
                    tl::unexpected(Diagnostics{{.path = "[2].window", .rule = "is wrong", .found = {}},
                                               {.path = "", .rule = "is empty", .found = {}}})),
                value);
    EXPECT_EQ(problems[0].path, "layers[2].window");
    EXPECT_EQ(problems[1].path, "layers");
}

TEST(JsonReader, AnIntegerTooLargeIsAProblemNotAWrap) {
    Diagnostics problems;
    const Json json = {{"n", 18446744073709551615ULL}};
    JsonReader reader(json, "", problems);
    std::int64_t n = 7;
    reader.integer("n", n);
    EXPECT_EQ(n, 7);
    EXPECT_EQ(problems.size(), 1U);
}

}  // namespace
}  // namespace braid
