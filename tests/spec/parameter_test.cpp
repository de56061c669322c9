#include "core/spec/parameter.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<ParameterDescription>& descriptions() {
    static const std::vector<ParameterDescription> all = {
        {.key = "window",
         .label = "Window",
         .default_value = std::int64_t{128},
         .minimum = 1,
         .maximum = 4096},
        {.key = "position",
         .label = "Position",
         .default_value = std::string("rope"),
         .choices = {"rope", "nope"}},
        {.key = "base",
         .label = "Base",
         .default_value = 1e5,
         .minimum = 1,
         .maximum = 1e12,
         .only_if = "position=rope"},
        {.key = "sink", .label = "Sink", .default_value = true},
    };
    return all;
}

const ParameterDescription& description(std::string_view key) { return *find_parameter(descriptions(), key); }

std::string problem(std::string_view key, std::string_view text) {
    const auto value = parse_parameter(description(key), text, "layers[3]." + std::string(key));
    return value ? "" : value.error().front().message();
}

TEST(Parameter, TextIsShortAndReadsBackToTheSameValue) {
    EXPECT_EQ(to_text(1e5), "1e5");
    EXPECT_EQ(to_text(5e5), "5e5");
    EXPECT_EQ(to_text(3e-3), "0.003");
    EXPECT_EQ(to_text(1e-8), "1e-8");
    EXPECT_EQ(to_text(1e100), "1e100");
    EXPECT_EQ(to_text(0.0), "0");
    EXPECT_EQ(to_text(std::int64_t{1024}), "1024");
    EXPECT_EQ(to_text(true), "true");
    EXPECT_EQ(to_text(std::string("rope")), "rope");
    for (const double value : {1.0, 12345.678, 1e5, 2.5e11, 4.0 / 3.0, 99999.5})
        EXPECT_EQ(*parse_parameter(description("base"), to_text(value), ""), ParameterValue(value));
}

TEST(Parameter, ReadsTheWaysInWhichPeopleWriteNumbersAndFlags) {
    EXPECT_EQ(*parse_parameter(description("window"), " 1e3 ", ""), ParameterValue(std::int64_t{1000}));
    EXPECT_EQ(*parse_parameter(description("window"), "+16", ""), ParameterValue(std::int64_t{16}));
    EXPECT_EQ(*parse_parameter(description("base"), "500000", ""), ParameterValue(5e5));
    for (const char* yes : {"true", "on", "yes", "1"})
        EXPECT_EQ(*parse_parameter(description("sink"), yes, ""), ParameterValue(true));
    for (const char* no : {"false", "off", "no", "0"})
        EXPECT_EQ(*parse_parameter(description("sink"), no, ""), ParameterValue(false));
}

TEST(Parameter, ProblemsNamePlaceRuleAndValue) {
    EXPECT_EQ(problem("window", "-1"), "layers[3].window: must be at least 1, got -1");
    EXPECT_EQ(problem("window", "5000"), "layers[3].window: must be at most 4096, got 5000");
    EXPECT_EQ(problem("window", "16.5"), "layers[3].window: must be a whole number, got \"16.5\"");
    EXPECT_EQ(problem("window", ""), "layers[3].window: must be a whole number, got \"\"");
    EXPECT_EQ(problem("window", "99999999999999999999"),
              "layers[3].window: must be a whole number, got \"99999999999999999999\"");
    EXPECT_EQ(problem("base", "inf"), "layers[3].base: must be a number, got \"inf\"");
    EXPECT_EQ(problem("base", "0.5"), "layers[3].base: must be at least 1, got 0.5");
    EXPECT_EQ(problem("position", "rpoe"), "layers[3].position: must be rope or nope, got \"rpoe\"");
    EXPECT_EQ(problem("sink", "maybe"), "layers[3].sink: must be true or false, got \"maybe\"");
}

TEST(Parameter, NotANumberIsOutOfEveryRange) {
    const auto broken =
        check_parameter(description("base"), ParameterValue(std::numeric_limits<double>::quiet_NaN()), "b");
    ASSERT_TRUE(broken);
    EXPECT_EQ(broken->message(), "b: must be at least 1, got nan");
}

TEST(Parameter, WholeNumbersAndRealsOfJsonBecomeTheDescribedType) {
    EXPECT_EQ(coerced(description("base"), std::int64_t{100000}), ParameterValue(1e5));
    EXPECT_EQ(coerced(description("window"), 16.0), ParameterValue(std::int64_t{16}));
    EXPECT_EQ(coerced(description("window"), 16.5), ParameterValue(16.5));
    EXPECT_EQ(check_parameter(description("window"), 16.5, "w")->message(),
              "w: must be a whole number, got 16.5");
    ParameterValues values;
    values.set("base", std::int64_t{5000});
    EXPECT_EQ(values.real("base", descriptions()), 5000.0);
}

TEST(Parameter, JsonOfOtherKindsIsRefused) {
    for (const char* text : {"null", "[1]", "{}"})
        EXPECT_FALSE(parameter_from_json(Json::parse(text), "p")) << text;
    EXPECT_EQ(parameter_from_json(Json::parse("18446744073709551615"), "p").error().front().message(),
              "p: must be at most 9223372036854775807, got 18446744073709551615");
    for (const ParameterValue& value : {ParameterValue(true), ParameterValue(std::int64_t{-3}),
                                        ParameterValue(0.25), ParameterValue(std::string("a"))})
        EXPECT_EQ(*parameter_from_json(to_json(value), ""), value);
}

TEST(ParameterValues, AbsentKeysHaveTheirDefault) {
    ParameterValues values;
    EXPECT_EQ(values.integer("window", descriptions()), 128);
    EXPECT_EQ(values.text("position", descriptions()), "rope");
    EXPECT_TRUE(values.flag("sink", descriptions()));
    values.set("window", std::int64_t{4});
    EXPECT_EQ(values.integer("window", descriptions()), 4);
    values.reset("window");
    EXPECT_EQ(values, ParameterValues());
}

TEST(ParameterValuesDeathTest, AKeyThatIsNotDescribedIsAProgrammersError) {
    EXPECT_DEATH((void)ParameterValues().get("widnow", descriptions()), "widnow");
}

TEST(ParameterValues, NormalisedLeavesOutWhatChangesNothing) {
    ParameterValues values;
    values.set("window", std::int64_t{128});  // the default
    values.set("position", std::string("nope"));
    values.set("base", std::int64_t{5});  // without effect under nope
    values.set("sink", false);
    values.set("other", std::int64_t{1});  // not described: kept for validate() to report
    ParameterValues expected;
    expected.set("position", std::string("nope"));
    expected.set("sink", false);
    expected.set("other", std::int64_t{1});
    EXPECT_EQ(normalised(values, descriptions()), expected);
}

TEST(ParameterValues, EveryProblemIsReported) {
    ParameterValues values;
    values.set("window", std::int64_t{0});
    values.set("position", true);
    values.set("widnow", std::int64_t{3});
    std::vector<std::string> messages;
    for (const Diagnostic& each : check_parameters(values, descriptions(), "Sliding window", "layers[0]"))
        messages.push_back(each.message());
    EXPECT_THAT(
        messages,
        ElementsAre("layers[0].position: must be text, got true",
                    "layers[0].widnow: is no parameter of Sliding window (window, position, base, sink)",
                    "layers[0].window: must be at least 1, got 0"));
    EXPECT_THAT(check_parameters({}, descriptions(), "", ""), IsEmpty());
}

}  // namespace
}  // namespace braid
