// Where the parts of a map lie in its widget; the row plot and the strips beneath it follow its columns.
#pragma once

#include <QRectF>
#include <QSizeF>

namespace braid::ui {

struct MapLayout {
    static constexpr double left = 66;  // labels, the sink's column
    static constexpr double right = 12;
    static constexpr double top = 44;  // documents, the needle's name
    static constexpr double bottom = 6;
    static constexpr double sink_width = 10, sink_gap = 6;

    QRectF map;   // a square
    QRectF sink;  // beside it
    QRectF docs;  // above it

    explicit MapLayout(const QSizeF& size);
    // Height that a map of this width takes.
    static double heightFor(double width) { return width - left - right + top + bottom; }
};

}  // namespace braid::ui
