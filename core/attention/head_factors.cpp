#include "core/attention/head_factors.h"

#include <algorithm>
#include <cmath>

namespace braid {

void attention_block(const HeadFactors& head, std::int64_t first_row, std::int64_t rows,
                     std::int64_t first_column, std::int64_t columns, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    const std::int64_t width = head.width;
    // Keys of the block by column: the inner loop runs over neighbours in memory.
    const std::int64_t last_column = std::min(first_column + columns, head.tokens);
    const std::int64_t held = std::max<std::int64_t>(last_column - first_column, 0);
    std::vector<float> k_KC(static_cast<std::size_t>(width * held));
    for (std::int64_t c = 0; c < held; ++c)
        for (std::int64_t k = 0; k < width; ++k)
            k_KC[static_cast<std::size_t>(k * held + c)] =
                head.k_TK[static_cast<std::size_t>((first_column + c) * width + k)];
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t i = first_row + r;
        if (i >= head.tokens) break;
        const std::int64_t low = head.window > 0 ? std::max<std::int64_t>(i - head.window + 1, 0) : 0;
        const std::int64_t begin = std::max(low, first_column) - first_column;
        const std::int64_t end = std::min(i + 1, last_column) - first_column;
        if (begin >= end) continue;
        float* const row = out.data() + r * columns;
        const float* const q = head.q_TK.data() + i * width;
        for (std::int64_t k = 0; k < width; ++k) {
            const float factor = q[k];
            const float* const keys = k_KC.data() + k * held;
            for (std::int64_t c = begin; c < end; ++c) row[c] += factor * keys[c];
        }
        const double offset = head.offset_T[static_cast<std::size_t>(i)];
        if (head.implied) {
            const double* const before = head.offset_T.data() + first_column;
            for (std::int64_t c = begin; c < end; ++c)
                row[c] *= static_cast<float>(std::exp(offset - before[c]));
            if (i >= first_column && i < last_column) row[i - first_column] += head.diagonal;
        } else {
            const auto minus = static_cast<float>(-offset);
            for (std::int64_t c = begin; c < end; ++c) row[c] = std::exp(row[c] + minus);
        }
    }
}

std::vector<float> attention_row(const HeadFactors& head, std::int64_t query) {
    std::vector<float> row(static_cast<std::size_t>(head.tokens));
    attention_block(head, query, 1, 0, head.tokens, row);
    return row;
}

std::vector<float> attention_column(const HeadFactors& head, std::int64_t key) {
    std::vector<float> column(static_cast<std::size_t>(head.tokens));
    attention_block(head, 0, head.tokens, key, 1, column);
    return column;
}

}  // namespace braid
