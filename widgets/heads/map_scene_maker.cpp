#include "widgets/heads/map_scene_maker.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"

namespace braid::ui {

MapLayout::MapLayout(const QSizeF& size) {
    const double side =
        std::max(8.0, std::floor(std::min(size.width() - left - right, size.height() - top - bottom)));
    map = QRectF(left, top, side, side);
    sink = QRectF(left - sink_gap - sink_width, top, sink_width, side);
    docs = QRectF(left, 10, side, 7);
}

std::vector<TokenTick> tokenTicks(double first, double span, int most) {
    std::int64_t step = 1;
    while (span / double(step) > double(most)) step *= 2;
    std::vector<TokenTick> ticks;
    for (auto token = std::int64_t(std::ceil(first / double(step))) * step; double(token) <= first + span;
         token += step) {
        QString label = formatCount(token);
        if (step >= 1024 && token > 0) label = QStringLiteral("%1k").arg(token / 1024);
        ticks.push_back({token, label});
    }
    return ticks;
}

namespace {

class Maker {
public:
    Maker(const MapSceneRequest& request, TileStore& tiles)
        : request_(request),
          state_(request.state),
          tiles_(tiles),
          t_(tokens()),
          ratio_(request.ratio),
          layout_(request.size),
          map_(scaled(layout_.map)),
          view_(state_.viewportOf(request.side)),
          source_(state_.source(request.side)),
          scene_(std::make_shared<MapScene>()) {
        tick_ = Theme::instance().font(TypeStep::tick, 400);
        tick_.setPixelSize(int(std::lround(tick_.pixelSize() * ratio_)));
        bold_ = tick_;
        bold_.setWeight(QFont::DemiBold);
    }

    MadeScene make() {
        scene_->size = (request_.size * ratio_).toSize();
        scene_->background = t_.surface;
        if (source_.good()) {
            drawMap();
            drawOverlay();
            drawNeedles();
            add(SceneClip{});
            drawSink();
            drawDocuments();
            drawAxis();
            drawReading();
        }
        if (request_.focused)
            frame(scaled(layout_.map).adjusted(-px(3), -px(3), px(3), px(3)), t_.ink, px(2));
        made_.scene = scene_;
        return std::move(made_);
    }

private:
    QRectF scaled(const QRectF& rect) const {
        return QRectF((rect.topLeft() * ratio_).toPoint(), (rect.size() * ratio_).toSize());
    }
    double px(double logical) const { return std::max(1.0, std::round(logical * ratio_)); }
    void add(SceneItem item) { scene_->items.push_back(std::move(item)); }
    void rectangle(const QRectF& rect, const QColor& fill) { add(SceneRectangle{rect, fill}); }
    void frame(const QRectF& rect, const QColor& colour, double width) {
        rectangle({rect.left(), rect.top(), rect.width(), width}, colour);
        rectangle({rect.left(), rect.bottom() - width, rect.width(), width}, colour);
        rectangle({rect.left(), rect.top(), width, rect.height()}, colour);
        rectangle({rect.right() - width, rect.top(), width, rect.height()}, colour);
    }
    double x(double key) const { return view_.x(key, map_); }
    double y(double query) const { return view_.y(query, map_); }

    QRectF tileRect(const TilePlace& place) const {
        const double cover = double(attention_tile_side << place.level);
        const double left = x(double(place.column) * cover), top = y(double(place.row) * cover);
        return {left, top, x(double(place.column + 1) * cover) - left,
                y(double(place.row + 1) * cover) - top};
    }

    // The part of the nearest coarser tile that covers this one.
    void drawCoarser(const TilePlace& place, const QRectF& target, int coarsest) {
        for (int level = place.level + 1; level <= coarsest; ++level) {
            const int up = level - place.level;
            const TilePlace above{level, place.row >> up, place.column >> up};
            const QImage* picture = tiles_.find(source_, above);
            if (!picture) continue;
            const double part = double(attention_tile_side) / double(std::int64_t{1} << up);
            const double left = double(place.column - (above.column << up)) * part;
            const double top = double(place.row - (above.row << up)) * part;
            add(SceneImage{*picture, target, QRectF(left, top, part, part)});
            return;
        }
    }

    void drawMap() {
        rectangle(map_, t_.sunken);
        frame(map_.adjusted(-1, -1, 1, 1), t_.border, 1);
        add(SceneClip{map_});
        const int coarsest = source_.coarsest();
        const int level = std::clamp(view_.level(map_.width()), source_.finest(), coarsest);
        made_.level = level;
        const double cover = double(attention_tile_side << level);
        const auto index = [cover](double token) { return std::int64_t(std::floor(token / cover)); };
        const double end = std::nextafter(view_.key + view_.span, 0),
                     last = std::nextafter(view_.query + view_.span, 0);
        const std::int64_t wide = attention_tiles(source_.tokens(), level);
        for (std::int64_t row = index(view_.query); row <= std::min(index(last), wide - 1); ++row)
            for (std::int64_t column = index(view_.key); column <= std::min(index(end), row); ++column) {
                const TilePlace place{level, row, column};
                const QRectF target = tileRect(place);
                if (const QImage* picture = tiles_.find(source_, place)) {
                    add(SceneImage{*picture, target, QRectF(picture->rect())});
                    continue;
                }
                drawCoarser(place, target, coarsest);
                made_.missing.push_back(place);
            }
        QPointF eye = map_.center();
        if (state_.cursor()) eye = {x(double(state_.cursor()->key)), y(double(state_.cursor()->query))};
        const auto far = [&](const TilePlace& place) {
            const QPointF off = tileRect(place).center() - eye;
            return off.x() * off.x() + off.y() * off.y();
        };
        std::sort(made_.missing.begin(), made_.missing.end(),
                  [&](const TilePlace& a, const TilePlace& b) { return far(a) < far(b); });
        // The whole text first: it covers everything.
        const TilePlace whole{coarsest, 0, 0};
        if (level != coarsest && !made_.missing.empty() && !tiles_.find(source_, whole))
            made_.missing.insert(made_.missing.begin(), whole);
    }

    void drawOverlay() {
        const double hair = px(1);
        if (state_.linksShown() && !state_.difference() && request_.side == state_.leading()) drawLinks();
        if (!state_.cursor()) return;
        const MapCursor& cursor = *state_.cursor();
        const double row = std::round(y(double(cursor.query) + 0.5)),
                     column = std::round(x(double(cursor.key) + 0.5));
        const bool row_locked = state_.lock() == MapLock::row,
                   column_locked = state_.lock() == MapLock::column;
        const double strong = px(2);
        // What is locked is seen on any colour: ink with its opposite at its sides.
        QColor soft = t_.onInk, thin = t_.ink;
        soft.setAlpha(120);
        thin.setAlpha(130);
        const auto level_line = [&](double width, const QColor& colour) {
            rectangle({map_.left(), row - std::floor(width / 2), map_.width(), width}, colour);
        };
        const auto plumb_line = [&](double width, const QColor& colour) {
            rectangle({column - std::floor(width / 2), map_.top(), width, map_.height()}, colour);
        };
        if (row_locked) level_line(strong + 2 * hair, soft);
        level_line(row_locked ? strong : hair, row_locked ? t_.ink : thin);
        if (column_locked) plumb_line(strong + 2 * hair, soft);
        plumb_line(column_locked ? strong : hair, column_locked ? t_.ink : thin);
    }

    void drawNeedles() {
        const double hair = px(1);
        for (const CaptureNeedle& needle : source_.head->capture->needles) {
            const double middle = std::round(x(double(needle.span.begin + needle.span.end) / 2));
            if (middle < map_.left() || middle > map_.right()) continue;
            const double step = px(2);
            for (double at = std::max(y(double(needle.span.begin)), map_.top()); at < map_.bottom();
                 at += 2.5 * step)
                rectangle({middle, std::round(at), hair, step}, QColor(255, 255, 255, 190));
        }
    }

    void drawLinks() {
        constexpr std::size_t most_rings = 12;
        std::size_t count = 0;
        for (const AttentionLink& link : state_.links()) {
            if (count++ == most_rings) break;
            const QPointF at(x(double(link.key) + 0.5), y(double(link.query) + 0.5));
            if (!map_.adjusted(-px(6), -px(6), px(6), px(6)).contains(at)) continue;
            add(SceneRing{at, 5 * ratio_, QColor(0, 0, 0, 150), 3 * ratio_});
            add(SceneRing{at, 5 * ratio_, lightTokens().surface, 1.4 * ratio_});
        }
    }

    // Its share of each row, the largest of those that a pixel covers, on the map's scale.
    void drawSink() {
        const std::vector<float>* shares = source_.head->sink();
        const std::vector<float>* others = source_.minus ? source_.minus->sink() : nullptr;
        if (!shares || (source_.minus && !others)) return;
        const QRectF column = scaled(layout_.sink);
        const int pixels = int(map_.height());
        AttentionScale scale = source_.scale;
        if (scale.form == AttentionForm::row) scale.form = AttentionForm::linear, scale.high = 1;
        QImage picture(1, pixels, QImage::Format_RGBA8888);
        const auto tokens = std::int64_t(shares->size());
        for (int pixel = 0; pixel < pixels; ++pixel) {
            const auto first = std::int64_t(view_.queryAt(map_.top() + pixel, map_));
            const auto end = std::max(first + 1, std::int64_t(view_.queryAt(map_.top() + pixel + 1, map_)));
            double most = 0;
            for (std::int64_t q = std::clamp<std::int64_t>(first, 0, tokens - 1); q < std::min(end, tokens);
                 ++q) {
                const auto at = std::size_t(q);
                const double share = double((*shares)[at]) - (others ? double((*others)[at]) : 0.0);
                if (std::abs(share) > std::abs(most)) most = share;
            }
            picture.setPixelColor(0, pixel, scale.colour(most));
        }
        add(SceneImage{picture, QRectF(column.left(), map_.top(), column.width(), map_.height()),
                       QRectF(picture.rect())});
        add(SceneText{{column.center().x(), map_.top() - px(9)},
                      QObject::tr("sink"),
                      tick_,
                      t_.text2,
                      SceneAlign::centre});
    }

    void drawDocuments() {
        const Capture& capture = *source_.head->capture;
        const QRectF strip = scaled(layout_.docs);
        add(SceneText{{px(2), strip.center().y()}, QObject::tr("docs"), tick_, t_.text2});
        add(SceneClip{strip.adjusted(0, -px(2), 0, px(24))});
        rectangle(strip, t_.border);
        const auto shown = [&](double first, double end) {
            const double left = std::max(std::round(x(first)), strip.left());
            const double right = std::min(std::round(x(end)), strip.right());
            return QRectF(left, strip.top(), right - left, strip.height());
        };
        for (std::size_t i = 1; i < capture.documents.size(); i += 2) {
            const double end = i + 1 < capture.documents.size() ? double(capture.documents[i + 1])
                                                                : double(source_.tokens());
            const QRectF part = shown(double(capture.documents[i]), end);
            if (part.width() > 0) rectangle(part, t_.borderStrong);
        }
        bool named = false;
        for (const CaptureNeedle& needle : capture.needles) {
            QRectF part = shown(double(needle.span.begin), double(needle.span.end));
            if (part.right() < strip.left() || part.left() > strip.right()) continue;
            part.setWidth(std::max(part.width(), px(4)));
            rectangle(part.adjusted(0, -px(2), 0, px(2)), t_.mark);
            if (!named) {
                const QString name = QObject::tr("needle");
                const double half = QFontMetricsF(bold_).horizontalAdvance(name) / 2;
                const double middle = std::clamp(part.center().x(), strip.left() + half,
                                                 std::max(strip.right() - half, strip.left() + half));
                add(SceneText{{middle, strip.bottom() + px(12)}, name, bold_, t_.mark, SceneAlign::centre});
            }
            named = true;
        }
        add(SceneClip{});
    }

    void drawAxis() {
        const QRectF sink = scaled(layout_.sink);
        const bool has_sink = source_.head->sink() != nullptr;
        const double right = (has_sink ? sink.left() : map_.left()) - px(5);
        std::optional<double> tag;
        if (state_.cursor() && state_.lock() == MapLock::row) tag = y(double(state_.cursor()->query) + 0.5);
        for (const TokenTick& tick : tokenTicks(view_.query, view_.span, 5)) {
            const double at = y(double(tick.token));
            if (at > map_.bottom() + 1 || (tag && std::abs(*tag - at) < px(15))) continue;
            add(SceneText{
                {right, std::max(at, map_.top() + 1)}, tick.label, tick_, t_.text2, SceneAlign::right});
        }
        if (!tag || *tag < map_.top() || *tag > map_.bottom()) return;
        const QString label = formatCount(state_.cursor()->query);
        const double width = QFontMetricsF(bold_).horizontalAdvance(label) + px(10);
        const QRectF box(std::round(std::max(0.0, right + px(4) - width)), std::round(*tag - px(9)),
                         std::round(width), px(18));
        rectangle(box, t_.ink);
        rectangle({box.right(), std::round(*tag) - px(1), map_.left() - box.right(), px(2)}, t_.ink);
        add(SceneText{box.center(), label, bold_, t_.onInk, SceneAlign::centre});
    }

    void drawReading() {
        if (!state_.cursor() || map_.width() < px(150)) return;
        const MapCursor& cursor = *state_.cursor();
        const Capture& capture = *source_.head->capture;
        if (cursor.query >= source_.tokens() || cursor.key >= source_.tokens()) return;
        const auto token = [&capture](std::int64_t at) {
            return QStringLiteral("%1  “%2”").arg(formatCount(at), tokenText(capture, at).left(14));
        };
        const double weight = state_.shownWeight(request_.side);
        const bool exact = source_.head->exactRows() && (!source_.minus || source_.minus->exactRows());
        const QString weighed = source_.minus ? QObject::tr("B − A")
                                : exact       ? QObject::tr("weight")
                                              : QObject::tr("at most");
        std::vector<std::pair<QString, QString>> lines = {{QObject::tr("query"), token(cursor.query)},
                                                          {QObject::tr("key"), token(cursor.key)},
                                                          {weighed, formatSignificant(weight, 3)}};
        const double line = px(17);
        double width = 0, height = 0;
        const auto measure = [&] {
            double wide = 0;
            for (const auto& [name, value] : lines)
                wide = std::max(wide, QFontMetricsF(tick_).horizontalAdvance(name) + px(16) +
                                          QFontMetricsF(bold_).horizontalAdvance(value));
            height = double(lines.size()) * line + px(8);
            width = std::min(std::round(wide + px(16)), map_.width() - px(8));
        };
        measure();
        // On a small map of the whole text fewer lines: none of it may be covered.
        while (lines.size() > 1 && view_.isWhole() && width + height + px(16) > map_.width()) {
            lines.erase(lines.begin());
            measure();
        }
        // Above the diagonal there is nothing to hide; zoomed in, away from the cursor.
        QRectF box(map_.right() - width - px(8), map_.top() + px(8), width, height);
        const QPointF at(x(double(cursor.key)), y(double(cursor.query)));
        if (box.adjusted(-px(12), -px(12), px(12), px(12)).contains(at))
            box.moveTop(map_.bottom() - height - px(8));
        rectangle(box, t_.surface);
        frame(box, t_.border, 1);
        double middle = box.top() + px(4) + line / 2;
        for (const auto& [name, value] : lines) {
            add(SceneText{{box.left() + px(8), middle}, name, tick_, t_.text2});
            add(SceneText{{box.right() - px(8), middle}, value, bold_, t_.text1, SceneAlign::right});
            middle += line;
        }
    }

    static const Tokens& tokens() { return Theme::instance().tokens(); }

    const MapSceneRequest& request_;
    const HeadsState& state_;
    TileStore& tiles_;
    const Tokens& t_;
    double ratio_;
    MapLayout layout_;
    QRectF map_;
    MapViewport view_;
    MapSource source_;
    QFont tick_, bold_;
    std::shared_ptr<MapScene> scene_;
    MadeScene made_;
};

}  // namespace

MadeScene makeMapScene(const MapSceneRequest& request, TileStore& tiles) {
    return Maker(request, tiles).make();
}

}  // namespace braid::ui
