// The colours of a plot (look.md, tokens). Data hold palette indices, never colours; the theme picks.
#pragma once

#include <QColor>
#include <QPen>
#include <array>

namespace braid::ui {

struct PlotTheme {
    bool dark = false;
    QColor surface, panel, text1, text2, text3, axis, grid, border, ink, onInk, selection, mark, warn;
    std::array<QColor, 8> runs;

    static PlotTheme light();
    static PlotTheme darkTheme();

    // Colour of a stored palette index; after eight the colours come again with another dash.
    QColor runColour(int index) const { return runs[static_cast<std::size_t>(wrap(index))]; }
    static int wrap(int index) { return ((index % 8) + 8) % 8; }
};

// Dash pattern number index / 8: solid for the first eight runs, then 6-3, 2-2, 8-2-2-2. In units of the
// pen's width.
QVector<qreal> dashPattern(int number);
// Pen of a run: its colour, its dash, round joins.
QPen runPen(const PlotTheme& theme, int colourIndex, qreal width);

}  // namespace braid::ui
