// A picture as a list of what is in it, in device pixels: made once by code that knows heads and tokens,
// painted by whichever painter there is (Dear ImGui on OpenGL, or Qt's raster).
#pragma once

#include <QColor>
#include <QFont>
#include <QImage>
#include <QPointF>
#include <QRectF>
#include <QSize>
#include <QString>
#include <optional>
#include <variant>
#include <vector>

namespace braid::ui {

// Enlarged without smoothing: a square of a map has one colour. The picture is shared, not copied.
struct SceneImage {
    QImage picture;  // Format_RGBA8888
    QRectF target;
    QRectF source;  // within the picture
};

// Edges on whole pixels.
struct SceneRectangle {
    QRectF rect;
    QColor fill;
};

struct SceneLine {
    QPointF from, to;
    QColor colour;
    double width = 1;
};

struct SceneRing {
    QPointF centre;
    double radius = 4;
    QColor colour;
    double width = 1.5;
};

enum class SceneAlign { left, centre, right };

struct SceneText {
    QPointF place;  // at the middle of the line's height
    QString text;
    QFont font;  // its pixel size in device pixels
    QColor colour;
    SceneAlign align = SceneAlign::left;
};

// From here on only within the rectangle; without one, everywhere.
struct SceneClip {
    std::optional<QRectF> rect;
};

using SceneItem = std::variant<SceneImage, SceneRectangle, SceneLine, SceneRing, SceneText, SceneClip>;

struct MapScene {
    QSize size;  // device pixels
    QColor background;
    std::vector<SceneItem> items;  // from the back to the front
};

}  // namespace braid::ui
