// Draws dense polylines column by column: a curve of 10^7 points that moves up and down in every pixel column
// costs one vertical span a column instead of a path for the stroker. Edges are anti-aliased vertically.
#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>
#include <QSize>
#include <QVector>
#include <span>
#include <vector>

class QPainter;

namespace braid::ui {

class SpanRaster {
public:
    // In device pixels; kept between frames.
    void reset(QSize size);
    // `points` in device pixels relative to the raster's top left, x never decreasing. `dashes` in device
    // pixels (on, off, ...) along x; empty: solid.
    void addPolyline(std::span<const QPointF> points, const QColor& colour, qreal width,
                     const QVector<qreal>& dashes = {});
    // The same for columns whose extremes are known: low <= high in device pixels (downwards), neighbours
    // joined from `last` to `first`.
    struct Column {
        int column;
        float low, high, first, last;
    };
    void addColumns(std::span<const Column> columns, const QColor& colour, qreal width,
                    const QVector<qreal>& dashes = {});
    // The picture so far, drawn over `target` (logical coordinates) and cleared.
    void flush(QPainter& painter, const QRectF& target);

private:
    void extend(int column, float y);
    void paintExtended(int first, int last, const QColor& colour, qreal width, const QVector<qreal>& dashes);
    void paintColumn(int column, float low, float high, quint32 premultiplied, int alpha);

    QSize size_;
    std::vector<quint32> pixels_;  // premultiplied ARGB, column after column
    std::vector<float> low_, high_;
    std::vector<float> wideLow_, wideHigh_;
    int dirtyFirst_ = 0, dirtyLast_ = -1;  // columns painted since the last flush
    QImage image_;
};

}  // namespace braid::ui
