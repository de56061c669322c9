// Tiles of maps as pictures. What the file of a head holds is coloured, what it does not hold is computed
// from its factors; both on a worker thread, the nearest first. Bounded.
#pragma once

#include <QImage>
#include <QObject>
#include <QThreadPool>
#include <compare>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "widgets/common/attention_scale.h"
#include "widgets/heads/open_head.h"

namespace braid::ui {

inline constexpr std::size_t tile_store_bytes = std::size_t{64} << 20;

// What is drawn: one head, or how much more weight `head` gives than `minus`.
struct MapSource {
    HeadPointer head;
    HeadPointer minus;  // null: none
    AttentionScale scale;

    bool good() const { return head != nullptr; }
    std::int64_t tokens() const { return head->tokens(); }
    int finest() const { return minus ? std::max(head->finest(), minus->finest()) : head->finest(); }
    int coarsest() const {
        const int mine = head->data.pyramid.coarsest();
        return minus ? std::max(mine, minus->data.pyramid.coarsest()) : mine;
    }
};

struct TilePlace {
    int level = 0;
    std::int64_t row = 0, column = 0;
    auto operator<=>(const TilePlace&) const = default;
};

// [256 * 256] weights of a tile, of the largest magnitude in each square; less those of `minus`. Computed
// where no file holds them.
std::vector<float> tileWeights(const MapSource& source, const TilePlace& place);
// Format_RGBA8888, transparent where no query sees the key.
QImage tilePicture(const MapSource& source, const TilePlace& place, const std::vector<float>& weights);
// Whether computing it takes no more than copying it.
bool tileIsStored(const MapSource& source, const TilePlace& place);

class TileStore : public QObject {
    Q_OBJECT

public:
    explicit TileStore(std::size_t bytes = tile_store_bytes, QObject* parent = nullptr);
    ~TileStore() override;

    // Null: it is not there (yet).
    const QImage* find(const MapSource& source, const TilePlace& place);
    // Makes these, in this order; what was wanted before and is not among them is given up. A client is one
    // map.
    void want(quintptr client, const MapSource& source, std::vector<TilePlace> places);
    bool busy() const;

    std::size_t bytes() const { return bytes_; }
    std::size_t count() const { return pictures_.size(); }
    std::size_t computed() const { return computed_; }  // from factors, since the start

Q_SIGNALS:
    void arrived(quintptr client);

private:
    struct Key {
        std::uint64_t head = 0, minus = 0;
        TilePlace place;
        int form = -1;  // -1: weights
        bool dark = false;
        double low = 0, high = 0;
        auto operator<=>(const Key&) const = default;
    };
    struct Entry {
        Key key;
        QImage picture;
        std::shared_ptr<const std::vector<float>> weights;
        std::size_t bytes = 0;
    };
    struct Wish {
        MapSource source;
        std::vector<TilePlace> places;  // the next one last
    };
    static Key keyOf(const MapSource& source, const TilePlace& place, bool picture);
    void keep(Entry entry);
    Entry* touch(const Key& key);
    void work();

    std::size_t most_, bytes_ = 0, computed_ = 0;
    std::list<Entry> entries_;  // the latest used first
    std::map<Key, std::list<Entry>::iterator> weights_, pictures_;

    mutable std::mutex mutex_;  // of what follows
    std::map<quintptr, Wish> wishes_;
    // Weights the worker may need again for another look.
    std::map<Key, std::shared_ptr<const std::vector<float>>> known_;
    bool working_ = false, ending_ = false;
    QThreadPool pool_;
};

}  // namespace braid::ui
