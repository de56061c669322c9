// From what a view shows to a figure and its files.
#pragma once

#include "widgets/common/run_view.h"
#include "widgets/common/workspace.h"
#include "widgets/figure/figure.h"

namespace braid::ui {

struct NamedFigure {
    QString name;  // files are figures/NAME.*
    FigureSpec spec;
};

// The project's own figure of the study's measure, else a new one: measure against tokens with its threshold.
NamedFigure figureOfStudy(const ProjectSession& session, const QString& study);
// One panel a metric, of these runs.
NamedFigure figureOfRuns(const std::vector<RunPointer>& runs, const std::vector<std::string>& metrics,
                         const std::string& x, AxisScale y_scale, double smoothing);

// The map of one task of a score.
NamedFigure figureOfNeedles(const RunPointer& run, const ScoreRecord& record, const std::string& task);

// The loss by position of a score; with its difference, where it was scored against another.
NamedFigure figureOfPositions(const RunPointer& run, const ScoreRecord& record);

// Opens the export dialog over `parent`; returns at once.
void exportFigureOf(const NamedFigure& figure, const WorkspaceContext& context, QWidget* parent);

}  // namespace braid::ui
