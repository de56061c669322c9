// Colours of magnitudes, the same on the screen and on paper.
#pragma once

#include <QColor>

namespace braid::ui {

// Cividis (Nunez et al., 2018): readable without colour vision. `share` from 0 to 1, clamped.
QColor cividis(double share);
// Red to blue through `middle` (ColorBrewer's RdBu): below 0 and above 0. `share` from -1 to 1, clamped.
QColor redBlue(double share, const QColor& middle);
inline const QColor light_middle{0xf7, 0xf7, 0xf7}, dark_middle{0x2c, 0x31, 0x38};

}  // namespace braid::ui
