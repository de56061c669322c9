#include "core/attention/attention_pyramid.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

constexpr std::int64_t side = attention_tile_side;

std::size_t tiles_up_to(std::int64_t row) { return static_cast<std::size_t>(row * (row + 1) / 2); }

AttentionTile empty_tile() {
    AttentionTile tile;
    tile.largest.resize(side * side);
    tile.mean.resize(side * side);
    return tile;
}

void take_larger(float& largest, float weight) {
    if (std::abs(weight) > std::abs(largest)) largest = weight;
}

}  // namespace

int attention_level(std::int64_t tokens, std::int64_t squares) {
    int level = 0;
    while ((tokens + (std::int64_t{1} << level) - 1) >> level > squares) ++level;
    return level;
}

int coarsest_attention_level(std::int64_t tokens) { return attention_level(tokens, side); }

std::int64_t attention_tiles(std::int64_t tokens, int level) {
    const std::int64_t cover = side << level;
    return std::max<std::int64_t>((tokens + cover - 1) / cover, 1);
}

std::int64_t seen_squares(std::int64_t tokens, int level, std::int64_t row, std::int64_t column,
                          std::int64_t line) {
    const std::int64_t lines = (tokens + (std::int64_t{1} << level) - 1) >> level;
    if (column > row || line >= std::min(side, lines - row * side)) return 0;
    return column < row ? side : line + 1;
}

std::int64_t seen_squares(std::int64_t tokens, int level, std::int64_t row, std::int64_t column) {
    const std::int64_t lines = (tokens + (std::int64_t{1} << level) - 1) >> level;
    const std::int64_t held = std::min(side, lines - row * side);
    if (column > row || held <= 0) return 0;
    return column < row ? held * side : held * (held + 1) / 2;
}

std::int64_t seen_pairs(std::int64_t tokens, int level, std::int64_t row, std::int64_t column) {
    const std::int64_t size = std::int64_t{1} << level;
    const std::int64_t first_query = row * size, last_query = std::min(first_query + size, tokens);
    const std::int64_t first_key = column * size, last_key = std::min(first_key + size, tokens);
    if (first_query >= last_query || first_key >= last_key) return 0;
    if (column < row) return (last_query - first_query) * (last_key - first_key);
    if (column > row) return 0;
    const std::int64_t length = last_query - first_query;
    return length * (length + 1) / 2;
}

AttentionTile attention_tile(const HeadFactors& head, int level, std::int64_t row, std::int64_t column) {
    AttentionTile tile = empty_tile();
    const std::int64_t size = std::int64_t{1} << level, cover = side * size;
    if (column > row) return tile;
    // A band of one row of squares at a time.
    std::vector<float> band(static_cast<std::size_t>(size * cover));
    for (std::int64_t r = 0; r < side; ++r) {
        const std::int64_t query = row * cover + r * size;
        if (query >= head.tokens) break;
        attention_block(head, query, size, column * cover, cover, band);
        for (std::int64_t c = 0; c < side; ++c) {
            const std::int64_t pairs = seen_pairs(head.tokens, level, row * side + r, column * side + c);
            if (pairs == 0) continue;
            float largest = 0;
            double sum = 0;
            for (std::int64_t i = 0; i < size; ++i)
                for (std::int64_t j = 0; j < size; ++j) {
                    const float weight = band[static_cast<std::size_t>(i * cover + c * size + j)];
                    take_larger(largest, weight);
                    sum += weight;
                }
            const auto at = static_cast<std::size_t>(r * side + c);
            tile.largest[at] = largest;
            tile.mean[at] = static_cast<float>(sum / static_cast<double>(pairs));
        }
    }
    return tile;
}

AttentionPyramid::AttentionPyramid(std::int64_t tokens, int finest) : tokens_(tokens), finest_(finest) {
    for (int level = finest; level <= std::max(finest, coarsest_attention_level(tokens)); ++level)
        levels_.emplace_back(tiles_up_to(attention_tiles(tokens, level)), empty_tile());
}

std::int64_t AttentionPyramid::bytes() const {
    std::int64_t bytes = 0;
    for (const auto& level : levels_)
        bytes += static_cast<std::int64_t>(level.size() * 2 * side * side * sizeof(float));
    return bytes;
}

void AttentionPyramid::add_rows(std::int64_t first, std::int64_t rows, std::int64_t keys,
                                std::span<const float> weights) {
    std::vector<AttentionTile>& tiles = levels_.front();
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t query = first + r, seen = std::min(keys, query + 1), line = query >> finest_;
        AttentionTile* const row = tiles.data() + tiles_up_to(line / side);
        const float* const weight = weights.data() + r * keys;
        for (std::int64_t square = 0; (square << finest_) < seen; ++square) {
            AttentionTile& tile = row[square / side];
            const auto at = static_cast<std::size_t>((line % side) * side + square % side);
            float largest = tile.largest[at], sum = 0;
            const std::int64_t end = std::min((square + 1) << finest_, seen);
            for (std::int64_t key = square << finest_; key < end; ++key) {
                take_larger(largest, weight[key]);
                sum += weight[key];
            }
            tile.largest[at] = largest;
            tile.mean[at] += sum;  // finish() divides
        }
    }
}

void AttentionPyramid::add_squares(const PooledSquares& squares) {
    std::vector<AttentionTile>& tiles = levels_.front();
    for (std::int64_t l = 0; l < squares.lines; ++l) {
        const std::int64_t line = squares.first_line + l;
        AttentionTile* const row = tiles.data() + tiles_up_to(line / side);
        const std::int64_t end = std::min(squares.squares, line + 1 - squares.first_square);
        for (std::int64_t s = 0; s < end; ++s) {
            const std::int64_t square = squares.first_square + s;
            AttentionTile& tile = row[square / side];
            const auto at = static_cast<std::size_t>((line % side) * side + square % side);
            const auto from = static_cast<std::size_t>(l * squares.squares + s);
            take_larger(tile.largest[at], squares.largest[from]);
            tile.mean[at] += squares.sums[from];  // finish() divides
        }
    }
}

void AttentionPyramid::finish() {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        const int level = finest_ + static_cast<int>(l);
        const std::int64_t wide = attention_tiles(tokens_, level);
        // Sums of the level below first: a mean of means would weigh squares on the diagonal wrongly.
        if (l + 1 < levels_.size())
            for (std::int64_t row = 0; row < wide; ++row)
                for (std::int64_t column = 0; column <= row; ++column) {
                    const AttentionTile& from =
                        levels_[l][tiles_up_to(row) + static_cast<std::size_t>(column)];
                    AttentionTile& to =
                        levels_[l + 1][tiles_up_to(row / 2) + static_cast<std::size_t>(column / 2)];
                    for (std::int64_t r = 0; r < side; ++r)
                        for (std::int64_t c = 0; c < side; ++c) {
                            const auto at = static_cast<std::size_t>(r * side + c);
                            const auto above = static_cast<std::size_t>(((row % 2) * side + r) / 2 * side +
                                                                        ((column % 2) * side + c) / 2);
                            take_larger(to.largest[above], from.largest[at]);
                            to.mean[above] += from.mean[at];
                        }
                }
        for (std::int64_t row = 0; row < wide; ++row)
            for (std::int64_t column = 0; column <= row; ++column) {
                AttentionTile& tile = levels_[l][tiles_up_to(row) + static_cast<std::size_t>(column)];
                for (std::int64_t r = 0; r < side; ++r)
                    for (std::int64_t c = 0; c < side; ++c) {
                        const std::int64_t pairs =
                            seen_pairs(tokens_, level, row * side + r, column * side + c);
                        if (pairs > 0)
                            tile.mean[static_cast<std::size_t>(r * side + c)] /= static_cast<float>(pairs);
                    }
            }
    }
}

const AttentionTile* AttentionPyramid::tile(int level, std::int64_t row, std::int64_t column) const {
    if (level < finest_ || level > coarsest() || column > row || column < 0) return nullptr;
    if (row >= attention_tiles(tokens_, level)) return nullptr;
    return &levels_[static_cast<std::size_t>(level - finest_)]
                   [tiles_up_to(row) + static_cast<std::size_t>(column)];
}

std::span<const AttentionTile> AttentionPyramid::tiles(int level) const {
    return levels_.at(static_cast<std::size_t>(level - finest_));
}

bool AttentionPyramid::set_tiles(int level, std::vector<AttentionTile> tiles) {
    if (level < finest_ || level > coarsest()) return false;
    std::vector<AttentionTile>& mine = levels_[static_cast<std::size_t>(level - finest_)];
    const auto whole = [](const AttentionTile& tile) {
        return tile.largest.size() == side * side && tile.mean.size() == side * side;
    };
    if (tiles.size() != mine.size() || !std::all_of(tiles.begin(), tiles.end(), whole)) return false;
    mine = std::move(tiles);
    return true;
}

AttentionPyramid attention_pyramid(const HeadFactors& head, int finest) {
    AttentionPyramid pyramid(head.tokens, finest);
    constexpr std::int64_t block = 64;
    std::vector<float> weights(static_cast<std::size_t>(block * head.tokens));
    for (std::int64_t first = 0; first < head.tokens; first += block) {
        const std::int64_t rows = std::min(block, head.tokens - first), keys = first + rows;
        const std::span<float> part(weights.data(), static_cast<std::size_t>(rows * keys));
        attention_block(head, first, rows, 0, keys, part);
        pyramid.add_rows(first, rows, keys, part);
    }
    pyramid.finish();
    return pyramid;
}

}  // namespace braid
