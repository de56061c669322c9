#include "widgets/figure/paper_strip.h"

#include <algorithm>

#include "widgets/common/mixer_style.h"
#include "widgets/figure/figure_canvas.h"

namespace braid::ui {
namespace {

// Straight strokes x + slope * y = c through the rectangle, `pitch` apart along x; without clipping, which
// SVG lacks.
void hatch(FigureCanvas& canvas, const QRectF& rect, double slope, double pitch, const QColor& colour,
           double width) {
    const double low = std::min(rect.left() + slope * rect.top(), rect.left() + slope * rect.bottom());
    const double high = std::max(rect.right() + slope * rect.top(), rect.right() + slope * rect.bottom());
    for (double c = std::ceil(low / pitch) * pitch; c < high; c += pitch) {
        double top = rect.top();
        double bottom = rect.bottom();
        if (slope != 0) {
            const double a = (c - rect.left()) / slope;
            const double b = (c - rect.right()) / slope;
            top = std::max(top, std::min(a, b));
            bottom = std::min(bottom, std::max(a, b));
        }
        if (top < bottom) {
            canvas.line({c - slope * top, top}, {c - slope * bottom, bottom}, colour, width);
        }
    }
}

void drawMixer(FigureCanvas& canvas, const QRectF& rect, std::string_view mixer) {
    const MixerStyle style = mixerStyle(mixer);
    canvas.rectangle(rect, style.hue);
    const double pitch = FigureCanvas::mm(0.55);
    const QColor dark = style.hue.darker(165);
    const QColor light(255, 255, 255, 200);
    switch (style.texture) {
        case Texture::solid:
            break;
        case Texture::diagonal:
            hatch(canvas, rect, 1, pitch, dark, 0.35);
            break;
        case Texture::cross:
            hatch(canvas, rect, 1, pitch, light, 0.3);
            hatch(canvas, rect, -1, pitch, light, 0.3);
            break;
        case Texture::dots:
            for (double y = rect.top() + pitch / 2; y < rect.bottom(); y += pitch) {
                for (double x = rect.left() + pitch / 2; x < rect.right(); x += pitch) {
                    canvas.rectangle({x - pitch / 6, y - pitch / 6, pitch / 3, pitch / 3}, light);
                }
            }
            break;
        case Texture::bars:
        case Texture::waves:
            for (double y = rect.top() + pitch / 2; y < rect.bottom(); y += pitch) {
                canvas.line({rect.left(), y}, {rect.right(), y}, dark, 0.35);
            }
            break;
        case Texture::checks:
        case Texture::vertical:
            hatch(canvas, rect, 0, pitch, dark, 0.35);
            break;
    }
}

}  // namespace

void drawPaperStrip(FigureCanvas& canvas, const QRectF& rect, const std::vector<LayerSpec>& layers) {
    if (layers.empty()) {
        return;
    }
    const auto count = static_cast<double>(layers.size());
    const double gap = std::min(FigureCanvas::mm(0.2), rect.width() / count * 0.15);
    const double width = (rect.width() - gap * (count - 1)) / count;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const QRectF cell(rect.left() + static_cast<double>(i) * (width + gap), rect.top(), width,
                          rect.height());
        std::int64_t heads = 0;
        for (const HeadGroup& group : layers[i].groups) {
            heads += group.heads;
        }
        double top = cell.top();
        for (const HeadGroup& group : layers[i].groups) {  // head-wise groups share the cell by their heads
            const double share =
                heads > 0 ? static_cast<double>(group.heads) / static_cast<double>(heads) : 1;
            drawMixer(canvas, {cell.left(), top, cell.width(), cell.height() * share}, group.mixer);
            top += cell.height() * share;
        }
    }
}

}  // namespace braid::ui
