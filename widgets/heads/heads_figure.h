// From what the maps show to a figure.
#pragma once

#include <optional>

#include "widgets/figure/named_figure.h"

namespace braid::ui {

class HeadsChoice;

// The part of the text, the scale and the heads as they are shown. Nothing: there is nothing to show, or the
// checkpoint belongs to no run of the project.
std::optional<NamedFigure> figureOfHeads(const HeadsChoice& choice);

}  // namespace braid::ui
