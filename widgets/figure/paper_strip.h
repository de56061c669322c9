// An architecture as a strip of its layers on paper: the hues and textures of the window as vectors.
#pragma once

#include <QRectF>
#include <vector>

#include "core/spec/architecture.h"

namespace braid::ui {

class FigureCanvas;

void drawPaperStrip(FigureCanvas& canvas, const QRectF& rect, const std::vector<LayerSpec>& layers);

}  // namespace braid::ui
