#include "widgets/heads/map_viewport.h"

#include <algorithm>
#include <cmath>

namespace braid::ui {

MapViewport MapViewport::clamped() const {
    MapViewport view = *this;
    view.tokens = std::max<std::int64_t>(tokens, 1);
    const auto all = double(view.tokens);
    view.span = std::clamp(span, std::min(fewest, all), all);
    view.key = std::clamp(key, 0.0, all - view.span);
    view.query = std::clamp(query, 0.0, all - view.span);
    return view;
}

MapViewport MapViewport::zoomed(double factor, const QPointF& place) const {
    MapViewport view = *this;
    view.span = std::clamp(span * factor, std::min(fewest, double(tokens)), double(tokens));
    view.key = key + (span - view.span) * place.x();
    view.query = query + (span - view.span) * place.y();
    return view.clamped();
}

MapViewport MapViewport::moved(double keys, double queries) const {
    MapViewport view = *this;
    view.key += keys;
    view.query += queries;
    return view.clamped();
}

MapViewport MapViewport::centred(double onQuery, double onKey) const {
    MapViewport view = *this;
    view.key = onKey + 0.5 - span / 2;
    view.query = onQuery + 0.5 - span / 2;
    return view.clamped();
}

MapViewport MapViewport::showing(std::int64_t onQuery, std::int64_t onKey) const {
    MapViewport view = *this;
    const auto shown = [this](double edge, double token) {
        if (token < edge) return token;
        return token + 1 > edge + span ? token + 1 - span : edge;
    };
    view.key = shown(key, double(onKey));
    view.query = shown(query, double(onQuery));
    return view.clamped();
}

MapViewport MapViewport::of(std::int64_t otherTokens) const {
    if (otherTokens == tokens) return *this;
    if (isWhole()) return whole(otherTokens);
    MapViewport view = *this;
    view.tokens = otherTokens;
    return view.clamped();
}

int MapViewport::level(double pixels) const {
    const double tokensPerPixel = span / std::max(pixels, 1.0);
    int level = 0;
    while (double(std::int64_t{1} << level) < tokensPerPixel * (1 - 1e-9)) ++level;
    return level;
}

}  // namespace braid::ui
