// From what Probe shows to figures.
#pragma once

#include <vector>

#include "widgets/figure/named_figure.h"

namespace braid::ui {

class ProbeChoice;

// A figure for every array that the chosen runs have and that can be drawn; maps of probing together.
std::vector<NamedFigure> probeFigures(const ProbeChoice& choice, bool byKind = false);

}  // namespace braid::ui
