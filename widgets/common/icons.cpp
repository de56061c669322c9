#include "widgets/common/icons.h"

#include <QDir>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <cmath>
#include <optional>

#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

QByteArray svgOf(const QString& name) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no icon named '%s'", qPrintable(name));
    return file.readAll();
}

void paintSvg(QPainter& painter, const QRectF& rect, const QString& name, const QColor& colour) {
    QByteArray svg = svgOf(name);
    svg.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(svg);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter, rect);
}

QColor colourOf(ColourRole role) {
    const Tokens& t = tokens();
    switch (role) {
        case ColourRole::text1:
            return t.text1;
        case ColourRole::text3:
            return t.text3;
        case ColourRole::ok:
            return t.ok;
        case ColourRole::warn:
            return t.warn;
        case ColourRole::error:
            return t.error;
        case ColourRole::info:
            return t.info;
    }
    return t.text2;
}

// Asks the theme at each paint, so that an icon in a button is right after a change of theme.
class ThemeIconEngine : public QIconEngine {
public:
    ThemeIconEngine(QString name, std::optional<ColourRole> role) : name_(std::move(name)), role_(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
        painter->drawPixmap(rect, cached(rect.size(), ratio, mode, state));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return cached(size, 1, mode, state);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override {
        // `size` is in device pixels here.
        QPixmap pixmap = cached(size, 1, mode, state);
        pixmap.setDevicePixelRatio(scale);
        return pixmap;
    }
    QIconEngine* clone() const override { return new ThemeIconEngine(*this); }

private:
    QPixmap cached(const QSize& size, qreal ratio, QIcon::Mode mode, QIcon::State state) const {
        const Tokens& t = tokens();
        const QColor colour = mode == QIcon::Disabled   ? t.disabled
                              : mode == QIcon::Selected ? t.onInk
                              : role_                   ? colourOf(*role_)
                              : state == QIcon::On      ? t.text1
                                                        : t.text2;
        return iconPixmap(name_, std::min(size.width(), size.height()), colour, ratio);
    }
    QString name_;
    std::optional<ColourRole> role_;
};

}  // namespace

QPixmap iconPixmap(const QString& name, int size, const QColor& colour, qreal devicePixelRatio) {
    const int pixels = std::max(1, int(std::lround(size * devicePixelRatio)));
    const QString key = QStringLiteral("braid-icon-%1-%2-%3").arg(name).arg(pixels).arg(colour.rgba());
    QPixmap pixmap;
    if (!QPixmapCache::find(key, &pixmap)) {
        pixmap = QPixmap(pixels, pixels);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintSvg(painter, QRectF(0, 0, pixels, pixels), name, colour);
        painter.end();
        QPixmapCache::insert(key, pixmap);
    }
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

QIcon icon(const QString& name) { return QIcon(new ThemeIconEngine(name, std::nullopt)); }
QIcon icon(const QString& name, ColourRole role) { return QIcon(new ThemeIconEngine(name, role)); }

QIcon applicationIcon() {
    QIcon result = QIcon::fromTheme(QStringLiteral("braid"));
    return result.isNull() ? icon(QStringLiteral("braid")) : result;
}

QStringList iconNames() {
    QStringList names;
    for (const QString& file : QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")})) {
        names << file.chopped(4);
    }
    return names;
}

}  // namespace braid::ui
