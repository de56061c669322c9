#include "widgets/heads/tile_store.h"

#include <QMetaObject>
#include <algorithm>
#include <cmath>

namespace braid::ui {

namespace {

constexpr std::int64_t side = attention_tile_side;

std::vector<float> weightsOf(const OpenHead& head, const TilePlace& place) {
    const AttentionPyramid& pyramid = head.data.pyramid;
    if (const AttentionTile* tile = pyramid.tile(place.level, place.row, place.column)) return tile->largest;
    if (place.level < pyramid.finest() && head.data.factors)
        return attention_tile(*head.data.factors, place.level, place.row, place.column).largest;
    return std::vector<float>(std::size_t(side * side), 0.0F);
}

// The largest of the rows that a row of squares covers.
float largestOf(const std::vector<float>& rows, std::int64_t first, std::int64_t count) {
    float most = 0;
    const auto end = std::min<std::int64_t>(first + count, std::int64_t(rows.size()));
    for (std::int64_t row = first; row < end; ++row) most = std::max(most, rows[std::size_t(row)]);
    return most;
}

}  // namespace

std::vector<float> tileWeights(const MapSource& source, const TilePlace& place) {
    std::vector<float> weights = weightsOf(*source.head, place);
    if (source.minus) {
        const std::vector<float> other = weightsOf(*source.minus, place);
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= other[i];
    }
    return weights;
}

bool tileIsStored(const MapSource& source, const TilePlace& place) {
    const auto stored = [&place](const HeadPointer& head) {
        return !head || place.level >= head->data.pyramid.finest();
    };
    return stored(source.head) && stored(source.minus);
}

QImage tilePicture(const MapSource& source, const TilePlace& place, const std::vector<float>& weights) {
    const std::array<QRgb, 256> colours = attentionColours(source.scale);
    std::array<std::uint32_t, 256> pixels{};
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = 0xff000000U | (std::uint32_t(qBlue(colours[i])) << 16) |
                    (std::uint32_t(qGreen(colours[i])) << 8) | std::uint32_t(qRed(colours[i]));
    QImage picture(QSize(side, side), QImage::Format_RGBA8888);
    const AttentionScale& scale = source.scale;
    const bool rows = scale.form == AttentionForm::row && !source.minus;
    const std::int64_t size = std::int64_t{1} << place.level, tokens = source.tokens();
    const std::int64_t window = source.minus ? 0 : source.head->description.window;
    const auto low = float(scale.low), steps = float(255 / std::log(scale.high / scale.low));
    for (std::int64_t r = 0; r < side; ++r) {
        auto* line = reinterpret_cast<std::uint32_t*>(picture.scanLine(int(r)));
        const std::int64_t row = place.row * side + r, query = row * size;
        float by = 1 / float(scale.high);
        if (rows) {
            const float most = largestOf(source.head->row_largest, query, size);
            by = most > 0 ? 1 / most : 0;
        }
        for (std::int64_t c = 0; c < side; ++c) {
            const std::int64_t column = place.column * side + c, key = column * size;
            const bool seen =
                query < tokens && column <= row && (window == 0 || key + size - 1 > query - window);
            if (!seen) {
                line[c] = 0;
                continue;
            }
            const float weight = weights[std::size_t(r * side + c)], magnitude = std::abs(weight);
            float share;  // in 255ths
            if (scale.form == AttentionForm::log)
                share = magnitude > low ? std::log(magnitude / low) * steps : 0.0F;
            else
                share = magnitude * by * 255;
            share = std::min(share, 255.0F);
            if (scale.is_signed) share = 127.5F + (weight < 0 ? -share : share) / 2;
            line[c] = pixels[std::size_t(std::lround(share))];
        }
    }
    return picture;
}

TileStore::TileStore(std::size_t bytes, QObject* parent) : QObject(parent), most_(bytes) {
    pool_.setMaxThreadCount(1);
}

TileStore::~TileStore() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        wishes_.clear();
    }
    pool_.waitForDone();
}

TileStore::Key TileStore::keyOf(const MapSource& source, const TilePlace& place, bool picture) {
    Key key{.head = source.head->serial, .minus = source.minus ? source.minus->serial : 0, .place = place};
    if (!picture) return key;
    key.form = int(source.scale.form) * 2 + int(source.scale.is_signed);
    key.dark = source.scale.middle.isValid() && source.scale.middle.lightness() < 128;
    key.low = source.scale.low;
    key.high = source.scale.high;
    return key;
}

TileStore::Entry* TileStore::touch(const Key& key) {
    auto& map = key.form < 0 ? weights_ : pictures_;
    const auto found = map.find(key);
    if (found == map.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &entries_.front();
}

const QImage* TileStore::find(const MapSource& source, const TilePlace& place) {
    const Entry* entry = touch(keyOf(source, place, true));
    return entry ? &entry->picture : nullptr;
}

void TileStore::keep(Entry entry) {
    if (touch(entry.key)) return;
    auto& map = entry.key.form < 0 ? weights_ : pictures_;
    bytes_ += entry.bytes;
    entries_.push_front(std::move(entry));
    map[entries_.front().key] = entries_.begin();
    const std::lock_guard lock(mutex_);
    if (entries_.front().weights) known_[entries_.front().key] = entries_.front().weights;
    while (bytes_ > most_ && entries_.size() > 1) {
        const Entry& last = entries_.back();
        bytes_ -= last.bytes;
        (last.key.form < 0 ? weights_ : pictures_).erase(last.key);
        known_.erase(last.key);
        entries_.pop_back();
    }
}

void TileStore::want(quintptr client, const MapSource& source, std::vector<TilePlace> places) {
    std::reverse(places.begin(), places.end());
    const std::lock_guard lock(mutex_);
    if (places.empty())
        wishes_.erase(client);
    else
        wishes_[client] = {source, std::move(places)};
    if (working_ || wishes_.empty() || ending_) return;
    working_ = true;
    pool_.start([this] { work(); });
}

bool TileStore::busy() const {
    const std::lock_guard lock(mutex_);
    return working_;
}

void TileStore::work() {
    std::size_t turn = 0;
    while (true) {
        quintptr client = 0;
        MapSource source;
        TilePlace place;
        std::shared_ptr<const std::vector<float>> weights;
        {
            const std::lock_guard lock(mutex_);
            if (ending_ || wishes_.empty()) {
                working_ = false;
                return;
            }
            // Maps take turns.
            auto next = std::next(wishes_.begin(), std::ptrdiff_t(turn++ % wishes_.size()));
            client = next->first;
            source = next->second.source;
            place = next->second.places.back();
            next->second.places.pop_back();
            if (next->second.places.empty()) wishes_.erase(next);
            if (const auto known = known_.find(keyOf(source, place, false)); known != known_.end())
                weights = known->second;
        }
        const bool stored = tileIsStored(source, place);
        const bool computing = !weights && !stored;
        if (!weights) weights = std::make_shared<const std::vector<float>>(tileWeights(source, place));
        QImage picture = tilePicture(source, place, *weights);
        QMetaObject::invokeMethod(this, [this, client, source, place, weights, picture, stored, computing] {
            if (computing) ++computed_;
            if (!stored) keep({keyOf(source, place, false), {}, weights, weights->size() * sizeof(float)});
            keep({keyOf(source, place, true), picture, nullptr, std::size_t(picture.sizeInBytes())});
            Q_EMIT arrived(client);
        });
    }
}

}  // namespace braid::ui
