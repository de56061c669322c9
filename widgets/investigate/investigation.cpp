#include "widgets/investigate/investigation.h"

#include <QCoreApplication>
#include <algorithm>

#include "widgets/common/format.h"

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Investigation", text); }

QString tokensText(double tokens) { return tr("%1 tokens").arg(formatSi(tokens)); }

}  // namespace

QString InvestigatedRun::formedText() const {
    if (!formation) return QStringLiteral("—");
    return formation->formed ? formatSi(*formation->formed)
                             : tr("not by %1").arg(formatSi(formation->tokens));
}

const InvestigatedRun* Investigation::find(std::size_t variant, std::uint64_t seed) const {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const InvestigatedRun& run) {
        return run.variant == variant && run.seed == seed;
    });
    return found == runs.end() ? nullptr : &*found;
}

std::vector<FormationPair> Investigation::pairs(std::size_t early, std::size_t late) const {
    std::vector<FormationPair> made;
    if (early == late) return made;
    for (const std::uint64_t seed : seeds) {
        const InvestigatedRun *a = find(early, seed), *b = find(late, seed);
        if (a && b && a->formation && b->formation)
            made.push_back({.seed = seed, .early = *a->formation, .late = *b->formation});
    }
    return made;
}

Investigation investigate(const StudySpec& spec, const std::vector<RunPointer>& runs) {
    Investigation made;
    for (const RunPointer& run : runs) {
        if (!run->plan || run->state() != RunState::finished) continue;
        const std::uint64_t seed = run->plan->training.seed;
        for (std::size_t v = 0; v < spec.variants.size(); ++v) {
            std::string key = slug(spec.variants[v].label);
            key.append("/seed-").append(std::to_string(seed));
            if (run->plan->point != key || made.find(v, seed)) continue;
            InvestigatedRun one{.variant = v,
                                .seed = seed,
                                .label = QString::fromStdString(spec.variants[v].label),
                                .run = run};
            if (run->measurements) {
                one.trace = run->measurements->latest("trace");
                one.heads = run->measurements->latest("heads");
                one.gradient = run->measurements->latest("gradient");
            }
            if (one.trace) {
                if (const Result<HeadFormation> found = head_formation(*one.trace))
                    one.formation = *found;
                else
                    made.problems << QString::fromStdString(describe(found.error()));
            }
            made.runs.push_back(std::move(one));
            if (std::find(made.seeds.begin(), made.seeds.end(), seed) == made.seeds.end())
                made.seeds.push_back(seed);
        }
    }
    std::sort(made.seeds.begin(), made.seeds.end());
    std::stable_sort(made.runs.begin(), made.runs.end(),
                     [](const InvestigatedRun& a, const InvestigatedRun& b) {
                         return a.seed != b.seed ? a.seed < b.seed : a.variant < b.variant;
                     });
    return made;
}

CurvePtr traceOfHead(const InvestigatedRun& run, const std::string& array) {
    const MeasuredArray* found = run.trace && run.formation ? run.trace->find(array) : nullptr;
    if (!found || found->axes.size() != 3) return Curve::empty();
    const std::size_t layers = found->axes[1].ticks.size(), heads = found->axes[2].ticks.size();
    const std::size_t place = std::size_t(run.formation->layer) * heads + std::size_t(run.formation->head);
    std::vector<double> x, y;
    for (std::size_t t = 0; t < found->axes[0].ticks.size(); ++t) {
        const double* tokens = std::get_if<double>(&found->axes[0].ticks[t]);
        if (!tokens || place >= layers * heads) continue;
        x.push_back(*tokens);
        y.push_back(found->values[t * layers * heads + place]);
    }
    return Curve::make(x, y);
}

QString formationSentence(const InvestigatedRun& run) {
    if (!run.formation) return {};
    const HeadFormation& f = *run.formation;
    const QString head = QStringLiteral("%1.%2").arg(f.layer).arg(f.head);
    const QString entropy = tr("entropy %1 at the start, %2 at the end")
                                .arg(formatFixed(f.entropy_start, 2), formatFixed(f.entropy_end, 2));
    return f.formed
               ? tr("%1: head %2 has half of its attention on the needle after %3 (%4).")
                     .arg(run.label, head, tokensText(*f.formed), entropy)
               : tr("%1: no head has half of its attention on the needle by %2; the best is %3 with %4 (%5).")
                     .arg(run.label, tokensText(f.tokens), head, formatFixed(f.mass, 2), entropy);
}

}  // namespace braid::ui
