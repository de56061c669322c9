#include "core/spec/study_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/spec/cost.h"
#include "core/spec/number_text.h"
#include "core/spec/phases.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

std::string place(const char* list, std::size_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
}

bool is_pattern_word(const StudyAxis& axis) { return axis.key.front() == '$'; }

class Planner {
public:
    Planner(const StudySpec& spec, const StudySurroundings& around) : spec_(spec), around_(around) {}

    Checked<std::vector<PlannedPoint>> run() {
        check_words();
        std::vector<PlannedPoint> planned;
        for (const StudyPoint& point : study_points(spec_)) {
            const std::size_t before = problems_.size() + known_bad_;
            PlannedPoint made = plan(point);
            if (problems_.size() + known_bad_ == before) planned.push_back(std::move(made));
        }
        if (!problems_.empty()) return tl::unexpected(std::move(problems_));
        return planned;
    }

private:
    // Many points share a fault; it is told once.
    void report(std::string path, std::string rule, std::string found) {
        if (told_.insert(path + "\n" + rule + "\n" + found).second)
            problems_.push_back(
                {.path = std::move(path), .rule = std::move(rule), .found = std::move(found)});
        else
            ++known_bad_;
    }
    void report(const std::string& path, const Diagnostics& problems) {
        for (const Diagnostic& problem : problems)
            report(problem.path.empty() ? path : path + "." + problem.path, problem.rule, problem.found);
    }

    // A word that no pattern has would train every point several times.
    void check_words() {
        for (std::size_t a = 0; a < spec_.axes.size(); ++a) {
            if (!is_pattern_word(spec_.axes[a])) continue;
            const bool used =
                std::any_of(spec_.variants.begin(), spec_.variants.end(), [&](const StudyVariant& variant) {
                    return filled_in(variant.pattern, a, std::string(1, '\0')) != variant.pattern;
                });
            if (!used) report(place("axes", a) + ".key", "must stand in a pattern", spec_.axes[a].key);
        }
    }

    // The pattern with the values of axis `a` in the place of its word.
    std::string filled_in(std::string pattern, std::size_t a, const std::string& value) const {
        const std::string& word = spec_.axes[a].key;
        for (std::size_t at = pattern.find(word); at != std::string::npos; at = pattern.find(word, at)) {
            const std::size_t end = at + word.size();
            const bool whole =
                end >= pattern.size() ||
                (std::isalnum(static_cast<unsigned char>(pattern[end])) == 0 && pattern[end] != '_');
            if (!whole) {
                at = end;
                continue;
            }
            pattern.replace(at, word.size(), value);
            at += value.size();
        }
        return pattern;
    }

    const Scale* scale_of(const StudyPoint& point) const {
        if (!point.scale) return find_scale(spec_.variants[point.variant].scale);
        const StudyScale& scale = spec_.scales[*point.scale];
        return scale.sizes ? &*scale.sizes : find_scale(scale.name);
    }

    ArchitectureSpec architecture_of(const StudyPoint& point, std::int64_t vocab) {
        const StudyVariant& variant = spec_.variants[point.variant];
        const std::string path = place("variants", point.variant);
        if (!variant.architecture.empty()) {
            Checked<ArchitectureSpec> found = around_.find_architecture(variant.architecture);
            if (found) return *std::move(found);
            report(path + ".architecture", found.error());
            return {};
        }
        const Scale* scale = scale_of(point);
        if (scale == nullptr) {
            report(path + ".scale", "must be a published scale (S1 to S5, tiny)", variant.scale);
            return {};
        }
        const Preset* preset = find_preset(variant.pattern);
        std::string text = preset != nullptr ? preset->pattern : variant.pattern;
        bool has_words = false;
        for (std::size_t a = 0; a < point.axes.size(); ++a) {
            if (!is_pattern_word(spec_.axes[a])) continue;
            std::string filled = filled_in(text, a, to_text(spec_.axes[a].values[point.axes[a]]));
            has_words = has_words || filled != text;
            text = std::move(filled);
        }
        Checked<Pattern> pattern = parse_pattern(text, around_.catalog);
        if (!pattern) {
            report(path + ".pattern", pattern.error());
            return {};
        }
        if (has_words) pattern->repeated = false;
        ArchitectureSpec made = instantiate(*pattern, *scale);
        if (vocab > 0) made.vocab = vocab;
        return made;
    }

    void apply_axes(const StudyPoint& point, ResolvedPhase& made) {
        for (std::size_t a = 0; a < point.axes.size(); ++a) {
            const StudyAxis& axis = spec_.axes[a];
            if (is_pattern_word(axis)) continue;
            const ParameterValue& value = axis.values[point.axes[a]];
            const std::string path = place("axes", a) + "." + place("values", point.axes[a]);
            const ParameterDescription* description = find_parameter(training_parameters(), axis.key);
            if (description == nullptr) {
                Diagnostics problems;
                apply_setting(axis.key, value, path, made, around_.catalog, problems);
                report_at_their_places(problems);
            } else if (auto broken = check_parameter(*description, coerced(*description, value), path)) {
                report(broken->path, broken->rule, broken->found);
            }
        }
    }
    void report_at_their_places(const Diagnostics& problems) {
        for (const Diagnostic& problem : problems) report(problem.path, problem.rule, problem.found);
    }

    void set_budget(const StudyPoint& point, PlannedPoint& made) {
        const Scale* scale = scale_of(point);
        const std::int64_t parameters =
            scale != nullptr ? reference_of(*scale) : std::max<std::int64_t>(1, made.parameters);
        const double tokens = *point.budget * static_cast<double>(parameters);
        const double steps = std::round(tokens / static_cast<double>(made.training.tokens_per_step()));
        const std::string where =
            (point.scale ? spec_.scales[*point.scale].name : spec_.variants[point.variant].label) + " at " +
            budget_text(*point.budget);
        if (steps < 1) {
            report(
                "budgets",
                "must be at least one step of " + std::to_string(made.training.tokens_per_step()) + " tokens",
                where + " is " + shortest(std::round(tokens)) + " tokens");
            return;
        }
        if (steps > 1e12) {
            report("budgets", "must be at most 10^12 steps", where);
            return;
        }
        made.training.steps = static_cast<std::int64_t>(steps);
        for (const Diagnostic& problem : validate(made.training))
            report("budgets", where + ": " + problem.path + " " + problem.rule, problem.found);
    }

    std::int64_t reference_of(const Scale& scale) {
        const auto [at, is_new] = references_.try_emplace(scale.name, 0);
        if (is_new) at->second = reference_parameters(scale, around_.catalog);
        return at->second;
    }

    PlannedPoint plan(const StudyPoint& point) {
        const StudyVariant& variant = spec_.variants[point.variant];
        ResolvedPhase made{.training = training_of(spec_, point), .data = spec_.data};
        std::int64_t vocab = 0;
        // The data's axes first: they may change the vocabulary.
        for (std::size_t a = 0; a < point.axes.size(); ++a)
            if (spec_.axes[a].key.starts_with("data."))
                made.data.parameters.set(spec_.axes[a].key.substr(5), spec_.axes[a].values[point.axes[a]]);
        if (around_.vocab) {
            const Checked<std::int64_t> needed = vocab_of(made.data, made.training);
            if (needed)
                vocab = *needed;
            else
                report("data", needed.error());
        }
        made.architecture = architecture_of(point, vocab);
        if (made.architecture.layers.empty()) return {};
        apply_axes(point, made);
        const Diagnostics broken = validate(made.architecture, around_.catalog);
        if (!broken.empty()) {
            report(place("variants", point.variant) +
                       (point.scale ? " at " + spec_.scales[*point.scale].name : std::string()),
                   broken);
            return {};
        }
        made.architecture.name = variant.label;
        PlannedPoint planned{.point = point,
                             .architecture = std::move(made.architecture),
                             .training = made.training,
                             .data = std::move(made.data)};
        planned.parameters =
            cost(planned.architecture, around_.catalog, planned.training.context).non_embedding_parameters;
        if (point.budget) {
            set_budget(point, planned);
        } else {
            report("training", validate(planned.training));
        }
        return planned;
    }

    // Opening a corpus takes a while, and most points read the same one.
    Checked<std::int64_t> vocab_of(const DataSpec& data, const TrainingSpec& training) {
        const std::string key = to_json(data).dump() + " " + std::to_string(training.context);
        const auto found = vocabs_.find(key);
        if (found != vocabs_.end()) return found->second;
        return vocabs_.emplace(key, around_.vocab(data, training)).first->second;
    }

    const StudySpec& spec_;
    const StudySurroundings& around_;
    Diagnostics problems_;
    std::size_t known_bad_ = 0;
    std::set<std::string> told_;
    std::map<std::string, std::int64_t> references_;
    std::map<std::string, Checked<std::int64_t>> vocabs_;
};

}  // namespace

Checked<std::vector<PlannedPoint>> plan_study(const StudySpec& spec, const StudySurroundings& surroundings) {
    return Planner(spec, surroundings).run();
}

std::int64_t reference_parameters(const Scale& scale, const MixerCatalog& catalog) {
    const Checked<Pattern> full = parse_pattern("F", catalog);
    if (!full) return 1;
    return std::max<std::int64_t>(1, cost(instantiate(*full, scale), catalog, 1).non_embedding_parameters);
}

}  // namespace braid
