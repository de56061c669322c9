// Scenes as Dear ImGui draw lists, rendered by its OpenGL back end. Texts are drawn by Qt (any script, the
// program's own fonts) and kept as textures.
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <cmath>
#include <mutex>

#include "widgets/heads/map_painter.h"
#include "widgets/heads/surfaceless_context.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_texture_bytes = std::size_t{48} << 20;  // kept beyond one picture
constexpr const char* glsl = "#version 150";

ImU32 packed(const QColor& colour) {
    return IM_COL32(colour.red(), colour.green(), colour.blue(), colour.alpha());
}
ImVec2 point(const QPointF& at) { return {float(at.x()), float(at.y())}; }

// Dear ImGui's current context is one for the whole program; painters live in threads of their own.
std::mutex& theImgui() {
    static std::mutex mutex;
    return mutex;
}

struct Texture {
    unsigned id = 0;
    std::size_t bytes = 0;
    std::uint64_t used = 0;  // in which picture it was drawn last
};

class ImguiPainter final : public MapPainter {
public:
    static std::unique_ptr<MapPainter> make(QString* problem) {
        std::unique_ptr<SurfacelessContext> gl = SurfacelessContext::make(problem);
        if (!gl) return nullptr;
        std::unique_ptr<ImguiPainter> made(new ImguiPainter(std::move(gl)));
        if (made->ready_ && !made->paint({QSize(8, 8), Qt::black, {}}).isNull()) return made;
        if (problem) *problem = QStringLiteral("Dear ImGui's OpenGL back end does not start");
        return nullptr;
    }
    ~ImguiPainter() override {
        const std::scoped_lock lock(theImgui());
        ImGui::SetCurrentContext(context_);
        for (const Texture& texture : std::as_const(textures_)) gl_->remove(texture.id);
        if (ready_) ImGui_ImplOpenGL3_Shutdown();
        ImGui::DestroyContext(context_);
    }

    QImage paint(const MapScene& scene) override {
        if (!gl_->begin(scene.size)) return raster_->paint(scene);
        ++picture_;
        const std::scoped_lock lock(theImgui());
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = {float(scene.size.width()), float(scene.size.height())};
        io.DeltaTime = 1.0F / 60;
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        list_ = ImGui::GetBackgroundDrawList();
        clipped_ = false;
        list_->AddRectFilled({0, 0}, io.DisplaySize, packed(scene.background));
        for (const SceneItem& item : scene.items) std::visit([this](const auto& each) { add(each); }, item);
        if (clipped_) list_->PopClipRect();
        ImGui::Render();
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        forgetOld();
        return gl_->read(scene.size);
    }
    QString name() const override { return QStringLiteral("Dear ImGui, %1").arg(gl_->renderer()); }

private:
    explicit ImguiPainter(std::unique_ptr<SurfacelessContext> gl)
        : gl_(std::move(gl)), raster_(makeRasterPainter()) {
        const std::scoped_lock lock(theImgui());
        context_ = ImGui::CreateContext();
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.LogFilename = nullptr;
        ready_ = ImGui_ImplOpenGL3_Init(glsl);
    }

    static ImTextureID handle(unsigned id) { return reinterpret_cast<ImTextureID>(std::uintptr_t(id)); }

    unsigned textureOf(const QString& key, const QImage& picture) {
        Texture& texture = textures_[key];
        if (texture.id == 0) {
            texture = {gl_->upload(picture), std::size_t(picture.width()) * std::size_t(picture.height()) * 4,
                       picture_};
            bytes_ += texture.bytes;
        }
        texture.used = picture_;
        return texture.id;
    }

    void add(const SceneImage& image) {
        const unsigned id = textureOf(QStringLiteral("i%1").arg(image.picture.cacheKey()), image.picture);
        if (id == 0) return;
        const double width = image.picture.width(), height = image.picture.height();
        list_->AddImage(handle(id), point(image.target.topLeft()), point(image.target.bottomRight()),
                        {float(image.source.left() / width), float(image.source.top() / height)},
                        {float(image.source.right() / width), float(image.source.bottom() / height)});
    }
    void add(const SceneRectangle& rectangle) {
        list_->AddRectFilled(point(rectangle.rect.topLeft()), point(rectangle.rect.bottomRight()),
                             packed(rectangle.fill));
    }
    // Dear ImGui's lines run through the middles of pixels.
    void add(const SceneLine& line) {
        const QPointF half(0.5, 0.5);
        list_->AddLine(point(line.from - half), point(line.to - half), packed(line.colour),
                       float(line.width));
    }
    void add(const SceneRing& ring) {
        list_->AddCircle(point(ring.centre), float(ring.radius) + 0.5F, packed(ring.colour), 0,
                         float(ring.width));
    }
    void add(const SceneText& text) {
        if (text.text.isEmpty()) return;
        const QFontMetricsF metrics(text.font);
        const double width = metrics.horizontalAdvance(text.text);
        const double left = text.align == SceneAlign::left     ? 0
                            : text.align == SceneAlign::centre ? -width / 2
                                                               : -width;
        const QString key = QStringLiteral("t%1 %2 %3 %4")
                                .arg(text.font.family())
                                .arg(text.font.pixelSize())
                                .arg(text.font.weight())
                                .arg(text.text);
        constexpr int margin = 2;  // glyphs may reach beyond their advance
        const QSize size(int(std::ceil(width)) + 2 * margin, int(std::ceil(metrics.height())));
        QImage mask;
        if (!textures_.contains(key)) {
            QImage drawn(size, QImage::Format_ARGB32_Premultiplied);
            drawn.fill(Qt::transparent);
            QPainter painter(&drawn);
            painter.setFont(text.font);
            painter.setPen(Qt::white);
            painter.drawText(QPointF(margin, metrics.ascent()), text.text);
            painter.end();
            mask = drawn;
            mask = mask.convertToFormat(QImage::Format_RGBA8888);
        }
        const unsigned id = textureOf(key, mask);
        if (id == 0) return;
        const QPointF corner(std::round(text.place.x() + left) - margin,
                             std::round(text.place.y() - metrics.height() / 2));
        list_->AddImage(handle(id), point(corner), point(corner + QPointF(size.width(), size.height())),
                        {0, 0}, {1, 1}, packed(text.colour));
    }
    void add(const SceneClip& clip) {
        if (clipped_) list_->PopClipRect();
        clipped_ = clip.rect.has_value();
        if (clipped_) list_->PushClipRect(point(clip.rect->topLeft()), point(clip.rect->bottomRight()), true);
    }

    // Textures that this picture does not need go, oldest first, when there are too many.
    void forgetOld() {
        while (bytes_ > most_texture_bytes) {
            auto oldest = textures_.end();
            for (auto at = textures_.begin(); at != textures_.end(); ++at)
                if (at->used != picture_ && (oldest == textures_.end() || at->used < oldest->used))
                    oldest = at;
            if (oldest == textures_.end()) return;
            gl_->remove(oldest->id);
            bytes_ -= oldest->bytes;
            textures_.erase(oldest);
        }
    }

    std::unique_ptr<SurfacelessContext> gl_;
    ImGuiContext* context_ = nullptr;
    std::unique_ptr<MapPainter> raster_;  // for pictures larger than the device can do
    bool ready_ = false, clipped_ = false;
    ImDrawList* list_ = nullptr;
    QHash<QString, Texture> textures_;
    std::size_t bytes_ = 0;
    std::uint64_t picture_ = 0;
};

}  // namespace

std::unique_ptr<MapPainter> makeImguiPainter(QString* problem) { return ImguiPainter::make(problem); }

}  // namespace braid::ui
