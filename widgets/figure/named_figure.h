// A figure of a view, and the way to its files.
#pragma once

#include <QString>

#include "widgets/common/workspace.h"
#include "widgets/figure/figure.h"

class QWidget;

namespace braid::ui {

struct NamedFigure {
    QString name;  // files are figures/NAME.*
    FigureSpec spec;
};

// Opens the export dialog over `parent`; returns at once.
void exportFigureOf(const NamedFigure& figure, const WorkspaceContext& context, QWidget* parent);

}  // namespace braid::ui
