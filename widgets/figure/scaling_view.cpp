#include "widgets/figure/scaling_view.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/analysis/seeds.h"
#include "core/record/metric_name.h"
#include "core/spec/number_text.h"

namespace braid::ui {

namespace {

std::string scale_of(const StudySpec& spec, const PlannedPoint& planned) {
    const StudyPoint& point = planned.point;
    if (point.scale) return spec.scales[*point.scale].name;
    const StudyVariant& variant = spec.variants[point.variant];
    return variant.scale.empty() ? variant.architecture : variant.scale;
}

std::vector<RowRule> read_rules(const std::vector<std::string>& texts) {
    std::vector<RowRule> rules;
    for (const std::string& text : texts)
        if (Checked<RowRule> rule = parse_row_rule(text, "fit")) rules.push_back(*std::move(rule));
    return rules;
}

// What a rule may ask of a point: the columns of the study's table.
struct Cells {
    const StudySpec& spec;
    const PointState& state;
    StudyFields fields;
    const ScalingViewPoint& point;

    std::optional<std::string> operator()(const std::string& column) const {
        for (const auto& [name, value] : fields)
            if (same_title(name, column)) return value;
        if (same_title(column, "curve")) return curve_of(spec, state.planned.point);
        if (same_title(column, "parameters")) return shortest(point.parameters);
        if (same_title(column, "tokens")) return shortest(point.tokens);
        if (same_title(column, "tokens_per_parameter")) return shortest(point.tokens / point.parameters);
        if (same_title(column, "run")) return point.run;
        if (same_title(column, "state")) return std::string(to_text(point.state));
        if (state.run)
            for (const auto& [metric, value] : state.run->status.latest)
                if (same_title(metric, column)) return shortest(value);
        return std::nullopt;
    }
};

void apply_rules(const std::vector<RowRule>& held_out, const std::vector<RowRule>& excluded,
                 const Cells& cells, ScalingViewPoint& point) {
    for (const RowRule& rule : held_out)
        if (!rule.largest && holds(rule, cells)) {
            point.use = PointUse::held_out;
            point.rule = rule.text;
        }
    for (const RowRule& rule : excluded)
        if (!rule.largest && holds(rule, cells)) {
            point.use = PointUse::excluded;
            point.rule = rule.text;
            point.reason = rule.reason;
            return;
        }
}

struct Recorded {
    PointUse use = PointUse::fitted;
    std::string reason;
};

// What the record did with each run.
std::map<std::string, Recorded> uses_of(const ScalingRecord& record) {
    std::map<std::string, Recorded> uses;
    const ScalingTable& table = record.report.table;
    const auto column = table.table.column("run");
    if (!column) return uses;
    std::map<std::size_t, const CsvRow*> lines;
    for (const CsvRow& row : table.table.rows) lines[row.line] = &row;
    for (const ScalingPoint& point : table.points)
        if (const auto row = lines.find(point.line); row != lines.end())
            uses[row->second->cells[*column]] = {point.use, point.reason};
    return uses;
}

bool has_largest(const std::vector<RowRule>& rules) {
    return std::any_of(rules.begin(), rules.end(), [](const RowRule& rule) { return rule.largest; });
}

void colour_curves(ScalingView& view, const std::map<std::string, int>& colours) {
    std::set<int> used;
    std::vector<ScalingViewCurve*> others;
    for (ScalingViewCurve& curve : view.curves) {
        const auto known = colours.find(curve.name);
        // Curves of one variant have one colour elsewhere; here each needs its own.
        if (known != colours.end() && used.insert(known->second).second)
            curve.colour = known->second;
        else
            others.push_back(&curve);
    }
    int next = 0;
    for (ScalingViewCurve* curve : others) {
        while (used.contains(next)) ++next;
        curve->colour = next;
        used.insert(next);
    }
}

// Mean and half width of the 90 % interval of several numbers.
std::pair<double, double> mean_of(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    const double mean = sum / double(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double deviation = values.size() > 1 ? std::sqrt(squares / double(values.size() - 1)) : 0;
    return {mean, interval_half_width(deviation, values.size())};
}

bool counts(const ScalingViewPoint& point) {
    return point.finished() && point.value && std::isfinite(*point.value) && point.use != PointUse::excluded;
}

}  // namespace

bool ScalingView::can_draw(const ScalingViewPoint& point) const {
    return point.value && std::isfinite(*point.value) && *point.value > 0 && point.tokens > 0 &&
           point.parameters > 0;
}

ScalingView scaling_view(const StudySpec& spec, const StudyState& state, ScalingRecordPtr record,
                         const std::string& metric, const std::map<std::string, int>& colours) {
    ScalingView view{.study = spec.name, .metric = metric, .record = std::move(record)};
    view.branching = spec.branching && !spec.budgets.empty();
    std::map<std::string, std::size_t> curves, scales;
    std::vector<double> sums, numbers;
    std::set<std::uint64_t> seeds;
    std::map<std::string, Recorded> recorded;
    if (view.record) recorded = uses_of(*view.record);
    const std::vector<RowRule> held_out = read_rules(spec.fit.held_out);
    const std::vector<RowRule> excluded = read_rules(spec.fit.excluded);
    const bool by_record = has_largest(held_out) || has_largest(excluded);
    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const PointState& at = state.points[i];
        const StudyPoint& planned = at.planned.point;
        const auto [curve, new_curve] = curves.emplace(curve_of(spec, planned), view.curves.size());
        if (new_curve) view.curves.push_back({.name = curve->first});
        const auto [scale, new_scale] = scales.emplace(scale_of(spec, at.planned), view.scales.size());
        if (new_scale) {
            view.scales.push_back({.name = scale->first});
            sums.push_back(0);
            numbers.push_back(0);
        }
        sums[scale->second] += double(at.planned.parameters);
        numbers[scale->second] += 1;
        seeds.insert(planned.seed);
        ScalingViewPoint point{.curve = curve->second,
                               .scale = scale->second,
                               .point = i,
                               .label = planned.label,
                               .budget = planned.budget,
                               .seed = planned.seed,
                               .parameters = double(at.planned.parameters),
                               .tokens = double(at.planned.tokens()),
                               .state = at.state()};
        if (at.run) {
            point.run = at.run->folder.name();
            point.tokens = double(at.run->status.step.value * at.planned.training.tokens_per_step());
            point.progress = at.planned.training.steps > 0
                                 ? double(at.run->status.step.value) / double(at.planned.training.steps)
                                 : 0;
            if (const auto value = at.run->status.latest.find(metric); value != at.run->status.latest.end())
                point.value = value->second;
        }
        apply_rules(held_out, excluded, {spec, at, fields_of(spec, planned), point}, point);
        if (const auto found = recorded.find(point.run); !point.run.empty() && found != recorded.end()) {
            point.in_fit = true;
            if (by_record && point.use == PointUse::fitted) {
                point.use = found->second.use;
                point.reason = found->second.reason;
            }
            view.rules_changed = view.rules_changed || point.use != found->second.use;
        } else if (view.record && point.finished() && view.can_draw(point)) {
            ++view.new_points;
        }
        view.finished += point.finished() ? 1 : 0;
        view.points.push_back(std::move(point));
    }
    view.several_seeds = seeds.size() > 1;
    for (std::size_t i = 0; i < view.scales.size(); ++i) view.scales[i].parameters = sums[i] / numbers[i];
    colour_curves(view, colours);
    if (!view.record) return view;
    for (const ScalingFit& fit : view.record->report.fits)
        if (const auto curve = curves.find(fit.group); curve != curves.end())
            view.curves[curve->second].fit = &fit;
        else if (view.curves.size() == 1)
            view.curves.front().fit = &fit;
    for (ScalingViewPoint& point : view.points) {
        const ScalingFit* fit = view.curves[point.curve].fit;
        if (!fit || point.tokens <= 0) continue;
        point.predicted = fit->curve.loss(point.parameters, point.tokens);
        point.extrapolated = extrapolates(fit->range, point.parameters, point.tokens);
        if (view.can_draw(point)) point.log_residual = std::log(*point.value / point.predicted);
    }
    return view;
}

std::vector<std::string> scaling_metrics(const StudySpec& spec, const StudyState& state) {
    std::vector<std::string> metrics = spec.fit.metrics;
    if (metrics.empty()) metrics.push_back(spec.measure.metric);
    std::set<std::string> others;
    for (const PointState& point : state.points)
        if (point.run)
            for (const auto& [metric, value] : point.run->status.latest)
                if (metric != "tokens" && !is_head_norm(metric)) others.insert(metric);
    for (const std::string& metric : others)
        if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
    return metrics;
}

std::vector<ScalingMean> scaling_means(const ScalingView& view) {
    using Place = std::tuple<std::size_t, std::size_t, double>;
    std::map<Place, std::pair<ScalingMean, std::vector<double>>> groups;
    for (const ScalingViewPoint& point : view.points) {
        if (!counts(point)) continue;
        auto& [mean, values] = groups[{point.curve, point.scale, point.budget.value_or(point.tokens)}];
        mean.curve = point.curve;
        mean.scale = point.scale;
        mean.budget = point.budget;
        mean.parameters += point.parameters;
        mean.tokens += point.tokens;
        mean.use = point.use;
        values.push_back(*point.value);
    }
    std::vector<ScalingMean> means;
    for (auto& [place, group] : groups) {
        ScalingMean& mean = group.first;
        mean.seeds = group.second.size();
        mean.parameters /= double(mean.seeds);
        mean.tokens /= double(mean.seeds);
        std::tie(mean.value, mean.half_width) = mean_of(group.second);
        means.push_back(mean);
    }
    return means;
}

std::vector<ScalingPair> scaling_pairs(const ScalingView& view, std::size_t first, std::size_t second) {
    // Budgets where the study has them, else the tokens that were seen.
    using Place = std::tuple<std::size_t, double>;
    std::map<Place, std::map<std::uint64_t, std::pair<const ScalingViewPoint*, const ScalingViewPoint*>>> at;
    for (const ScalingViewPoint& point : view.points) {
        if (!counts(point)) continue;
        auto& both = at[{point.scale, point.budget.value_or(point.tokens)}][point.seed];
        if (point.curve == first) both.first = &point;
        if (point.curve == second) both.second = &point;
    }
    std::vector<ScalingPair> pairs;
    for (const auto& [place, seeds] : at) {
        ScalingPair pair{.scale = std::get<0>(place)};
        std::vector<double> differences;
        for (const auto& [seed, both] : seeds) {
            if (!both.first || !both.second) continue;
            pair.budget = both.first->budget;
            pair.tokens = both.first->tokens;
            pair.first += *both.first->value;
            pair.second += *both.second->value;
            differences.push_back(*both.second->value - *both.first->value);
        }
        if (differences.empty()) continue;
        pair.seeds = differences.size();
        pair.first /= double(pair.seeds);
        pair.second /= double(pair.seeds);
        std::tie(pair.difference, pair.half_width) = mean_of(differences);
        pairs.push_back(pair);
    }
    return pairs;
}

}  // namespace braid::ui
