// OpenGL without a window: an EGL context and a framebuffer to read back from. Belongs to the thread that
// makes it.
#pragma once

#include <QImage>
#include <QString>
#include <memory>

namespace braid::ui {

class SurfacelessContext {
public:
    // OpenGL 3.2 core or newer; null with the reason in `problem`. Devices are asked in their order (that of
    // a graphics card comes first), then EGL's surfaceless platform.
    static std::unique_ptr<SurfacelessContext> make(QString* problem);
    ~SurfacelessContext();

    QString renderer() const;  // GL_RENDERER
    // Draws from here on go into a framebuffer of this size; it is kept while sizes repeat.
    bool begin(const QSize& size);
    QImage read(const QSize& size);  // Format_RGBX8888, upright

    // Textures of 4 bytes a pixel, not smoothed; 0: there is no memory for it.
    unsigned upload(const QImage& picture);
    void remove(unsigned texture);

private:
    SurfacelessContext();
    struct Data;
    std::unique_ptr<Data> d_;
};

}  // namespace braid::ui
