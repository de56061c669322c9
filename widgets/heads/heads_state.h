// What the maps show: which heads, which part of the text, which pair of tokens. Maps, plots, strips and
// tables look at one state, so that their cursors are linked.
#pragma once

#include <QObject>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/attention/top_links.h"
#include "widgets/common/latest_worker.h"
#include "widgets/heads/map_viewport.h"
#include "widgets/heads/tile_store.h"

namespace braid::ui {

enum class HeadSide { a = 0, b = 1 };
enum class MapLock { none, row, column };

struct MapCursor {
    std::int64_t query = 0, key = 0;
    bool operator==(const MapCursor&) const = default;
};

class HeadsState : public QObject {
    Q_OBJECT

public:
    explicit HeadsState(QObject* parent = nullptr);
    ~HeadsState() override;

    // Null: that side is empty. A text of another length begins with the whole of it; the same text keeps
    // what is looked at.
    void setHead(HeadSide side, HeadPointer head);
    const HeadPointer& head(HeadSide side) const { return heads_[std::size_t(side)]; }
    // B where there is one: its links are listed, its row is told.
    HeadSide leading() const { return heads_[1] ? HeadSide::b : HeadSide::a; }
    const HeadPointer& lead() const { return head(leading()); }
    bool isEmpty() const { return !heads_[0] && !heads_[1]; }
    std::int64_t tokens() const { return lead() ? lead()->tokens() : 0; }

    // B less A; only of one text.
    bool canDiffer() const;
    void setDifference(bool on);
    bool difference() const { return difference_ && canDiffer(); }
    void setForm(AttentionForm form);
    AttentionForm form() const { return form_; }
    void setLinksShown(bool shown);
    bool linksShown() const { return links_shown_; }

    // What the map of a side draws; of the difference that of B.
    MapSource source(HeadSide side) const;
    // Both maps have one, unless one of them is implied by a recurrence and the other is not.
    const AttentionScale& scale() const { return scales_[std::size_t(leading())]; }

    const MapViewport& viewport() const { return viewport_; }
    MapViewport viewportOf(HeadSide side) const;
    void setViewport(const MapViewport& viewport);

    const std::optional<MapCursor>& cursor() const { return cursor_; }
    MapLock lock() const { return lock_; }
    // A pair below the diagonal; a locked row or column holds its part of it.
    void hover(std::optional<MapCursor> pair);
    void lockAt(const MapCursor& pair, MapLock lock);
    void unlock();
    // By tokens; what is locked moves along. The map follows.
    void moveCursor(std::int64_t queries, std::int64_t keys);
    // The pair, its row locked, in view.
    void jumpTo(const MapCursor& pair);
    // The needle after the cursor's key, in turn. False: the text has none.
    bool jumpToNeedle();
    bool jumpToFarLink();

    // The exact row of the cursor's query ([T] weights by key), or the column of its key while that is
    // locked. Empty until it has been computed.
    const std::vector<float>& line(HeadSide side) const { return lines_[std::size_t(side)]; }
    // As it is drawn: of the difference B's less A's, of which there is none until both are there.
    const std::vector<float>& shownLine(HeadSide side) const {
        return difference() && side == HeadSide::b ? difference_line_ : line(side);
    }
    bool lineIsColumn() const { return lock_ == MapLock::column; }
    double weight(HeadSide side) const;       // of the cursor's pair
    double shownWeight(HeadSide side) const;  // of the difference B's less A's

    // The largest weights of the leading head at this distance or farther.
    void setLeastDistance(std::int64_t tokens);
    std::int64_t leastDistance() const { return least_distance_; }
    const std::vector<AttentionLink>& links() const { return links_; }
    bool linksPending() const { return links_pending_; }

Q_SIGNALS:
    void headsChanged();  // also the scale, the form, the difference
    void viewportChanged();
    void cursorChanged();  // also the lock
    void linesChanged();
    void linksChanged();

private:
    void fitScale();
    void askLines();
    void subtractLines();
    void askLinks();
    MapCursor inside(MapCursor pair) const;

    std::array<HeadPointer, 2> heads_;
    bool difference_ = false, links_shown_ = false, links_pending_ = false;
    AttentionForm form_ = AttentionForm::log;
    std::array<AttentionScale, 2> scales_;
    MapViewport viewport_;
    std::optional<MapCursor> cursor_;
    MapLock lock_ = MapLock::none;
    std::array<std::vector<float>, 2> lines_;
    std::vector<float> difference_line_;
    std::array<std::int64_t, 2> line_places_{-1, -1}, line_marks_{-1, -1};  // asked for; there
    std::int64_t least_distance_ = 0;
    std::vector<AttentionLink> links_;
    std::uint64_t links_wanted_ = 0;
    std::unique_ptr<LatestWorker> line_worker_, link_worker_;
};

// Links from what the file of a head without factors holds: one a square, at its first pair.
std::vector<AttentionLink> strongestLinks(const OpenHead& head, std::size_t count,
                                          std::int64_t least_distance);

}  // namespace braid::ui
