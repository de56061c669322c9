// From what a view shows to a figure.
#pragma once

#include "widgets/common/run_view.h"
#include "widgets/figure/named_figure.h"

namespace braid::ui {

// The project's own figure of the study's measure, else a new one: measure against tokens with its threshold.
NamedFigure figureOfStudy(const ProjectSession& session, const QString& study);
// One panel a metric, of these runs.
NamedFigure figureOfRuns(const std::vector<RunPointer>& runs, const std::vector<std::string>& metrics,
                         const std::string& x, AxisScale y_scale, double smoothing);

// The map of one task of a score.
NamedFigure figureOfNeedles(const RunPointer& run, const ScoreRecord& record, const std::string& task);

// The loss by position of a score; with its difference, where it was scored against another.
NamedFigure figureOfPositions(const RunPointer& run, const ScoreRecord& record);

}  // namespace braid::ui
