#include "core/spec/shorthand.h"

#include <gmock/gmock.h>

#include <chrono>

#include "core/mixers/builtin.h"
#include "core/spec/validate.h"
#include "tests/spec/random_architecture.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const MixerCatalog& mixers() { return builtin_mixers(); }
const Scale& tiny() { return *find_scale("tiny"); }
const Scale& s1() { return *find_scale("S1"); }

// One letter a layer, and ':' behind each that has parameters or several groups.
std::string letters(std::string_view text) {
    const auto pattern = parse_pattern(text, mixers());
    if (!pattern) return to_error(pattern.error()).message;
    std::string result;
    for (const LayerSpec& layer : pattern->layers) {
        for (const HeadGroup& group : layer.groups)
            result += mixers().find(group.mixer)->description().letter;
        if (layer.groups.size() > 1 || !layer.groups[0].parameters.empty()) result += ':';
    }
    return result;
}

std::vector<std::string> problems(std::string_view text) {
    const auto pattern = parse_pattern(text, mixers());
    std::vector<std::string> messages;
    if (!pattern)
        for (const Diagnostic& each : pattern.error()) messages.push_back(each.message());
    return messages;
}

std::string formatted(std::string_view text, const Scale& scale) {
    const auto pattern = parse_pattern(text, mixers());
    if (!pattern) return to_error(pattern.error()).message;
    const ArchitectureSpec spec = instantiate(*pattern, scale);
    return format_pattern(spec.layers, spec, mixers());
}

TEST(Shorthand, RepeatsWhatStandsBeforeTheCount) {
    EXPECT_EQ(letters("FSSS x6"), "FSSSFSSSFSSSFSSSFSSSFSSS");
    EXPECT_EQ(letters("(FS)x5"), "FSFSFSFSFS");
    EXPECT_EQ(letters("FS[w=16] x2"), "FS:FS:");
    EXPECT_EQ(letters("F(SS)x2"), "FSSSS");
    EXPECT_EQ(letters("F S x2 F"), "FSFSF");
    EXPECT_EQ(letters("FS x2 FF x2"), "FSFSFFFF");
    EXPECT_EQ(letters("(F (S)x3)x2"), "FSSSFSSS");
    EXPECT_EQ(letters(" ( F\tS ) \n x 2 "), "FSFS");
    EXPECT_EQ(letters("FSx2"), "FSFS");
    EXPECT_EQ(letters("FS X2"), "FSFS");
    EXPECT_EQ(letters("FS*2"), "FSFS");
    EXPECT_EQ(letters("FS \u00d7 2"), "FSFS");
    EXPECT_EQ(letters("(FS)"), "FS");
    EXPECT_TRUE(parse_pattern("(FS)x1", mixers())->repeated);
    EXPECT_FALSE(parse_pattern("(FS)", mixers())->repeated);
}

TEST(Shorthand, OptionsComeFromTheDescriptionsOfTheMixer) {
    const auto& parameters = mixers().find("swa")->description().parameters;
    const auto value = [&](std::string_view text, std::string_view key) {
        return parse_pattern(text, mixers())->layers.at(0).groups.at(0).parameters.get(key, parameters);
    };
    EXPECT_EQ(value("S[w=16]", "window"), ParameterValue(std::int64_t{16}));
    EXPECT_EQ(value("S[window = 16]", "window"), ParameterValue(std::int64_t{16}));
    EXPECT_EQ(value("S", "window"), ParameterValue(std::int64_t{128}));
    EXPECT_EQ(value("S [ nope , nosink ]", "position"), ParameterValue(std::string("nope")));
    EXPECT_EQ(value("S[nope,nosink]", "sink"), ParameterValue(false));
    EXPECT_EQ(value("S[base=5e5]", "rope_base"), ParameterValue(5e5));
    EXPECT_EQ(value("S[position=nope]", "position"), ParameterValue(std::string("nope")));
    EXPECT_EQ(value("S[sink=off]", "sink"), ParameterValue(false));
    // Defaults and values without effect are not stored: equal layers are equal.
    EXPECT_TRUE(parse_pattern("S[w=128,rope,sink]", mixers())->layers.at(0).groups.at(0).parameters.empty());
    EXPECT_EQ(parse_pattern("F[nope,base=5e5]", mixers())->layers,
              parse_pattern("F[nope]", mixers())->layers);
}

TEST(Shorthand, HeadWiseLayersShareTheHeads) {
    const auto groups = [](std::string_view text, const Scale& scale) {
        std::string result;
        const auto pattern = parse_pattern(text, mixers());
        if (!pattern) return to_error(pattern.error()).message;
        const ArchitectureSpec spec = instantiate(*pattern, scale);
        for (const HeadGroup& group : spec.layers.at(0).groups)
            result +=
                group.mixer + " " + std::to_string(group.heads) + "/" + std::to_string(group.kv_heads) + " ";
        return result;
    };
    EXPECT_EQ(groups("F", s1()), "full 6/2 ");
    EXPECT_EQ(groups("{F:2 S:4}", s1()), "full 2/1 swa 4/1 ");
    EXPECT_EQ(groups("{F:2,S[w=64]:4}", s1()), "full 2/1 swa 4/1 ");
    EXPECT_EQ(groups("{F:4/1 S:2/1}", s1()), "full 4/1 swa 2/1 ");
    EXPECT_EQ(groups("{F:1 S:2}", s1()), "full 2/1 swa 4/1 ");  // shares, scaled
    EXPECT_EQ(groups("{F:1/1 S:1/1}", *find_scale("S5")), "full 10/1 swa 10/1 ");
    EXPECT_EQ(groups("{F:6}", s1()), groups("F", s1()));
    EXPECT_EQ(groups("{F:2 S:3}", s1()), "full 2/1 swa 3/1 ");  // 5 heads: left for validate()
    // 16 heads, 4 kv heads: 1.5 and 2.5 in proportion; 2 + 2 divides both groups, 1 + 3 does not.
    const Scale sixteen{"", 1, 64, 64, 16, 4, 64, 64};
    EXPECT_EQ(groups("{F:6 S:10}", sixteen), "full 6/2 swa 10/2 ");
    EXPECT_EQ(groups("{F:4/2 S:12}", sixteen), "full 4/2 swa 12/2 ");
    EXPECT_EQ(groups("{F:4 S:12}", sixteen), "full 4/1 swa 12/3 ");
}

TEST(Shorthand, WhatTheHeadsCannotMeetIsReportedByValidate) {
    const auto messages = [](std::string_view text, const Scale& scale) {
        std::vector<std::string> result;
        const auto pattern = parse_pattern(text, mixers());
        for (const Diagnostic& each : validate(instantiate(*pattern, scale), mixers()))
            result.push_back(each.message());
        return result;
    };
    EXPECT_THAT(messages("{F:2 S:3} x1", s1()),
                ElementsAre("layers[0].groups: query heads of the groups must add up to 6, got 5"));
    EXPECT_THAT(messages("{F:2 S:2 F[nope]:2} x1", s1()),
                ElementsAre("layers[0].groups: kv heads of the groups must add up to 2, got 3"));
    EXPECT_THAT(messages("{F:3/2 S:3/1} x1", s1()),
                ElementsAre("layers[0].groups[0].kv_heads: must divide the 3 query heads of its group, got 2",
                            "layers[0].groups: kv heads of the groups must add up to 2, got 3"));
}

TEST(Shorthand, IsCycledToTheDepthOfTheScaleUnlessItWasRepeated) {
    EXPECT_EQ(instantiate(*parse_pattern("SSSF", mixers()), s1()).layers.size(), 10U);
    EXPECT_EQ(formatted("SSSF", s1()), "SSSF x2 SS");
    EXPECT_EQ(instantiate(*parse_pattern("SSSF x1", mixers()), s1()).layers.size(), 4U);
    EXPECT_EQ(instantiate(*parse_pattern("(F)x3 S", mixers()), s1()).layers.size(), 4U);
    const ArchitectureSpec spec = instantiate(*parse_pattern("FS", mixers()), tiny());
    EXPECT_EQ(spec.layers[3].id, LayerId(4));
    EXPECT_EQ(spec.vocab, 64);
    EXPECT_EQ(spec.head_dim, 32);
    EXPECT_TRUE(validate(spec, mixers()).empty());
}

TEST(Shorthand, EveryProblemAtOnceWithItsColumns) {
    const std::string text = "FQ S[w=-1] S[widht=3] ) x0 {F S:4}";
    const auto pattern = parse_pattern(text, mixers());
    ASSERT_FALSE(pattern);
    std::vector<std::string> found;
    for (const Diagnostic& each : pattern.error()) {
        ASSERT_TRUE(each.span);
        found.push_back(text.substr(each.span->begin, each.span->end - each.span->begin) + " | " +
                        each.message());
    }
    EXPECT_THAT(
        found, ElementsAre(
                   "Q | column 2: is no mixer; there are full (F), swa (S), lightning (L), mamba2 (M), gdn "
                   "(G), got \"Q\"",
                   "-1 | column 8: window must be at least 1, got -1",
                   "widht=3 | column 14: is no option of Sliding window; it has w=..., rope, nope, base=..., "
                   "ntk=..., rotary=..., rope_scaling=..., rope_factor=..., rope_context=..., rope_low=..., "
                   "rope_high=..., rope_attention=..., logn=..., bias, qknorm, nosink, sink, got \"widht=3\"",
                   ") | column 23: closes nothing that was opened, got \")\"",
                   "x0 | column 25: must repeat at least once, got 0",
                   "F  | column 29: needs its number of heads, such as F:2, got \"F \""));
}

TEST(Shorthand, ProblemsOfEachKind) {
    EXPECT_THAT(problems(""), ElementsAre("column 1: is empty; write layers such as FSSS x6"));
    EXPECT_THAT(problems("  "), ElementsAre("column 1: is empty; write layers such as FSSS x6"));
    EXPECT_THAT(problems("(FS x2"), ElementsAre("column 1: is never closed, got \"(\""));
    EXPECT_THAT(problems("F(S[w=3)"),
                ElementsAre("column 4: is never closed, got \"[\"", "column 2: is never closed, got \"(\""));
    EXPECT_THAT(problems("{F:2 S:4"), ElementsAre("column 1: is never closed, got \"{\""));
    EXPECT_THAT(problems("()"), ElementsAre("column 1: has no layers inside, got \"()\""));
    EXPECT_THAT(problems("{}"), ElementsAre("column 1: has no heads inside; write {F:2 S:4}, got \"{}\""));
    EXPECT_THAT(problems("x3"),
                ElementsAre("column 1: repeats nothing; it belongs behind its layers, got \"x3\""));
    EXPECT_THAT(problems("FS x2 x3"),
                ElementsAre("column 7: is a second repeat count; put parentheses around what the first one "
                            "repeats, got \"x3\""));
    EXPECT_THAT(problems("(FS)x2 x3"),
                ElementsAre("column 8: is a second repeat count; put parentheses around what the first one "
                            "repeats, got \"x3\""));
    EXPECT_THAT(problems("FS x"), ElementsAre("column 4: needs a number of repeats, such as x6"));
    EXPECT_THAT(problems("FS 4"),
                ElementsAre("column 4: is a number without x; a repeat count is written x4, got \"4\""));
    EXPECT_THAT(problems("F[nope,nope]"), ElementsAre("column 8: position is given twice, got \"nope\""));
    EXPECT_THAT(problems("F[]"), ElementsAre("column 2: has an empty option; write S[w=128] or F[nope]"));
    EXPECT_THAT(problems("F[base=]"), ElementsAre("column 3: rope_base must be a number, got \"\""));
    EXPECT_THAT(problems("f"), ElementsAre("column 1: is no mixer; there are full (F), swa (S), lightning "
                                           "(L), mamba2 (M), gdn (G), got \"f\""));
    EXPECT_THAT(
        problems("F{F:0 S:2/x}"),
        ElementsAre(
            "column 5: heads must be between 1 and 512, got 0",
            "column 10: needs a number of kv heads behind it",
            "column 11: is no mixer; there are full (F), swa (S), lightning (L), mamba2 (M), gdn (G), got "
            "\"x\"",
            "column 11: needs its number of heads, such as F:2, got "
            "\"x\""));
    // Columns count characters, spans bytes.
    EXPECT_THAT(problems("\u00fcF%"), ElementsAre("column 1: is not part of a pattern, got \"\u00fc\"",
                                                  "column 3: is not part of a pattern, got \"%\""));
}

TEST(Shorthand, HugeCountsAndDeepNestingAreRefusedQuickly) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(problems("((((F)x9999)x9999)x9999)x9999"),
                ElementsAre("column 13: makes more than 10,000 layers, got \"x9999\""));
    EXPECT_THAT(problems("F x99999999999999999999999"),
                ElementsAre(HasSubstr("makes more than 10,000 layers")));
    EXPECT_THAT(problems("()x999999999999"), ElementsAre("column 1: has no layers inside, got \"()\""));
    EXPECT_THAT(problems("F x6000 S x6000"), ElementsAre(HasSubstr("is beyond 10,000 layers")));
    EXPECT_EQ(parse_pattern("F x10000", mixers())->layers.size(), 10000U);
    EXPECT_EQ(letters(std::string(64, '(') + "F" + std::string(64, ')')), "F");
    EXPECT_THAT(problems(std::string(65, '(') + "F" + std::string(65, ')')),
                ElementsAre("column 65: parentheses may be at most 64 deep"));
    EXPECT_THAT(problems(std::string(100'000, '(')), testing::Contains(HasSubstr("at most 64 deep")));
    EXPECT_LE(problems(std::string(1 << 20, '%')).size(), 1U);
    EXPECT_LE(problems([] {
                  std::string text;
                  for (int i = 0; i < 300'000; ++i) text += "Q ";
                  return text;
              }())
                  .size(),
              1001U);
    EXPECT_THAT(problems(std::string((1 << 20) + 1, 'F')), ElementsAre("column 1: is longer than 1 MiB"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Shorthand, FoldsRepeatsAsPeopleWriteThem) {
    EXPECT_EQ(formatted("FS[w=16] x2", tiny()), "FS[w=16] x2");
    EXPECT_EQ(formatted("FS[w=16]", tiny()), "FS[w=16] x2");
    EXPECT_EQ(formatted("(SSSF)x4", s1()), "SSSF x4");
    EXPECT_EQ(formatted("{F:1 S:2}", s1()), "{F:2 S:4} x10");
    EXPECT_EQ(formatted("F", s1()), "F x10");
    EXPECT_EQ(formatted("F x1", s1()), "F x1");
    EXPECT_EQ(formatted("FSS x1", s1()), "FSS x1");
    EXPECT_EQ(formatted("FF x1", s1()), "F x2");
    EXPECT_EQ(formatted("(FS)x4 F", s1()), "FS x4 F");
    EXPECT_EQ(formatted("F (SF)x4", s1()), "FS x4 F");
    EXPECT_EQ(formatted("F[nope](S[w=64])x7 F[nope](S[w=64])x7 F", s1()), "(F[nope] (S[w=64])x7)x2 F");
    EXPECT_EQ(formatted("{F:4/1 S:2/1} x3", s1()), "{F:4 S:2} x3");  // the default share
    EXPECT_EQ(formatted("F[base=5e5,nosink] x2", s1()), "F[base=5e5,nosink] x2");
    EXPECT_EQ(formatted("FS x5000", s1()), "FS x5000");
}

TEST(Shorthand, TextOfAnArchitectureGivesItBack) {
    test::RandomArchitecture random(mixers(), 1);
    std::size_t head_wise = 0;
    for (int i = 0; i < 3000; ++i) {
        const ArchitectureSpec spec = random();
        ASSERT_TRUE(validate(spec, mixers()).empty()) << to_error(validate(spec, mixers())).message;
        const std::string text = format_pattern(spec.layers, spec, mixers());
        const auto pattern = parse_pattern(text, mixers());
        ASSERT_TRUE(pattern) << text << "\n" << to_error(pattern.error()).message;
        ArchitectureSpec back = instantiate(*pattern, spec, 7);  // its own depth, not this one
        ASSERT_EQ(back, spec) << text;
        ASSERT_EQ(format_pattern(back.layers, back, mixers()), text);
        for (const LayerSpec& layer : spec.layers) head_wise += layer.groups.size() > 1 ? 1 : 0;
    }
    EXPECT_GT(head_wise, 1000U);
}

TEST(Shorthand, ProblemsOfTheSpecAreMarkedInTheText) {
    const auto pattern = parse_pattern("F {F:2 S:3}", mixers());
    Diagnostics broken = validate(instantiate(*pattern, s1()), mixers());
    ASSERT_EQ(broken.size(), 5U);  // every second of ten layers
    mark_in_text(broken, *pattern);
    for (const Diagnostic& each : broken) EXPECT_EQ(each.span, (TextSpan{2, 11}));
    EXPECT_EQ(
        show_problems("FQ S[w=-1]", parse_pattern("FQ S[w=-1]", mixers()).error()),
        "FQ S[w=-1]\n"
        " ^\n"
        "column 2: is no mixer; there are full (F), swa (S), lightning (L), mamba2 (M), gdn (G), got \"Q\"\n"
        "       ^~\n"
        "column 8: window must be at least 1, got -1\n");
}

TEST(Shorthand, AThousandLayersAreFormattedWithinAnEdit) {
    test::RandomArchitecture random(mixers(), 2);
    ArchitectureSpec spec = random();
    const std::vector<LayerSpec> some = spec.layers;
    while (spec.layers.size() < 1000)
        spec.layers.push_back(
            some[static_cast<std::size_t>(random.pick(0, static_cast<std::int64_t>(some.size()) - 1))]);
    const auto start = std::chrono::steady_clock::now();
    const std::string text = format_pattern(spec.layers, spec, mixers());
    const std::chrono::duration<double, std::milli> format = std::chrono::steady_clock::now() - start;
    const auto pattern = parse_pattern(text, mixers());
    const std::chrono::duration<double, std::milli> both = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(pattern);
    std::printf("1,000 mixed layers: format %.2f ms, parse %.2f ms\n", format.count(),
                (both - format).count());
    EXPECT_LT(both.count(), 100);
}

}  // namespace
}  // namespace braid
