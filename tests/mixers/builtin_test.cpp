// Rules that hold for every mixer of mixers.def, whoever adds one.
#include "core/mixers/builtin.h"

#include <gmock/gmock.h>

#include <set>

#include "core/spec/cost.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

class EveryMixer : public testing::TestWithParam<std::string> {
protected:
    const MixerKind& kind() const { return *builtin_mixers().find(GetParam()); }
    const MixerDescription& description() const { return kind().description(); }
};

std::vector<std::string> ids() {
    std::vector<std::string> all;
    for (const auto& kind : builtin_mixers().all()) all.push_back(kind->description().id);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Mixers, EveryMixer, testing::ValuesIn(ids()),
                         [](const auto& each) { return each.param; });

TEST(Builtin, HasEachIdAndLetterOnce) {
    std::set<std::string> seen;
    std::set<char> letters;
    for (const auto& kind : builtin_mixers().all()) {
        EXPECT_TRUE(seen.insert(kind->description().id).second);
        EXPECT_TRUE(letters.insert(kind->description().letter).second);
        EXPECT_EQ(builtin_mixers().find(kind->description().id), kind.get());
        EXPECT_EQ(builtin_mixers().find_letter(kind->description().letter), kind.get());
    }
    EXPECT_EQ(builtin_mixers().find("nothing"), nullptr);
    EXPECT_EQ(builtin_mixers().find_letter('x'), nullptr);
    EXPECT_TRUE(seen.contains("full"));
    EXPECT_TRUE(seen.contains("swa"));
}

TEST_P(EveryMixer, IsDescribedForPeople) {
    EXPECT_TRUE(description().letter >= 'A' && description().letter <= 'Z');
    EXPECT_NE(description().letter, 'X');  // the repeat sign
    EXPECT_FALSE(description().title.empty());
    EXPECT_FALSE(description().citation.empty());
    EXPECT_FALSE(description().equation.empty());
    EXPECT_FALSE(description().help.empty());
    EXPECT_TRUE(description().softmax || description().recurrent);
}

TEST_P(EveryMixer, ParametersAreDescribedOnceAndWithoutAmbiguity) {
    const std::set<std::string> layer_keys = {"id", "mixer", "heads", "kv_heads", "groups"};
    std::set<std::string> keys;
    std::set<std::string> words;
    for (const ParameterDescription& each : description().parameters) {
        EXPECT_FALSE(layer_keys.contains(each.key)) << "the only group of a layer lies flat in its JSON";
        EXPECT_TRUE(keys.insert(each.key).second) << each.key;
        EXPECT_TRUE(each.short_key.empty() || keys.insert(each.short_key).second) << each.short_key;
        EXPECT_FALSE(each.label.empty()) << each.key;
        EXPECT_FALSE(each.help.empty()) << each.key;
        EXPECT_FALSE(check_parameter(each, each.default_value, each.key)) << each.key;
        for (const ParameterWord& word : each.words) {
            EXPECT_TRUE(words.insert(word.word).second) << word.word;
            EXPECT_FALSE(check_parameter(each, word.value, each.key)) << word.word;
        }
        // Free text could not be told from the rest of a pattern.
        EXPECT_TRUE(!std::holds_alternative<std::string>(each.default_value) || !each.choices.empty());
        for (const std::string& choice : each.choices)
            EXPECT_EQ(choice.find_first_of(",][(){}= "), std::string::npos) << choice;
        if (!each.only_if.empty()) (void)is_active(each, {}, description().parameters);  // aborts if misspelt
    }
}

TEST_P(EveryMixer, EveryParameterValueSurvivesShorthand) {
    for (const ParameterDescription& each : description().parameters) {
        std::vector<ParameterValue> values;
        if (std::holds_alternative<bool>(each.default_value)) values = {true, false};
        if (std::holds_alternative<std::int64_t>(each.default_value))
            values = {static_cast<std::int64_t>(each.minimum), static_cast<std::int64_t>(each.maximum)};
        if (std::holds_alternative<double>(each.default_value)) values = {each.minimum, each.maximum};
        for (const std::string& choice : each.choices) values.emplace_back(choice);
        for (const ParameterValue& value : values) {
            // Without its condition a parameter has no effect and is left out.
            const std::string text = std::string(1, description().letter) + "[" +
                                     (each.only_if.empty() ? "" : first_condition(each) + ",") + each.key +
                                     "=" + to_text(value) + "]";
            const auto pattern = parse_pattern(text, builtin_mixers());
            ASSERT_TRUE(pattern) << text << ": " << to_error(pattern.error()).message;
            EXPECT_EQ(pattern->layers[0].groups[0].parameters.get(each.key, description().parameters), value)
                << text;
            const ArchitectureSpec spec = instantiate(*pattern, *find_scale("S1"));
            // A value in its range may still not go with the others (more groups than heads); the rule says
            // of which parameter.
            for (const Diagnostic& broken : validate(spec, builtin_mixers()))
                EXPECT_TRUE(
                    find_parameter(description().parameters, broken.path.substr(broken.path.rfind('.') + 1)))
                    << text << ": " << broken.path;
            const auto again =
                parse_pattern(format_pattern(spec.layers, spec, builtin_mixers()), builtin_mixers());
            ASSERT_TRUE(again);
            EXPECT_EQ(instantiate(*again, *find_scale("S1")), spec) << text;
        }
    }
}

TEST_P(EveryMixer, CostsAddUpOverGroupsOfHeads) {
    // Two groups of the same mixer cost what one layer of it costs.
    const std::string letter(1, description().letter);
    const Scale& s1 = *find_scale("S1");
    const auto priced = [&](const std::string& text) {
        return cost(instantiate(*parse_pattern(text, builtin_mixers()), s1), builtin_mixers(), 16384);
    };
    const ArchitectureCost whole = priced(letter);
    const ArchitectureCost split = priced("{" + letter + ":3 " + letter + ":3}");
    if (description().softmax) {
        EXPECT_EQ(split.total_parameters, whole.total_parameters);
        EXPECT_EQ(split.kv_bytes, whole.kv_bytes);
        EXPECT_DOUBLE_EQ(split.training_flops_per_token, whole.training_flops_per_token);
        EXPECT_GT(whole.kv_bytes, 0);
    }
    EXPECT_EQ(whole.state_bytes > 0, description().recurrent);
    EXPECT_LE(whole.paper_parameters, whole.total_parameters);
}

}  // namespace
}  // namespace braid
