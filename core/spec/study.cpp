#include "core/spec/study.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "core/base/row_rule.h"
#include "core/spec/study_points.h"

namespace braid {
namespace {

constexpr std::size_t max_seeds = 1000;
constexpr std::size_t max_name = 100;
constexpr double max_budget = 1e6;

bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= max_name && text.front() != '.' && text.front() != '-' &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return is_word_character(c) || c == '-' || c == '.'; });
}

class StudyChecks {
public:
    explicit StudyChecks(const StudySpec& spec) : spec_(spec) {}

    Diagnostics run() {
        if (!is_name(spec_.name))
            report("name",
                   "must be 1 to 100 letters, digits, '-', '_' or '.', and begin with a letter or digit",
                   spec_.name.substr(0, 60));
        check_training(spec_.training, "training.");
        check_variants();
        check_scales();
        check_budgets();
        check_axes();
        check_seeds();
        check_rules(spec_.excluded, "excluded", true);
        check_rules(spec_.fit.held_out, "fit.held_out", false);
        check_rules(spec_.fit.excluded, "fit.excluded", false);
        if (spec_.fit.form != "power2" && spec_.fit.form != "chinchilla")
            report("fit.form", "must be power2 or chinchilla", spec_.fit.form);
        if (spec_.measure.metric.empty()) report("measure.metric", "must not be empty", "");
        if (!std::isfinite(spec_.measure.threshold))
            report("measure.threshold", "must be finite", std::to_string(spec_.measure.threshold));
        check_number();
        return std::move(problems_);
    }

private:
    void report(std::string path, std::string rule, std::string found) {
        problems_.push_back({.path = std::move(path), .rule = std::move(rule), .found = std::move(found)});
    }

    // With budgets the steps are not the training's own, so rules that hold steps against each other are
    // asked of the points.
    void check_training(TrainingSpec training, const std::string& path) {
        if (!spec_.budgets.empty()) training.steps = std::max<std::int64_t>(training.steps, 1'000'000);
        for (Diagnostic problem : validate(training)) {
            problem.path.insert(0, path);
            problems_.push_back(std::move(problem));
        }
    }

    void check_label(std::set<std::string>& keys, const std::string& label, const std::string& path) {
        if (label.empty())
            report(path, "must not be empty", "");
        else if (slug(label).empty())
            report(path, "must have a letter or a digit", label);
        else if (!keys.insert(slug(label)).second)
            report(path, "must differ from the other ones", label);
    }

    void check_variants() {
        if (spec_.variants.empty()) report("variants", "must have at least one", "0");
        std::set<std::string> keys;
        for (std::size_t i = 0; i < spec_.variants.size(); ++i) {
            const StudyVariant& variant = spec_.variants[i];
            const std::string path = "variants[" + std::to_string(i) + "]";
            check_label(keys, variant.label, path + ".label");
            if (!variant.architecture.empty()) {
                if (!variant.pattern.empty() || !variant.scale.empty())
                    report(path, "must have either an architecture or a pattern and a scale",
                           variant.architecture);
                else if (!spec_.scales.empty())
                    report(path + ".architecture", "has its own size; the study's scales are for patterns",
                           variant.architecture);
            } else {
                if (variant.pattern.empty()) report(path + ".pattern", "must not be empty", "");
                if (variant.scale.empty() && spec_.scales.empty())
                    report(path + ".scale", "must not be empty", "");
                if (!variant.scale.empty() && !spec_.scales.empty())
                    report(path + ".scale", "is given by the study's scales", variant.scale);
            }
            if (variant.overrides.empty()) continue;
            TrainingSpec training = spec_.training;
            for (const auto& [key, value] : variant.overrides) set_training_value(training, key, value);
            check_training(training, path + ".overrides.");
        }
    }

    void check_scales() {
        std::set<std::string> keys;
        for (std::size_t i = 0; i < spec_.scales.size(); ++i) {
            const StudyScale& scale = spec_.scales[i];
            const std::string path = "scales[" + std::to_string(i) + "]";
            check_label(keys, scale.name, path + ".name");
            if (!scale.sizes && find_scale(scale.name) == nullptr)
                report(path + ".name", "must be a published scale (S1 to S5, tiny), or have sizes",
                       scale.name);
            TrainingSpec training = spec_.training;
            for (const auto& [key, value] : scale.overrides) set_training_value(training, key, value);
            check_training(training, path + ".training.");
        }
    }

    void check_budgets() {
        std::set<double> seen;
        for (std::size_t i = 0; i < spec_.budgets.size(); ++i) {
            const double budget = spec_.budgets[i];
            const std::string path = "budgets[" + std::to_string(i) + "]";
            if (!(budget > 0) || budget > max_budget)
                report(path, "must be above 0 and at most 1,000,000 tokens per parameter",
                       budget_text(budget));
            else if (!seen.insert(budget).second)
                report(path, "must differ from the other ones", budget_text(budget));
        }
    }

    void check_axes() {
        std::set<std::string> keys;
        for (std::size_t i = 0; i < spec_.axes.size(); ++i) {
            const StudyAxis& axis = spec_.axes[i];
            const std::string path = "axes[" + std::to_string(i) + "]";
            if (axis.key.empty())
                report(path + ".key", "must not be empty", "");
            else if (axis.key == "seed" || axis.key == "architecture" || axis.key == "scale" ||
                     axis.key == "budget" || (axis.key == "steps" && !spec_.budgets.empty()))
                report(path + ".key", "is an axis of its own", axis.key);
            else if (axis.key.front() == '$' &&
                     (axis.key.size() == 1 ||
                      !std::all_of(axis.key.begin() + 1, axis.key.end(), is_word_character)))
                report(path + ".key", "must be a word of letters, digits and '_' behind '$'", axis.key);
            else if (!keys.insert(axis.key).second)
                report(path + ".key", "must differ from the other ones", axis.key);
            if (axis.values.empty()) report(path + ".values", "must have at least one", "0");
            std::set<std::string> values;
            for (std::size_t k = 0; k < axis.values.size(); ++k)
                if (!values.insert(slug(to_text(axis.values[k]))).second)
                    report(path + ".values[" + std::to_string(k) + "]", "must differ from the other ones",
                           to_text(axis.values[k]));
        }
    }

    void check_seeds() {
        if (spec_.seeds.empty()) report("seeds", "must have at least one", "0");
        if (spec_.seeds.size() > max_seeds)
            report("seeds", "must be at most 1,000", std::to_string(spec_.seeds.size()));
        if (std::set<std::uint64_t>(spec_.seeds.begin(), spec_.seeds.end()).size() != spec_.seeds.size())
            report("seeds", "must differ from each other", "");
    }

    // Rules about points can only ask for what a point has; those about a fit for any column of its table.
    void check_rules(const std::vector<std::string>& rules, const std::string& key, bool of_points) {
        for (std::size_t i = 0; i < rules.size(); ++i) {
            const std::string path = key + "[" + std::to_string(i) + "]";
            const Checked<RowRule> rule =
                of_points ? parse_point_rule(rules[i], spec_, path) : parse_row_rule(rules[i], path);
            if (!rule) problems_.insert(problems_.end(), rule.error().begin(), rule.error().end());
        }
    }

    void check_number() {
        if (!problems_.empty()) return;
        double points = static_cast<double>(spec_.variants.size() * spec_.seeds.size());
        points *= static_cast<double>(std::max<std::size_t>(1, spec_.scales.size()) *
                                      std::max<std::size_t>(1, spec_.budgets.size()));
        for (const StudyAxis& axis : spec_.axes) points *= static_cast<double>(axis.values.size());
        if (points > static_cast<double>(max_study_points))
            report("", "must have at most 100,000 points", std::to_string(points));
        else if (study_points(spec_).empty())
            report("excluded", "must leave at least one point",
                   std::to_string(spec_.excluded.size()) + " rules");
    }

    const StudySpec& spec_;
    Diagnostics problems_;
};

}  // namespace

Diagnostics validate(const StudySpec& spec) { return StudyChecks(spec).run(); }

Checked<std::vector<std::uint64_t>> parse_seeds(std::string_view text) {
    std::vector<std::uint64_t> seeds;
    Diagnostics problems;
    const auto number = [](std::string_view part) -> std::optional<std::uint64_t> {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (part.empty() || error != std::errc{} || end != part.data() + part.size()) return std::nullopt;
        return value;
    };
    const auto add = [&](std::uint64_t seed) {
        if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
    };
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string_view part = text.substr(begin, comma - begin);
        const std::size_t dash = part.find('-');
        const auto first = number(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last - *first >= max_seeds)
            problems.push_back({.path = "seeds",
                                .rule = "must be integers and ranges such as 1,2,5-8 (at most 1,000)",
                                .found = std::string(part.substr(0, 60)),
                                .span = TextSpan{begin, comma}});
        else
            for (std::uint64_t seed = *first; seeds.size() < max_seeds; ++seed) {
                add(seed);
                if (seed == *last) break;
            }
        begin = comma + 1;
    }
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return seeds;
}

std::string slug(std::string_view label) {
    std::string text;
    bool gap = false;
    for (const char c : label) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
            static_cast<unsigned char>(c) >= 0x80) {
            if (gap && !text.empty()) text += '-';
            gap = false;
            text += upper ? static_cast<char>(c - 'A' + 'a') : c;
        } else {
            gap = true;
        }
    }
    return text;
}

}  // namespace braid
