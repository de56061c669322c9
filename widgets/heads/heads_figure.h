// From what the maps show to a figure.
#pragma once

#include <QString>
#include <optional>

#include "widgets/common/workspace.h"
#include "widgets/figure/figure.h"

class QWidget;

namespace braid::ui {

class HeadsChoice;

struct HeadsFigure {
    QString name;  // files are figures/NAME.*
    FigureSpec spec;
};

// The part of the text, the scale and the heads as they are shown. Nothing: there is nothing to show, or the
// checkpoint belongs to no run of the project.
std::optional<HeadsFigure> figureOfHeads(const HeadsChoice& choice);

// Opens the export dialog over `parent`; returns at once.
void exportHeadsFigure(const HeadsFigure& figure, const WorkspaceContext& context, QWidget* parent);

}  // namespace braid::ui
