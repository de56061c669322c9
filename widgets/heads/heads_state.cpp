#include "widgets/heads/heads_state.h"

#include <QMetaObject>
#include <algorithm>
#include <cmath>

#include "widgets/common/colour_map.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_links = 200;

std::vector<float> coarsestWeights(const OpenHead& head) {
    const AttentionTile* tile = head.data.pyramid.tile(head.data.pyramid.coarsest(), 0, 0);
    return tile ? tile->largest : std::vector<float>();
}

}  // namespace

std::vector<AttentionLink> strongestLinks(const OpenHead& head, std::size_t count,
                                          std::int64_t least_distance) {
    if (head.data.factors) return top_links(*head.data.factors, head.data.pyramid, count, least_distance);
    const AttentionPyramid& pyramid = head.data.pyramid;
    if (pyramid.finest() == 0) return top_links(pyramid, count, least_distance);
    const int level = pyramid.finest();
    const std::int64_t wide = ((head.tokens() - 1) >> level) + 1;
    const auto larger = [](const AttentionLink& a, const AttentionLink& b) {
        return std::abs(a.weight) > std::abs(b.weight);
    };
    std::vector<AttentionLink> links;  // a heap, the smallest in front
    for (std::int64_t row = 0; row < wide; ++row)
        for (std::int64_t column = 0; column <= row; ++column) {
            const AttentionLink link{row << level, column << level,
                                     head.weight(row << level, column << level)};
            if (link.weight == 0 || link.query - link.key < least_distance) continue;
            if (links.size() == count) {
                if (!larger(link, links.front())) continue;
                std::pop_heap(links.begin(), links.end(), larger);
                links.pop_back();
            }
            links.push_back(link);
            std::push_heap(links.begin(), links.end(), larger);
        }
    std::sort_heap(links.begin(), links.end(), larger);
    return links;
}

HeadsState::HeadsState(QObject* parent)
    : QObject(parent),
      line_worker_(std::make_unique<LatestWorker>()),
      link_worker_(std::make_unique<LatestWorker>()) {
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        fitScale();
        Q_EMIT headsChanged();
    });
}

HeadsState::~HeadsState() = default;

void HeadsState::setHead(HeadSide side, HeadPointer head) {
    HeadPointer& mine = heads_[std::size_t(side)];
    const std::int64_t before = tokens();
    const HeadPointer lead_before = lead();
    mine = std::move(head);
    fitScale();
    const bool sameTextAsBefore = lead_before && lead() && sameText(*lead_before->capture, *lead()->capture);
    if (lead() && (tokens() != before || !sameTextAsBefore)) {
        viewport_ = MapViewport::whole(tokens());
        // What the model looks at when it answers: the first thing to see.
        const std::int64_t query = answerQuery(*lead()->capture);
        const auto& needles = lead()->capture->needles;
        cursor_ = inside({query, needles.empty() ? query : needles.front().span.begin});
        lock_ = MapLock::row;
        Q_EMIT viewportChanged();
        Q_EMIT cursorChanged();
    }
    if (isEmpty()) {
        cursor_.reset();
        lock_ = MapLock::none;
        viewport_ = {};
        Q_EMIT viewportChanged();
        Q_EMIT cursorChanged();
    }
    lines_[std::size_t(side)].clear();
    line_places_[std::size_t(side)] = line_marks_[std::size_t(side)] = -1;
    subtractLines();
    Q_EMIT headsChanged();
    askLines();
    if (lead() != lead_before) askLinks();
}

bool HeadsState::canDiffer() const {
    return heads_[0] && heads_[1] && sameText(*heads_[0]->capture, *heads_[1]->capture) &&
           heads_[0]->isSigned() == heads_[1]->isSigned();
}

void HeadsState::setDifference(bool on) {
    if (difference_ == on) return;
    difference_ = on;
    fitScale();
    subtractLines();
    Q_EMIT headsChanged();
}

void HeadsState::setForm(AttentionForm form) {
    if (form_ == form) return;
    form_ = form;
    fitScale();
    Q_EMIT headsChanged();
}

void HeadsState::setLinksShown(bool shown) {
    if (links_shown_ == shown) return;
    links_shown_ = shown;
    Q_EMIT linksChanged();
}

void HeadsState::fitScale() {
    // A row's share has no meaning in a difference.
    const AttentionForm form = difference() && form_ == AttentionForm::row ? AttentionForm::linear : form_;
    const auto fit = [&](bool is_signed, const std::vector<float>& weights) {
        AttentionScale scale = fittingScale(form, is_signed, weights);
        scale.middle = Theme::instance().isDark() ? dark_middle : light_middle;
        return scale;
    };
    std::array<std::vector<float>, 2> weights;
    for (std::size_t side = 0; side < 2; ++side)
        if (heads_[side]) weights[side] = coarsestWeights(*heads_[side]);
    if (difference()) {
        if (weights[0].size() == weights[1].size())
            for (std::size_t i = 0; i < weights[1].size(); ++i) weights[1][i] -= weights[0][i];
        scales_.fill(fit(true, weights[1]));
        return;
    }
    if (heads_[0] && heads_[1] && heads_[0]->isSigned() != heads_[1]->isSigned()) {
        for (std::size_t side = 0; side < 2; ++side)
            scales_[side] = fit(heads_[side]->isSigned(), weights[side]);
        return;
    }
    weights[0].insert(weights[0].end(), weights[1].begin(), weights[1].end());
    scales_.fill(fit(lead() && lead()->isSigned(), weights[0]));
}

MapSource HeadsState::source(HeadSide side) const {
    MapSource source{.head = head(side), .minus = nullptr, .scale = scales_[std::size_t(side)]};
    if (difference() && side == HeadSide::b) source.minus = heads_[0];
    return source;
}

MapViewport HeadsState::viewportOf(HeadSide side) const {
    return head(side) ? viewport_.of(head(side)->tokens()) : viewport_;
}

void HeadsState::setViewport(const MapViewport& viewport) {
    if (viewport == viewport_) return;
    viewport_ = viewport;
    Q_EMIT viewportChanged();
}

MapCursor HeadsState::inside(MapCursor pair) const {
    const std::int64_t last = std::max<std::int64_t>(tokens() - 1, 0);
    pair.query = std::clamp<std::int64_t>(pair.query, 0, last);
    pair.key = std::clamp<std::int64_t>(pair.key, 0, last);
    if (lock_ == MapLock::column)
        pair.query = std::max(pair.query, pair.key);
    else
        pair.key = std::min(pair.key, pair.query);
    return pair;
}

void HeadsState::hover(std::optional<MapCursor> pair) {
    if (isEmpty()) return;
    if (lock_ != MapLock::none) {
        if (!pair || !cursor_) return;
        if (lock_ == MapLock::row) pair->query = cursor_->query;
        if (lock_ == MapLock::column) pair->key = cursor_->key;
    } else if (pair && pair->key > pair->query) {
        pair.reset();
    }
    if (pair) pair = inside(*pair);
    if (pair == cursor_) return;
    cursor_ = pair;
    Q_EMIT cursorChanged();
    askLines();
}

void HeadsState::lockAt(const MapCursor& pair, MapLock lock) {
    if (isEmpty()) return;
    lock_ = lock;
    cursor_ = inside(pair);
    Q_EMIT cursorChanged();
    askLines();
}

void HeadsState::unlock() {
    if (lock_ == MapLock::none) return;
    lock_ = MapLock::none;
    Q_EMIT cursorChanged();
    askLines();
}

void HeadsState::moveCursor(std::int64_t queries, std::int64_t keys) {
    if (isEmpty()) return;
    const auto middle = [this](double edge) { return std::int64_t(edge + viewport_.span / 2); };
    MapCursor pair = cursor_.value_or(MapCursor{middle(viewport_.query), middle(viewport_.key)});
    pair.query += queries;
    pair.key += keys;
    cursor_ = inside(pair);
    setViewport(viewport_.showing(cursor_->query, cursor_->key));
    Q_EMIT cursorChanged();
    askLines();
}

void HeadsState::jumpTo(const MapCursor& pair) {
    if (isEmpty()) return;
    lock_ = MapLock::row;
    cursor_ = inside(pair);
    if (!viewport_.isWhole()) setViewport(viewport_.centred(double(cursor_->query), double(cursor_->key)));
    Q_EMIT cursorChanged();
    askLines();
}

bool HeadsState::jumpToNeedle() {
    if (isEmpty() || lead()->capture->needles.empty()) return false;
    const auto& needles = lead()->capture->needles;
    const CaptureNeedle* next = &needles.front();
    for (const CaptureNeedle& needle : needles)
        if (cursor_ && needle.span.begin > cursor_->key) {
            next = &needle;
            break;
        }
    const std::int64_t query =
        lock_ == MapLock::row && cursor_ ? cursor_->query : answerQuery(*lead()->capture);
    jumpTo({std::max(query, next->span.begin), next->span.begin});
    return true;
}

bool HeadsState::jumpToFarLink() {
    if (links_.empty()) return false;
    jumpTo({links_.front().query, links_.front().key});
    return true;
}

double HeadsState::weight(HeadSide side) const {
    const HeadPointer& mine = head(side);
    if (!mine || !cursor_) return 0;
    return double(mine->weight(cursor_->query, cursor_->key));
}

double HeadsState::shownWeight(HeadSide side) const {
    return weight(side) - (difference() && side == HeadSide::b ? weight(HeadSide::a) : 0);
}

// Lines of two places are not compared: the last difference stays until both have come.
void HeadsState::subtractLines() {
    const auto& [a, b] = lines_;
    if (a.empty() || b.empty()) return difference_line_.clear();
    if (line_marks_[0] != line_marks_[1] || a.size() != b.size()) return;
    difference_line_.resize(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) difference_line_[i] = b[i] - a[i];
}

void HeadsState::askLines() {
    if (!cursor_) return;
    const bool column = lineIsColumn();
    const std::int64_t place = column ? cursor_->key : cursor_->query;
    const std::int64_t mark = place * 2 + (column ? 1 : 0);
    for (const HeadSide side : {HeadSide::a, HeadSide::b}) {
        const auto at = std::size_t(side);
        const HeadPointer head = heads_[at];
        if (!head || line_places_[at] == mark || place >= head->tokens()) continue;
        line_places_[at] = mark;
        line_worker_->post(int(at), [this, head, at, place, mark, column] {
            std::vector<float> line = column ? head->column(place) : head->row(place);
            QMetaObject::invokeMethod(this, [this, head, at, mark, line = std::move(line)]() mutable {
                if (heads_[at] != head || line_places_[at] != mark) return;
                lines_[at] = std::move(line);
                line_marks_[at] = mark;
                subtractLines();
                Q_EMIT linesChanged();
            });
        });
    }
}

void HeadsState::setLeastDistance(std::int64_t tokens) {
    if (tokens == least_distance_) return;
    least_distance_ = tokens;
    askLinks();
}

void HeadsState::askLinks() {
    const std::uint64_t wanted = ++links_wanted_;
    links_.clear();
    links_pending_ = lead() && lead()->whole;
    Q_EMIT linksChanged();
    if (!links_pending_) return;
    link_worker_->post(0, [this, head = lead(), least = least_distance_, wanted] {
        std::vector<AttentionLink> found = strongestLinks(*head, most_links, least);
        QMetaObject::invokeMethod(this, [this, wanted, found = std::move(found)]() mutable {
            if (wanted != links_wanted_) return;
            links_ = std::move(found);
            links_pending_ = false;
            Q_EMIT linksChanged();
        });
    });
}

}  // namespace braid::ui
