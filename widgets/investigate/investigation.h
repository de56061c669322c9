// What measurements of a study's runs say about when its variants came to look far. Values only.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/record/head_formation.h"
#include "core/spec/study.h"
#include "widgets/common/run_measurements.h"
#include "widgets/common/run_view.h"

namespace braid::ui {

// Kinds of measurement that an investigation rests on.
inline constexpr const char* investigated_kinds[] = {"trace", "heads", "gradient"};

struct InvestigatedRun {
    std::size_t variant = 0;
    std::uint64_t seed = 0;
    QString label = {};   // of its variant
    RunPointer run = {};  // never null
    std::optional<HeadFormation> formation = {};
    // Of its last checkpoint, those of the kinds above; null: not measured. Owned by the run.
    const MeasurementRecord *trace = nullptr, *heads = nullptr, *gradient = nullptr;
    bool measured() const { return trace && heads && gradient; }
    QString formedText() const;  // tokens: "639 k", "not by 2.46 M", "—"
};

struct Investigation {
    std::vector<InvestigatedRun> runs = {};  // finished ones: by seed, then variant
    std::vector<std::uint64_t> seeds = {};   // of them, ascending
    QStringList problems = {};               // of traces that cannot be used

    const InvestigatedRun* find(std::size_t variant, std::uint64_t seed) const;
    // Seeds in which both were traced.
    std::vector<FormationPair> pairs(std::size_t early, std::size_t late) const;
};

Investigation investigate(const StudySpec& spec, const std::vector<RunPointer>& runs);

// An array [tokens, layer, head] of a trace at the head that the formation names; empty where there is none.
CurvePtr traceOfHead(const InvestigatedRun& run, const std::string& array);

// "Window 4: head 2.0 has half of its attention on the needle after 639 k tokens; its entropy falls from 0.98
// to 0.14."
QString formationSentence(const InvestigatedRun& run);

}  // namespace braid::ui
