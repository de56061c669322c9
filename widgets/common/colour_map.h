// Colours of magnitudes, the same on the screen and on paper.
#pragma once

#include <QColor>

namespace braid::ui {

// Cividis (Nunez et al., 2018): readable without colour vision. `share` from 0 to 1, clamped.
QColor cividis(double share);

}  // namespace braid::ui
