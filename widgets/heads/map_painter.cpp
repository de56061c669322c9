#include "widgets/heads/map_painter.h"

#include <QCoreApplication>
#include <QSettings>

namespace braid::ui {

PainterChoice wantedPainter() {
    const QString asked = qEnvironmentVariable("BRAID_MAP_PAINTER");
    if (asked == QLatin1String("raster")) return PainterChoice::raster;
    if (asked == QLatin1String("imgui")) return PainterChoice::imgui;
    if (QCoreApplication::instance() && QCoreApplication::instance()->property("safeMode").toBool())
        return PainterChoice::raster;
    if (QSettings().value(QStringLiteral("heads/painter")).toString() == QLatin1String("raster"))
        return PainterChoice::raster;
    return PainterChoice::automatic;
}

std::unique_ptr<MapPainter> makeMapPainter(PainterChoice choice, QString* problem) {
    if (choice != PainterChoice::raster)
        if (auto painter = makeImguiPainter(problem)) return painter;
    return makeRasterPainter();
}

}  // namespace braid::ui
