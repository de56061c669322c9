#include "widgets/common/mixer_style.h"

#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <algorithm>
#include <array>
#include <cmath>

namespace braid::ui {

namespace {

constexpr QColor rgb(unsigned value) {
    return QColor(int(value >> 16) & 255, int(value >> 8) & 255, int(value) & 255);
}
const QColor dark_letter = rgb(0x0F1720), light_letter = rgb(0xFFFFFF);

struct Entry {
    std::string_view id;
    MixerStyle style;
};

// One line a mixer: hue (Okabe-Ito), letter, texture; letters of the pattern field in both themes.
const std::array<Entry, 5>& entries() {
    static const std::array<Entry, 5> list{{
        {"full",
         {QLatin1Char('F'), rgb(0x0072B2), light_letter, rgb(0x0072B2), rgb(0x5BB4EA), Texture::solid}},
        {"swa",
         {QLatin1Char('S'), rgb(0x56B4E9), dark_letter, rgb(0x1F6E9C), rgb(0x8ACBF0), Texture::diagonal}},
        {"lightning",
         {QLatin1Char('L'), rgb(0xE69F00), dark_letter, rgb(0x8A5A00), rgb(0xF0B840), Texture::bars}},
        {"mamba2",
         {QLatin1Char('M'), rgb(0x009E73), dark_letter, rgb(0x00714F), rgb(0x4CC9A0), Texture::dots}},
        {"gdn", {QLatin1Char('G'), rgb(0xCC79A7), dark_letter, rgb(0x9C4276), rgb(0xE0A0C6), Texture::cross}},
    }};
    return list;
}

// A kind that is not in the list: grey, its letter, a texture by its name, so that it is at least told apart.
MixerStyle unknownStyle(std::string_view id) {
    unsigned hash = 2166136261u;
    for (const char c : id) hash = (hash ^ unsigned(static_cast<unsigned char>(c))) * 16777619u;
    constexpr std::array textures{Texture::waves, Texture::checks, Texture::vertical, Texture::cross,
                                  Texture::bars};
    MixerStyle style;
    style.letter = id.empty() ? QLatin1Char('?') : QChar(QLatin1Char(id.front())).toUpper();
    style.hue = rgb(0xB8BEC9);
    style.letterOnHue = dark_letter;
    style.textLight = rgb(0x434B59);
    style.textDark = rgb(0xB4BBC7);
    style.texture = textures[hash % textures.size()];
    return style;
}

// The texture as a pixmap that tiles, 8 device-independent pixels wide: the hue, and the same hue towards
// white (or, on light hues, towards black) on top.
QPixmap textureTile(const MixerStyle& style, qreal ratio) {
    constexpr int period = 8;
    const int size = std::max(8, int(std::lround(period * ratio)));
    const QString key =
        QStringLiteral("braid-texture-%1-%2-%3").arg(style.hue.rgba()).arg(int(style.texture)).arg(size);
    QPixmap tile;
    if (QPixmapCache::find(key, &tile)) return tile;
    tile = QPixmap(size, size);
    tile.fill(style.hue);
    QPainter painter(&tile);
    painter.scale(size / double(period), size / double(period));
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor stroke =
        style.texture == Texture::diagonal ? QColor(0, 82, 135, 150) : QColor(255, 255, 255, 165);
    painter.setPen(QPen(stroke, 1.1));
    painter.setBrush(Qt::NoBrush);
    const qreal p = period;
    switch (style.texture) {
        case Texture::solid:
            break;
        case Texture::diagonal:  // two lines a period
            for (qreal c = -p; c <= 2 * p; c += p / 2) painter.drawLine(QPointF(c, p), QPointF(c + p, 0));
            break;
        case Texture::bars:
            painter.setPen(Qt::NoPen);
            painter.setBrush(QColor(90, 50, 0, 140));
            painter.drawRect(QRectF(0, 1, p, 1.3));
            painter.drawRect(QRectF(0, 5, p, 1.3));
            break;
        case Texture::dots:
            painter.setPen(Qt::NoPen);
            painter.setBrush(QColor(255, 255, 255, 205));
            painter.drawEllipse(QPointF(2, 2), 0.95, 0.95);
            painter.drawEllipse(QPointF(6, 6), 0.95, 0.95);
            break;
        case Texture::cross:
            painter.setPen(QPen(QColor(255, 255, 255, 190), 0.9));
            for (qreal c = -p; c <= 2 * p; c += p / 2) {
                painter.drawLine(QPointF(c, p), QPointF(c + p, 0));
                painter.drawLine(QPointF(c, 0), QPointF(c + p, p));
            }
            break;
        case Texture::waves: {
            QPolygonF wave;
            for (int i = 0; i <= 16; ++i) wave << QPointF(i / 2.0, 4 + 1.6 * std::sin(i / 16.0 * 6.2831853));
            painter.setPen(QPen(QColor(0, 0, 0, 120), 1));
            painter.drawPolyline(wave);
            break;
        }
        case Texture::checks:
            painter.fillRect(QRectF(0, 0, 4, 4), QColor(0, 0, 0, 70));
            painter.fillRect(QRectF(4, 4, 4, 4), QColor(0, 0, 0, 70));
            break;
        case Texture::vertical:
            painter.fillRect(QRectF(1, 0, 1.3, p), QColor(0, 0, 0, 110));
            painter.fillRect(QRectF(5, 0, 1.3, p), QColor(0, 0, 0, 110));
            break;
    }
    painter.end();
    QPixmapCache::insert(key, tile);
    return tile;
}

}  // namespace

MixerStyle mixerStyle(std::string_view id) {
    for (const Entry& entry : entries()) {
        if (entry.id == id) return entry.style;
    }
    return unknownStyle(id);
}

void paintMixer(QPainter& painter, const QRectF& rect, std::string_view mixer) {
    const MixerStyle style = mixerStyle(mixer);
    if (style.texture == Texture::solid) {
        painter.fillRect(rect, style.hue);
        return;
    }
    const qreal ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1;
    const QPixmap tile = textureTile(style, ratio);
    painter.save();
    QBrush brush(tile);
    // The tile is in device pixels, the painter in logical ones; the phase stays that of the device.
    brush.setTransform(QTransform::fromScale(1 / ratio, 1 / ratio));
    painter.setBrushOrigin(0, 0);
    painter.fillRect(rect, brush);
    painter.restore();
}

namespace {

// Narrower than half a period of the textures, a cell shows its hue alone.
constexpr qreal narrowest_texture = 4;

}  // namespace

void paintLayer(QPainter& painter, const QRectF& rect, const LayerSpec& layer) {
    std::int64_t heads = 0;
    for (const HeadGroup& group : layer.groups) heads += std::max<std::int64_t>(1, group.heads);
    std::int64_t before = 0;
    for (const HeadGroup& group : layer.groups) {
        const std::int64_t after = before + std::max<std::int64_t>(1, group.heads);
        const qreal left = rect.left() + rect.width() * double(before) / double(heads);
        const qreal right = rect.left() + rect.width() * double(after) / double(heads);
        const QRectF part(QPointF(left, rect.top()), QPointF(right, rect.bottom()));
        if (part.width() < narrowest_texture) {
            painter.fillRect(part, mixerStyle(group.mixer).hue);
        } else {
            paintMixer(painter, part, group.mixer);
        }
        before = after;
    }
}

void paintBadge(QPainter& painter, const QRectF& rect, std::string_view mixer) {
    const MixerStyle style = mixerStyle(mixer);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.hue);
    painter.drawRoundedRect(rect, metrics::radiusCell, metrics::radiusCell);
    QFont font = Theme::instance().font(TypeStep::tick, 600);
    font.setPixelSize(std::max(7, int(rect.height() * 0.62)));
    painter.setFont(font);
    painter.setPen(style.letterOnHue);
    painter.drawText(rect, Qt::AlignCenter, QString(style.letter));
    painter.restore();
}

void paintStrip(QPainter& painter, const QRectF& rect, const std::vector<LayerSpec>& layers, qreal gap) {
    if (layers.empty() || rect.width() < 1) return;
    const auto count = layers.size();
    const qreal cell = rect.width() / qreal(count);
    if (cell < 1) {
        for (int x = 0; x < int(rect.width()); ++x) {
            const auto index = std::min(count - 1, std::size_t(double(x) / rect.width() * double(count)));
            paintLayer(painter, QRectF(rect.left() + x, rect.top(), 1, rect.height()), layers[index]);
        }
        return;
    }
    if (cell < 4) gap = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const qreal left = std::round(rect.left() + cell * qreal(i));
        const qreal right = std::round(rect.left() + cell * qreal(i + 1));
        paintLayer(painter, QRectF(left, rect.top(), std::max(1.0, right - left - gap), rect.height()),
                   layers[i]);
    }
}

QColor runColour(int index, const Tokens& tokens) {
    const int wrapped = (index % run_colour_count + run_colour_count) % run_colour_count;
    return tokens.runs[std::size_t(wrapped)];
}

QVector<qreal> lineDashes(int dash) {
    static const std::array<QVector<qreal>, 6> dashes{
        {{}, {6, 3}, {2, 2}, {8, 2, 2, 2}, {12, 4}, {8, 2, 2, 2, 2, 2}}};  // as QPen wants them
    return dashes[std::size_t(std::max(0, dash)) % dashes.size()];
}

QVector<qreal> runDashes(int index) { return lineDashes(std::max(0, index) / run_colour_count); }

LineLook runLook(int index, const Tokens& tokens) {
    return {runColour(index, tokens), std::max(0, index) / run_colour_count};
}

LineLook componentLook(std::string_view component, const Tokens& tokens) {
    if (component == "ffn") return {tokens.text2, 5};
    const auto dashOf = [](std::string_view mixer) {
        const auto& list = entries();
        const auto found =
            std::find_if(list.begin(), list.end(), [&](const Entry& entry) { return entry.id == mixer; });
        return int(found - list.begin());
    };
    // Head groups of two mixers: the colour of the one, the dashes of the other.
    const std::string_view first = component.substr(0, component.find('+'));
    const std::string_view last = component.substr(component.rfind('+') + 1);
    return {mixerStyle(first).text(tokens), dashOf(last)};
}

QPen samplePen(const LineLook& look, qreal width) {
    QPen pen(look.colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    // A sample is short: its dashes are as long as those of a line of one pixel.
    QVector<qreal> dashes = lineDashes(look.dash);
    for (qreal& dash : dashes) dash /= std::max<qreal>(1, width);
    if (!dashes.isEmpty()) pen.setDashPattern(dashes);
    return pen;
}

QPen runPen(int index, const Tokens& tokens, qreal width) { return samplePen(runLook(index, tokens), width); }

}  // namespace braid::ui
