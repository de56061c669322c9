// A T x T attention matrix at every zoom, without the matrix: squares of 2^level x 2^level weights, each with
// its largest and its mean weight, in tiles of 256 x 256 squares. Built in one pass over blocks of rows;
// memory is that of the finest level kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/head_factors.h"

namespace braid {

inline constexpr std::int64_t attention_tile_side = 256;

// [256 * 256] each, row-major; 0 above the diagonal and beyond the text.
struct AttentionTile {
    std::vector<float> largest = {};  // the weight of largest magnitude, with its sign
    std::vector<float> mean = {};     // over the weights with key <= query
    bool operator==(const AttentionTile&) const = default;
};

// The level at which a text of so many tokens is at most `squares` squares wide.
int attention_level(std::int64_t tokens, std::int64_t squares);
// The level at which the whole text is one tile.
int coarsest_attention_level(std::int64_t tokens);
// Tiles in a row of tiles of this level.
std::int64_t attention_tiles(std::int64_t tokens, int level);
// Squares of a tile that hold a pair: of its line `line`, and of all of it. Columns up to the diagonal.
std::int64_t seen_squares(std::int64_t tokens, int level, std::int64_t row, std::int64_t column,
                          std::int64_t line);
std::int64_t seen_squares(std::int64_t tokens, int level, std::int64_t row, std::int64_t column);
// Pairs of key and query, key <= query < tokens, in a square of a level.
std::int64_t seen_pairs(std::int64_t tokens, int level, std::int64_t row, std::int64_t column);

// A tile of any level from the factors alone: exact, at a cost of 4^level * 65,536 * K.
AttentionTile attention_tile(const HeadFactors& head, int level, std::int64_t row, std::int64_t column);

// Lines and columns of squares of one level; [lines, squares], row-major. Squares above the diagonal hold 0.
struct PooledSquares {
    std::int64_t first_line = 0, lines = 0;
    std::int64_t first_square = 0, squares = 0;
    std::span<const float> largest;  // the weight of largest magnitude, with its sign
    std::span<const float> sums;     // of the weights
};

class AttentionPyramid {
public:
    AttentionPyramid() = default;
    AttentionPyramid(std::int64_t tokens, int finest);

    std::int64_t tokens() const { return tokens_; }
    int finest() const { return finest_; }
    int coarsest() const { return finest_ + static_cast<int>(levels_.size()) - 1; }
    std::int64_t bytes() const;

    // Weights of the queries [first, first + rows) for the keys [0, keys): [rows, keys]. Every query once, in
    // any order; then finish().
    void add_rows(std::int64_t first, std::int64_t rows, std::int64_t keys, std::span<const float> weights);
    // The same from squares of the finest level that somebody else has pooled, in part or whole.
    void add_squares(const PooledSquares& squares);
    void finish();

    // Null above the diagonal, and of levels finer than finest(). Tiles count from 0.
    const AttentionTile* tile(int level, std::int64_t row, std::int64_t column) const;
    std::span<const AttentionTile> tiles(int level) const;
    // Tiles of a level in the order of tiles(): rows of tiles up to the diagonal. Error of the sizes: false.
    bool set_tiles(int level, std::vector<AttentionTile> tiles);

    bool operator==(const AttentionPyramid&) const = default;

private:
    std::int64_t tokens_ = 0;
    int finest_ = 0;
    std::vector<std::vector<AttentionTile>> levels_ = {};  // from the finest
};

// From the factors, on this thread: the reference of what an engine does on its device.
AttentionPyramid attention_pyramid(const HeadFactors& head, int finest);

}  // namespace braid
