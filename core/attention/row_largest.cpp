#include "core/attention/row_largest.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

struct Square {
    float bound = 0;
    std::int64_t column = 0;
};

float bound_of(const AttentionPyramid& pyramid, std::int64_t row, std::int64_t column) {
    const AttentionTile* const tile =
        pyramid.tile(pyramid.finest(), row / attention_tile_side, column / attention_tile_side);
    if (tile == nullptr) return 0;
    return std::abs(tile->largest[static_cast<std::size_t>((row % attention_tile_side) * attention_tile_side +
                                                           column % attention_tile_side)]);
}

}  // namespace

std::vector<float> row_largest(const CapturedHead& head) {
    const AttentionPyramid& pyramid = head.pyramid;
    const std::int64_t tokens = pyramid.tokens(), size = std::int64_t{1} << pyramid.finest();
    std::vector<float> largest(static_cast<std::size_t>(tokens), 0.0F);
    std::vector<Square> squares;
    std::vector<float> block(static_cast<std::size_t>(size * size));
    for (std::int64_t row = 0; row * size < tokens; ++row) {
        squares.clear();
        for (std::int64_t column = 0; column <= row; ++column)
            if (const float bound = bound_of(pyramid, row, column); bound > 0)
                squares.push_back({bound, column});
        if (squares.empty()) continue;
        const std::int64_t first = row * size, rows = std::min(size, tokens - first);
        float* const mine = largest.data() + first;
        if (!head.factors || size == 1) {
            float most = 0;
            for (const Square& square : squares) most = std::max(most, square.bound);
            std::fill(mine, mine + rows, most);
            continue;
        }
        std::sort(squares.begin(), squares.end(),
                  [](const Square& a, const Square& b) { return a.bound > b.bound; });
        for (const Square& square : squares) {
            if (square.bound <= *std::min_element(mine, mine + rows)) break;
            attention_block(*head.factors, first, size, square.column * size, size, block);
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < size; ++c)
                    mine[r] = std::max(mine[r], std::abs(block[static_cast<std::size_t>(r * size + c)]));
        }
    }
    return largest;
}

}  // namespace braid
