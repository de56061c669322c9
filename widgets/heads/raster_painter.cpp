// Scenes by Qt's own painter: the fallback, and what the other painter is compared with.
#include <QFontMetricsF>
#include <QPainter>

#include "widgets/heads/map_painter.h"

namespace braid::ui {

namespace {

class RasterPainter final : public MapPainter {
public:
    QImage paint(const MapScene& scene) override {
        QImage picture(scene.size, QImage::Format_RGB32);
        picture.fill(scene.background);
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::TextAntialiasing);
        for (const SceneItem& item : scene.items)
            std::visit([&painter](const auto& each) { draw(painter, each); }, item);
        return picture;
    }
    QString name() const override { return QStringLiteral("Qt raster"); }

private:
    static void draw(QPainter& painter, const SceneImage& image) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.drawImage(image.target, image.picture, image.source);
    }
    static void draw(QPainter& painter, const SceneRectangle& rectangle) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(rectangle.rect, rectangle.fill);
    }
    static void draw(QPainter& painter, const SceneLine& line) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(line.colour, line.width, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(line.from, line.to);
    }
    static void draw(QPainter& painter, const SceneRing& ring) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(ring.colour, ring.width));
        painter.drawEllipse(ring.centre, ring.radius, ring.radius);
    }
    static void draw(QPainter& painter, const SceneText& text) {
        const QFontMetricsF metrics(text.font);
        const double width = metrics.horizontalAdvance(text.text);
        const double left = text.align == SceneAlign::left     ? 0
                            : text.align == SceneAlign::centre ? -width / 2
                                                               : -width;
        painter.setFont(text.font);
        painter.setPen(text.colour);
        painter.drawText(QPointF(std::round(text.place.x() + left),
                                 std::round(text.place.y() - metrics.height() / 2) + metrics.ascent()),
                         text.text);
    }
    static void draw(QPainter& painter, const SceneClip& clip) {
        if (clip.rect)
            painter.setClipRect(*clip.rect);
        else
            painter.setClipping(false);
    }
};

}  // namespace

std::unique_ptr<MapPainter> makeRasterPainter() { return std::make_unique<RasterPainter>(); }

}  // namespace braid::ui
