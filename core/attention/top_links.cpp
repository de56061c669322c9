#include "core/attention/top_links.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace braid {
namespace {

struct Square {
    float bound = 0;
    int level = 0;
    std::int64_t row = 0, column = 0;
    bool operator<(const Square& other) const { return bound < other.bound; }
};

bool before(const AttentionLink& a, const AttentionLink& b) {
    return std::tuple(-std::abs(a.weight), a.query, a.key) < std::tuple(-std::abs(b.weight), b.query, b.key);
}

// block_of(query, key, size, block): the single weights of a square of the finest level, row-major.
template <class Block>
std::vector<AttentionLink> strongest(const AttentionPyramid& pyramid, std::size_t count,
                                     std::int64_t least_distance, Block&& block_of) {
    const std::int64_t tokens = pyramid.tokens();
    std::vector<AttentionLink> best;
    if (count == 0 || tokens == 0) return best;
    std::priority_queue<Square> open;
    const auto push = [&](int level, std::int64_t row, std::int64_t column) {
        const AttentionTile* const tile =
            pyramid.tile(level, row / attention_tile_side, column / attention_tile_side);
        // The farthest pair of a square is its last query and its first key.
        const std::int64_t last = std::min((row + 1) << level, tokens) - 1;
        if (tile == nullptr || last - (column << level) < least_distance) return;
        const float bound = std::abs(tile->largest[static_cast<std::size_t>(
            (row % attention_tile_side) * attention_tile_side + column % attention_tile_side)]);
        if (bound > 0) open.push({bound, level, row, column});
    };
    const int coarsest = pyramid.coarsest();
    const std::int64_t wide = (tokens + (std::int64_t{1} << coarsest) - 1) >> coarsest;
    for (std::int64_t row = 0; row < wide; ++row)
        for (std::int64_t column = 0; column <= row; ++column) push(coarsest, row, column);

    std::vector<float> block;
    while (!open.empty()) {
        const Square square = open.top();
        open.pop();
        if (best.size() == count && square.bound < std::abs(best.back().weight)) break;
        if (square.level > pyramid.finest()) {
            for (std::int64_t r = 0; r < 2; ++r)
                for (std::int64_t c = 0; c < 2; ++c)
                    push(square.level - 1, square.row * 2 + r, square.column * 2 + c);
            continue;
        }
        const std::int64_t size = std::int64_t{1} << square.level;
        const std::int64_t query = square.row * size, key = square.column * size;
        block.resize(static_cast<std::size_t>(size * size));
        block_of(query, key, size, block);
        for (std::int64_t i = 0; i < size; ++i)
            for (std::int64_t j = 0; j < size; ++j) {
                const AttentionLink link{query + i, key + j, block[static_cast<std::size_t>(i * size + j)]};
                if (link.weight == 0 || link.query - link.key < least_distance) continue;
                if (best.size() == count && !before(link, best.back())) continue;
                best.insert(std::upper_bound(best.begin(), best.end(), link, before), link);
                if (best.size() > count) best.pop_back();
            }
    }
    return best;
}

}  // namespace

std::vector<AttentionLink> top_links(const HeadFactors& head, const AttentionPyramid& pyramid,
                                     std::size_t count, std::int64_t least_distance) {
    return strongest(pyramid, count, least_distance,
                     [&](std::int64_t query, std::int64_t key, std::int64_t size, std::vector<float>& block) {
                         attention_block(head, query, size, key, size, block);
                     });
}

std::vector<AttentionLink> top_links(const AttentionPyramid& pyramid, std::size_t count,
                                     std::int64_t least_distance) {
    if (pyramid.finest() > 0) return {};
    return strongest(
        pyramid, count, least_distance,
        [&](std::int64_t query, std::int64_t key, std::int64_t, std::vector<float>& block) {
            const AttentionTile* tile =
                pyramid.tile(0, query / attention_tile_side, key / attention_tile_side);
            block[0] = tile->largest[static_cast<std::size_t>(
                (query % attention_tile_side) * attention_tile_side + key % attention_tile_side)];
        });
}

}  // namespace braid
