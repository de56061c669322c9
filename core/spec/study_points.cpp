#include "core/spec/study_points.h"

#include <algorithm>

#include "core/spec/number_text.h"

namespace braid {
namespace {

// Values of axes keep their dots, so that 0.5 and 5 are two things.
std::string key_part(std::string_view text) {
    std::string part;
    for (const char c : text)
        part += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : (c == '/' || c == ' ') ? '-' : c;
    return part;
}

std::string name_of(const StudyAxis& axis) { return axis.key.front() == '$' ? axis.key.substr(1) : axis.key; }

void name(const StudySpec& spec, StudyPoint& point) {
    point.label = spec.variants[point.variant].label;
    point.key = slug(point.label);
    if (point.scale) {
        point.label += ", " + spec.scales[*point.scale].name;
        point.key += "/" + slug(spec.scales[*point.scale].name);
    }
    if (point.budget) {
        point.label += ", " + budget_text(*point.budget);
        point.key += "/" + key_part(budget_text(*point.budget));
    }
    for (std::size_t a = 0; a < point.axes.size(); ++a) {
        const std::string value = to_text(spec.axes[a].values[point.axes[a]]);
        point.label += ", " + name_of(spec.axes[a]) + " " + value;
        point.key += "/" + key_part(name_of(spec.axes[a]) + "=" + value);
    }
    point.key += "/seed-" + std::to_string(point.seed);
}

bool is_excluded(const StudyFields& fields, const std::vector<RowRule>& rules) {
    return std::any_of(rules.begin(), rules.end(), [&](const RowRule& rule) {
        return !rule.largest && holds(rule, [&](const std::string& column) -> std::optional<std::string> {
            for (const auto& [name, value] : fields)
                if (name == column) return value;
            return std::nullopt;
        });
    });
}

}  // namespace

std::vector<StudyPoint> study_points(const StudySpec& spec) {
    std::vector<RowRule> rules;
    for (const std::string& text : spec.excluded)
        if (Checked<RowRule> rule = parse_row_rule(text, "excluded"); rule) rules.push_back(*std::move(rule));
    std::vector<double> budgets = spec.budgets;
    std::sort(budgets.begin(), budgets.end());
    std::size_t settings = 1;  // of all axes together
    for (const StudyAxis& axis : spec.axes) settings *= axis.values.size();

    std::vector<StudyPoint> points;
    const std::size_t scales = std::max<std::size_t>(1, spec.scales.size());
    const std::size_t budget_count = std::max<std::size_t>(1, budgets.size());
    for (const std::uint64_t seed : spec.seeds)
        for (std::size_t s = 0; s < scales; ++s)
            for (std::size_t b = 0; b < budget_count; ++b)
                for (std::size_t setting = 0; setting < settings; ++setting)
                    for (std::size_t v = 0; v < spec.variants.size(); ++v) {
                        StudyPoint point{.variant = v, .seed = seed};
                        if (!spec.scales.empty()) point.scale = s;
                        if (!budgets.empty()) point.budget = budgets[b];
                        std::size_t rest = setting;
                        point.axes.resize(spec.axes.size());
                        for (std::size_t a = spec.axes.size(); a-- > 0;) {
                            point.axes[a] = rest % spec.axes[a].values.size();
                            rest /= spec.axes[a].values.size();
                        }
                        if (!rules.empty() && is_excluded(fields_of(spec, point), rules)) continue;
                        name(spec, point);
                        points.push_back(std::move(point));
                    }
    return points;
}

StudyFields fields_of(const StudySpec& spec, const StudyPoint& point) {
    StudyFields fields = {{"architecture", spec.variants[point.variant].label}};
    if (point.scale) fields.emplace_back("scale", spec.scales[*point.scale].name);
    if (point.budget) fields.emplace_back("budget", shortest(*point.budget));
    for (std::size_t a = 0; a < point.axes.size(); ++a)
        fields.emplace_back(name_of(spec.axes[a]), to_text(spec.axes[a].values[point.axes[a]]));
    fields.emplace_back("seed", std::to_string(point.seed));
    return fields;
}

std::string curve_of(const StudySpec& spec, const StudyPoint& point) {
    std::string text = spec.variants[point.variant].label;
    for (std::size_t a = 0; a < point.axes.size(); ++a)
        text += ", " + name_of(spec.axes[a]) + " " + to_text(spec.axes[a].values[point.axes[a]]);
    return text;
}

std::vector<std::string> field_names(const StudySpec& spec) {
    std::vector<std::string> names = {"architecture"};
    if (!spec.scales.empty()) names.emplace_back("scale");
    if (!spec.budgets.empty()) names.emplace_back("budget");
    for (const StudyAxis& axis : spec.axes)
        if (!axis.key.empty()) names.push_back(name_of(axis));
    names.emplace_back("seed");
    return names;
}

Checked<RowRule> parse_point_rule(std::string_view text, const StudySpec& spec, const std::string& path) {
    Checked<RowRule> rule = parse_row_rule(text, path);
    if (!rule) return rule;
    Diagnostics problems;
    if (rule->largest)
        problems.push_back(
            {.path = path, .rule = "cannot be \"largest\" of points", .found = std::string(text)});
    const std::vector<std::string> names = field_names(spec);
    for (const RowCondition& condition : rule->conditions) {
        if (std::find(names.begin(), names.end(), condition.column) != names.end()) continue;
        std::string known;
        for (const std::string& name : names) known.append(known.empty() ? "" : ", ").append(name);
        problems.push_back({.path = path, .rule = "must ask for one of " + known, .found = condition.column});
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return rule;
}

TrainingSpec training_of(const StudySpec& spec, const StudyPoint& point) {
    TrainingSpec training = spec.training;
    const auto apply = [&](const ParameterValues& values) {
        for (const auto& [key, value] : values) set_training_value(training, key, value);
    };
    if (point.scale) apply(spec.scales[*point.scale].overrides);
    apply(spec.variants.at(point.variant).overrides);
    for (std::size_t a = 0; a < point.axes.size(); ++a) {
        const ParameterDescription* description = find_parameter(training_parameters(), spec.axes[a].key);
        if (description == nullptr) continue;
        const ParameterValue value = coerced(*description, spec.axes[a].values[point.axes[a]]);
        if (value.index() == description->default_value.index())
            set_training_value(training, spec.axes[a].key, value);
    }
    training.seed = point.seed;
    return training;
}

std::string budget_text(double budget) { return shortest(budget) + "N"; }

}  // namespace braid
