// From what Probe shows to figures and their files.
#pragma once

#include <QString>
#include <vector>

#include "widgets/common/workspace.h"
#include "widgets/figure/figure.h"

namespace braid::ui {

class ProbeChoice;

struct ProbeFigure {
    QString title;  // in the menu
    QString name;   // files are figures/NAME.*
    FigureSpec spec;
};

// A figure for every array that the chosen runs have and that can be drawn; maps of probing together.
std::vector<ProbeFigure> probeFigures(const ProbeChoice& choice, bool byKind = false);

// Opens the export dialog over `parent`; returns at once.
void exportProbeFigure(const ProbeFigure& figure, const WorkspaceContext& context, QWidget* parent);

}  // namespace braid::ui
