#include "widgets/heads/surfaceless_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <array>
#include <vector>

namespace braid::ui {

namespace {

constexpr EGLenum surfaceless_platform = 0x31DD;  // EGL_PLATFORM_SURFACELESS_MESA
constexpr int most_devices = 16;

template <class Function>
void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(eglGetProcAddress(name));
}

std::vector<EGLDisplay> displays() {
    std::vector<EGLDisplay> found;
    PFNEGLGETPLATFORMDISPLAYEXTPROC display_of = nullptr;
    PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;
    find(display_of, "eglGetPlatformDisplayEXT");
    find(query_devices, "eglQueryDevicesEXT");
    if (display_of != nullptr) {
        std::array<EGLDeviceEXT, most_devices> devices{};
        EGLint count = 0;
        if (query_devices != nullptr && query_devices(most_devices, devices.data(), &count))
            for (int i = 0; i < count; ++i)
                found.push_back(display_of(EGL_PLATFORM_DEVICE_EXT, devices[std::size_t(i)], nullptr));
        found.push_back(display_of(surfaceless_platform, EGL_DEFAULT_DISPLAY, nullptr));
    }
    return found;
}

}  // namespace

struct SurfacelessContext::Data {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    unsigned framebuffer = 0, colour = 0;
    QSize size;
    int most = 0;

    PFNGLGENFRAMEBUFFERSPROC gen_framebuffers = nullptr;
    PFNGLBINDFRAMEBUFFERPROC bind_framebuffer = nullptr;
    PFNGLDELETEFRAMEBUFFERSPROC delete_framebuffers = nullptr;
    PFNGLFRAMEBUFFERTEXTURE2DPROC framebuffer_texture = nullptr;
    PFNGLCHECKFRAMEBUFFERSTATUSPROC framebuffer_status = nullptr;
    // Of OpenGL 1.1: through EGL, too, so that nothing links a library of OpenGL.
    decltype(&glGetString) get_string = nullptr;
    decltype(&glGetIntegerv) get_integer = nullptr;
    decltype(&glGetError) get_error = nullptr;
    decltype(&glGenTextures) gen_textures = nullptr;
    decltype(&glBindTexture) bind_texture = nullptr;
    decltype(&glTexImage2D) tex_image = nullptr;
    decltype(&glTexParameteri) tex_parameter = nullptr;
    decltype(&glDeleteTextures) delete_textures = nullptr;
    decltype(&glPixelStorei) pixel_store = nullptr;
    decltype(&glReadPixels) read_pixels = nullptr;
    decltype(&glViewport) viewport = nullptr;

    bool load() {
        find(gen_framebuffers, "glGenFramebuffers");
        find(bind_framebuffer, "glBindFramebuffer");
        find(delete_framebuffers, "glDeleteFramebuffers");
        find(framebuffer_texture, "glFramebufferTexture2D");
        find(framebuffer_status, "glCheckFramebufferStatus");
        find(get_string, "glGetString");
        find(get_integer, "glGetIntegerv");
        find(get_error, "glGetError");
        find(gen_textures, "glGenTextures");
        find(bind_texture, "glBindTexture");
        find(tex_image, "glTexImage2D");
        find(tex_parameter, "glTexParameteri");
        find(delete_textures, "glDeleteTextures");
        find(pixel_store, "glPixelStorei");
        find(read_pixels, "glReadPixels");
        find(viewport, "glViewport");
        return gen_framebuffers && bind_framebuffer && delete_framebuffers && framebuffer_texture &&
               framebuffer_status && get_string && get_integer && get_error && gen_textures && bind_texture &&
               tex_image && tex_parameter && delete_textures && pixel_store && read_pixels && viewport;
    }
    bool make(EGLDisplay on) {
        display = on;
        if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) return false;
        constexpr EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                     3,
                                     EGL_CONTEXT_MINOR_VERSION,
                                     2,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                     EGL_NONE};
        context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
        if (context == EGL_NO_CONTEXT) return false;
        if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
            eglDestroyContext(display, context);
            context = EGL_NO_CONTEXT;
            return false;
        }
        return true;
    }
};

SurfacelessContext::SurfacelessContext() : d_(std::make_unique<Data>()) {}

std::unique_ptr<SurfacelessContext> SurfacelessContext::make(QString* problem) {
    const auto refuse = [problem](const QString& text) {
        if (problem) *problem = text;
        return nullptr;
    };
    if (!eglBindAPI(EGL_OPENGL_API)) return refuse(QStringLiteral("EGL has no OpenGL"));
    std::unique_ptr<SurfacelessContext> made(new SurfacelessContext);
    bool good = false;
    for (EGLDisplay display : displays())
        if ((good = made->d_->make(display))) break;
    if (!good)
        return refuse(QStringLiteral("EGL gives no OpenGL 3.2 context without a window (error 0x%1)")
                          .arg(eglGetError(), 0, 16));
    if (!made->d_->load()) return refuse(QStringLiteral("OpenGL lacks framebuffer objects"));
    made->d_->get_integer(GL_MAX_TEXTURE_SIZE, &made->d_->most);
    return made;
}

SurfacelessContext::~SurfacelessContext() {
    if (d_->context == EGL_NO_CONTEXT) return;
    if (d_->framebuffer != 0) d_->delete_framebuffers(1, &d_->framebuffer);
    if (d_->colour != 0) d_->delete_textures(1, &d_->colour);
    eglMakeCurrent(d_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(d_->display, d_->context);
    // The display stays: it is shared by the whole process.
}

QString SurfacelessContext::renderer() const {
    return QString::fromLatin1(reinterpret_cast<const char*>(d_->get_string(GL_RENDERER)));
}

bool SurfacelessContext::begin(const QSize& size) {
    if (size.isEmpty() || size.width() > d_->most || size.height() > d_->most) return false;
    if (d_->framebuffer == 0) d_->gen_framebuffers(1, &d_->framebuffer);
    d_->bind_framebuffer(GL_FRAMEBUFFER, d_->framebuffer);
    if (d_->size != size) {
        if (d_->colour == 0) d_->gen_textures(1, &d_->colour);
        d_->bind_texture(GL_TEXTURE_2D, d_->colour);
        d_->tex_image(GL_TEXTURE_2D, 0, GL_RGBA8, size.width(), size.height(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      nullptr);
        d_->tex_parameter(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        d_->framebuffer_texture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, d_->colour, 0);
        d_->size = size;
        if (d_->framebuffer_status(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            d_->size = QSize();
            return false;
        }
    }
    d_->viewport(0, 0, size.width(), size.height());
    return true;
}

QImage SurfacelessContext::read(const QSize& size) {
    QImage picture(size, QImage::Format_RGBX8888);
    d_->pixel_store(GL_PACK_ALIGNMENT, 4);
    d_->read_pixels(0, 0, size.width(), size.height(), GL_RGBA, GL_UNSIGNED_BYTE, picture.bits());
    picture.mirror();  // OpenGL counts rows from the bottom
    return picture;
}

unsigned SurfacelessContext::upload(const QImage& picture) {
    const QImage pixels = picture.convertToFormat(QImage::Format_RGBA8888);
    unsigned texture = 0;
    while (d_->get_error() != GL_NO_ERROR) {
    }
    d_->gen_textures(1, &texture);
    d_->bind_texture(GL_TEXTURE_2D, texture);
    d_->tex_parameter(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    d_->tex_parameter(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    d_->tex_parameter(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    d_->tex_parameter(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    d_->pixel_store(GL_UNPACK_ALIGNMENT, 4);
    d_->pixel_store(GL_UNPACK_ROW_LENGTH, 0);
    d_->tex_image(GL_TEXTURE_2D, 0, GL_RGBA8, pixels.width(), pixels.height(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                  pixels.constBits());
    if (d_->get_error() == GL_NO_ERROR) return texture;
    d_->delete_textures(1, &texture);
    return 0;
}

void SurfacelessContext::remove(unsigned texture) { d_->delete_textures(1, &texture); }

}  // namespace braid::ui
