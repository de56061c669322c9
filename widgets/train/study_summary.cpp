#include "widgets/train/study_summary.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/analysis/crossing.h"
#include "core/mixers/builtin.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "widgets/common/format.h"

namespace braid::ui {

namespace {

QString text(const char* source) { return QCoreApplication::translate("StudySummary", source); }

// The slowest row, if it is clearly last: it never got there, or later than all others.
struct Last {
    const StudyRow* row = nullptr;
    const StudyRow* second = nullptr;  // the slowest of the others
};

Last lastRow(const std::vector<StudyRow>& rows) {
    Last found;
    std::vector<const StudyRow*> order;
    for (const StudyRow& row : rows)
        if (row.run) order.push_back(&row);
    if (order.size() < 2) return found;
    const auto time = [](const StudyRow* row) { return row->step ? *row->step : INT64_MAX; };
    std::sort(order.begin(), order.end(), [&](auto* a, auto* b) { return time(a) < time(b); });
    const StudyRow* slowest = order.back();
    const StudyRow* second = order[order.size() - 2];
    if (!second->step || time(slowest) == time(second)) return found;
    return {.row = slowest, .second = second};
}

void showLayers(const std::vector<LayerSpec>& layers, StudyRow& row) {
    row.layers = layers;
    for (const LayerSpec& layer : layers)
        for (const HeadGroup& group : layer.groups)
            if (group.mixer == "full") {
                const ParameterValue* position = group.parameters.find("position");
                const bool nope = position && *position == ParameterValue(std::string("nope"));
                row.position = nope ? QStringLiteral("NoPE") : QStringLiteral("RoPE");
            }
}

}  // namespace

RunPointer runOfPoint(const std::vector<RunPointer>& runs, const StudyPoint& point) {
    RunPointer found;
    for (const RunPointer& run : runs) {
        if (!run->plan || run->plan->point != point.key) continue;
        // Of several tries the one that got furthest.
        if (!found || run->state() == RunState::finished || run->step() > found->step()) found = run;
    }
    return found;
}

StudySummary summarise(const StudySpec& spec, const std::vector<RunPointer>& runs) {
    StudySummary summary;
    double steps_done = 0;
    double steps_all = 0;
    double longest = 0;
    double spread = 0;
    for (const StudyVariant& variant : spec.variants) {
        summary.rows.push_back({.label = QString::fromStdString(variant.label)});
        // What is going to be trained; one that names an architecture's file is known from its run.
        const Scale* scale = find_scale(variant.scale);
        const Checked<Pattern> pattern = parse_pattern(variant.pattern, builtin_mixers());
        if (scale && pattern) showLayers(instantiate(*pattern, *scale).layers, summary.rows.back());
    }
    for (const StudyPoint& point : study_points(spec)) {
        ++summary.total;
        const RunPointer run = runOfPoint(runs, point);
        const std::int64_t steps = run ? run->steps() : training_of(spec, point).steps;
        steps_all += double(steps);
        if (!run) {
            ++summary.planned;
            continue;
        }
        switch (run->state()) {
            case RunState::finished:
                ++summary.finished;
                break;
            case RunState::running:
            case RunState::paused:
                ++summary.active;
                break;
            case RunState::planned:
                ++summary.planned;
                break;
            default:
                ++summary.failed;
        }
        steps_done += double(std::min(run->step(), steps));
        summary.seconds += run->latest("time_s").value_or(0);
        if (run->eta) {
            longest = std::max(longest, run->eta->seconds);
            spread = std::max(spread, run->eta->plus_minus);
        }
        StudyRow& row = summary.rows[point.variant];
        if (row.run || point.seed != spec.seeds.front()) continue;
        row.run = run;
        row.seconds = run->latest("time_s").value_or(0);
        row.last = run->latest(spec.measure.metric);
        if (const auto counts = run->queries(); counts.contains(spec.measure.metric))
            row.queries = counts.at(spec.measure.metric);
        if (run->plan) showLayers(run->plan->architecture.layers, row);
        if (const CurvePtr curve = run->curve(spec.measure.metric))
            if (const auto crossing = first_crossing(*curve, spec.measure.threshold)) {
                row.step = std::int64_t(crossing->point.x);
                row.tokens = run->onAxis(*row.step, XAxis::tokens);
            }
    }
    summary.progress = steps_all > 0 ? steps_done / steps_all : 0;
    if (summary.active > 0 && longest > 0 && steps_done > 0) {
        // The runs that work now set the pace for those that wait.
        double rate = 0;
        for (const RunPointer& run : runs)
            if (run->state() == RunState::running && run->eta && run->eta->seconds > 0)
                rate += double(run->steps() - run->step()) / run->eta->seconds;
        if (rate > 0) {
            const double left = (steps_all - steps_done) / rate;
            summary.eta = Eta{.seconds = left, .plus_minus = spread * left / longest};
        }
    }
    return summary;
}

QString StudySummary::headline() const {
    if (!done()) {
        if (finished + active + failed == 0) return text("Which hybrid learns to look far first?");
        if (active > 0)
            return text("Training %1 of %2 hybrids").arg(std::min(finished + active, total)).arg(total);
        if (failed > 0) return text("%1 of %2 runs need attention").arg(failed).arg(total);
        return text("%1 of %2 runs finished").arg(finished).arg(total);
    }
    const Last last = lastRow(rows);
    if (!last.row) return text("All %1 hybrids learned to look far at about the same time.").arg(rows.size());
    const QString who = last.row->label.contains(last.row->position)
                            ? last.row->label
                            : text("%1 with %2").arg(last.row->label, last.row->position);
    return last.row->step ? text("%1 learned to look far last.").arg(who)
                          : text("%1 did not learn to look far.").arg(who);
}

QString StudySummary::explanation(const StudySpec& spec) const {
    const QString threshold = formatFixed(spec.measure.threshold, 1);
    if (!done()) return QString::fromStdString(spec.description);
    const Last last = lastRow(rows);
    if (!last.row) return text("All passed %1 far recall at the same evaluation.").arg(threshold);
    QString sentence;
    if (last.row->tokens)
        sentence =
            text("It passed %1 far recall after %2 tokens, %3 times as many as the slowest of the others.")
                .arg(threshold, formatSi(*last.row->tokens),
                     formatFixed(*last.row->tokens / *last.second->tokens, 1));
    else
        sentence = text("The others passed %1 far recall after %2 tokens at the latest; it did not in %3.")
                       .arg(threshold, formatSi(*last.second->tokens), formatSi(last.row->run->tokens()));
    double worst = 1;
    for (const StudyRow& row : rows) worst = std::min(worst, row.last.value_or(0));
    if (worst >= 0.9)
        sentence += QLatin1Char('\n') + text(
                                            "All end at %1 or better: the window changes how fast far recall "
                                            "comes, not how good it gets.")
                                            .arg(formatFixed(worst, 2));
    return sentence;
}

}  // namespace braid::ui
