// Paints scenes into pictures. One painter belongs to one thread.
#pragma once

#include <QImage>
#include <QString>
#include <memory>

#include "widgets/heads/map_scene.h"

namespace braid::ui {

class MapPainter {
public:
    virtual ~MapPainter() = default;
    virtual QImage paint(const MapScene& scene) = 0;
    virtual QString name() const = 0;  // "Dear ImGui, llvmpipe (LLVM 15.0.6, 256 bits)"
};

// Always there.
std::unique_ptr<MapPainter> makeRasterPainter();
// Null where there is no OpenGL 3.2 without a window; `problem` says why.
std::unique_ptr<MapPainter> makeImguiPainter(QString* problem);

// What $BRAID_MAP_PAINTER ("imgui" or "raster"), the property "safeMode" of the application and the setting
// "heads/painter" ask for; else Dear ImGui where it works. Never null.
enum class PainterChoice { automatic, imgui, raster };
PainterChoice wantedPainter();
std::unique_ptr<MapPainter> makeMapPainter(PainterChoice choice, QString* problem);

}  // namespace braid::ui
