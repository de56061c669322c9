// Which part of the T x T matrix a map shows, and where on the screen: a square of tokens in a square of
// pixels.
#pragma once

#include <QPointF>
#include <QRectF>
#include <cstdint>

namespace braid::ui {

struct MapViewport {
    std::int64_t tokens = 1;  // T
    double key = 0;           // at the left edge
    double query = 0;         // at the top edge
    double span = 1;          // tokens across, and down

    static constexpr double fewest = 8;  // tokens across at the highest zoom

    static MapViewport whole(std::int64_t tokens) { return {tokens, 0, 0, double(tokens)}; }
    bool isWhole() const { return span >= double(tokens); }
    // Within the matrix.
    MapViewport clamped() const;
    // `factor` < 1 shows fewer tokens; what lies at `place` (shares of the square, 0 to 1) stays there.
    MapViewport zoomed(double factor, const QPointF& place) const;
    MapViewport moved(double keys, double queries) const;
    // The same zoom with this pair in the middle.
    MapViewport centred(double onQuery, double onKey) const;
    // The smallest move that shows the pair.
    MapViewport showing(std::int64_t onQuery, std::int64_t onKey) const;
    // For a text of another length.
    MapViewport of(std::int64_t otherTokens) const;

    double x(double ofKey, const QRectF& square) const {
        return square.left() + (ofKey - key) / span * square.width();
    }
    double y(double ofQuery, const QRectF& square) const {
        return square.top() + (ofQuery - query) / span * square.height();
    }
    // Fractional token at a place of the screen.
    double keyAt(double x, const QRectF& square) const {
        return key + (x - square.left()) / square.width() * span;
    }
    double queryAt(double y, const QRectF& square) const {
        return query + (y - square.top()) / square.height() * span;
    }
    // The finest level whose squares are at least a pixel wide, so that none is left out.
    int level(double pixels) const;

    bool operator==(const MapViewport&) const = default;
};

}  // namespace braid::ui
