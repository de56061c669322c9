// What can go wrong with a figure on paper, judged from what was drawn.
#pragma once

#include <QString>
#include <vector>

#include "widgets/figure/figure_canvas.h"
#include "widgets/figure/figure_data.h"

namespace braid::ui {

struct FigureCheck {
    QString title;  // "Legend complete"
    bool good = true;
    QString finding;  // "4 of 4 series"
    bool operator==(const FigureCheck&) const = default;
};

// `pdf_bytes`: size of the rendered PDF.
std::vector<FigureCheck> check_figure(const FigureSpec& spec, const FigureData& data,
                                      const FigureFacts& facts, qint64 pdf_bytes);

// Smallest distance in OKLab between two of the colours as someone with deuteranopia sees them (Machado et
// al., 2009); infinite for fewer than two colours.
double deuteranopia_distance(const std::vector<QColor>& colours);
// OKLab lightness, 0 to 1: what is left of a colour in grey.
double grey_lightness(const QColor& colour);

}  // namespace braid::ui
