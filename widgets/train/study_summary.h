// What a study has shown so far: one row a variant, and the sentences above the table. Values only.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/spec/study_points.h"
#include "widgets/common/run_view.h"

namespace braid::ui {

struct StudyRow {
    QString label = {};
    RunPointer run = {};  // of the first seed; null: not planned yet
    std::vector<LayerSpec> layers = {};
    QString position = {};                  // "RoPE", "NoPE" of the full layers
    std::optional<std::int64_t> step = {};  // of the first evaluation at or above the threshold
    std::optional<double> tokens = {};
    std::optional<double> last = {};  // newest value of the measure
    std::int64_t queries = 0;         // that it is the mean over; 0: unknown
    double seconds = 0;               // of training
};

struct StudySummary {
    std::vector<StudyRow> rows;  // in the order of the study's variants
    int finished = 0, active = 0, failed = 0, planned = 0;
    int total = 0;
    double seconds = 0;      // of training, over all runs
    double progress = 0;     // 0 to 1, by steps
    std::optional<Eta> eta;  // of the whole study, from the runs that work now
    bool done() const { return total > 0 && finished == total; }
    QString headline() const;                          // "Window 64 with RoPE learned to look far last."
    QString explanation(const StudySpec& spec) const;  // one or two sentences with the numbers
};

// `runs`: every run of the study that the project has, in any order. The curves of the measure against steps
// are needed for the crossings (ProjectSession::wantCurves).
StudySummary summarise(const StudySpec& spec, const std::vector<RunPointer>& runs);

// The run of a point; null where there is none.
RunPointer runOfPoint(const std::vector<RunPointer>& runs, const StudyPoint& point);

}  // namespace braid::ui
