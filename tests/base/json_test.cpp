#include "core/base/json.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Json, ErrorNamesLineAndColumn) {
    const Result<Json> parsed = parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}", "f.json");
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().path, "f.json");
    EXPECT_NE(parsed.error().message.find("line 3, column 7"), std::string::npos) << parsed.error().message;
}

TEST(Json, RefusesTrailingTextAndDeepNesting) {
    EXPECT_FALSE(parse_json("1 2").has_value());
    EXPECT_FALSE(parse_json("").has_value());
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    const Result<Json> parsed = parse_json(deep);
    ASSERT_FALSE(parsed.has_value());
    EXPECT_NE(parsed.error().message.find("256"), std::string::npos);
}

TEST(Json, ANumberBeyondEveryDoubleIsAnErrorAndNoException) {
    const Result<Json> parsed = parse_json(R"({"a": [2e70000]})", "f.json");
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(describe(parsed.error()), "f.json: a number of the JSON is too large: '2e70000'");
}

TEST(Json, HashIgnoresKeyOrder) {
    EXPECT_EQ(content_hash(parse_json(R"({"a":1,"b":[2]})").value()),
              content_hash(parse_json(R"({"b":[2],"a":1})").value()));
    EXPECT_NE(content_hash(parse_json(R"({"a":1})").value()), content_hash(parse_json(R"({"a":2})").value()));
    EXPECT_EQ(content_hash(std::string_view("")),
              "99aa06d3014798d86001c324468d497f");  // XXH3-128 of no bytes
}

}  // namespace
}  // namespace braid
