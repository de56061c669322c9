// Attention of one head, tile by tile, against an obvious double reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "core/attention/capture_file.h"
#include "core/attention/coarsest_tile.h"
#include "core/attention/row_largest.h"
#include "core/attention/top_links.h"
#include "core/base/random.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

HeadFactors random_head(std::int64_t tokens, std::int64_t width, std::int64_t window, bool implied,
                        bool sink) {
    HeadFactors head{.tokens = tokens, .width = width, .window = window, .implied = implied};
    Random random(7, "attention");
    const auto fill = [&random](std::vector<float>& values, std::int64_t count, double scale) {
        values.resize(static_cast<std::size_t>(count));
        for (float& value : values) value = float(scale * random.normal());
    };
    fill(head.q_TK, tokens * width, 1 / std::sqrt(double(width)));
    fill(head.k_TK, tokens * width, 1);
    head.offset_T.resize(static_cast<std::size_t>(tokens));
    head.diagonal = implied ? 0.75F : 0;
    double decayed = 0;
    for (std::int64_t i = 0; i < tokens; ++i) {
        if (implied) {
            head.offset_T[std::size_t(i)] = decayed -= 0.01 * std::abs(random.normal());
            continue;
        }
        double sum = sink ? std::exp(0.5) : 0;
        for (std::int64_t j = window > 0 ? std::max<std::int64_t>(0, i - window + 1) : 0; j <= i; ++j) {
            double score = 0;
            for (std::int64_t k = 0; k < width; ++k)
                score +=
                    double(head.q_TK[std::size_t(i * width + k)]) * head.k_TK[std::size_t(j * width + k)];
            sum += std::exp(score);
        }
        head.offset_T[std::size_t(i)] = std::log(sum);
        if (sink) head.sink_T.push_back(float(std::exp(0.5) / sum));
    }
    return head;
}

double weight_of(const HeadFactors& head, std::int64_t i, std::int64_t j) {
    if (i >= head.tokens || j > i || (head.window > 0 && j <= i - head.window)) return 0;
    double score = 0;
    for (std::int64_t k = 0; k < head.width; ++k)
        score +=
            double(head.q_TK[std::size_t(i * head.width + k)]) * head.k_TK[std::size_t(j * head.width + k)];
    if (!head.implied) return std::exp(score - head.offset_T[std::size_t(i)]);
    return score * std::exp(head.offset_T[std::size_t(i)] - head.offset_T[std::size_t(j)]) +
           (i == j ? double(head.diagonal) : 0);
}

struct Shape {
    std::int64_t tokens, window;
    bool implied, sink;
};

class AttentionForms : public ::testing::TestWithParam<Shape> {
protected:
    HeadFactors head_ =
        random_head(GetParam().tokens, 16, GetParam().window, GetParam().implied, GetParam().sink);
};

TEST_P(AttentionForms, BlocksRowsAndColumnsAreTheMatrix) {
    double worst = 0, scale = 0;
    std::vector<double> row_sums(std::size_t(head_.tokens), 0);
    for (std::int64_t i = 0; i < head_.tokens; ++i) {
        const std::vector<float> row = attention_row(head_, i);
        for (std::int64_t j = 0; j < head_.tokens; ++j) {
            const double expected = weight_of(head_, i, j);
            worst = std::max(worst, std::abs(row[std::size_t(j)] - expected));
            scale = std::max(scale, std::abs(expected));
            row_sums[std::size_t(i)] += row[std::size_t(j)];
        }
        if (!head_.implied) {
            const double sink = head_.sink_T.empty() ? 0 : double(head_.sink_T[std::size_t(i)]);
            ASSERT_NEAR(row_sums[std::size_t(i)] + sink, 1, 1e-5);
        }
    }
    std::printf("    rows against float64: error %.1e of %.1e\n", worst, scale);
    EXPECT_LT(worst, 2e-6 * std::max(scale, 1.0));
    const std::int64_t key = head_.tokens / 3;
    const std::vector<float> column = attention_column(head_, key);
    for (std::int64_t i = 0; i < head_.tokens; ++i)
        ASSERT_NEAR(column[std::size_t(i)], weight_of(head_, i, key), 2e-6 * std::max(scale, 1.0));
}

TEST_P(AttentionForms, EveryLevelOfThePyramidIsTheMatrix) {
    for (const int finest : {0, 2}) {
        const AttentionPyramid pyramid = attention_pyramid(head_, finest);
        for (int level = finest; level <= pyramid.coarsest(); ++level) {
            const std::int64_t size = std::int64_t{1} << level;
            double worst = 0, worst_mean = 0, scale = 1;
            for (std::int64_t r = 0; r * size < head_.tokens; ++r)
                for (std::int64_t c = 0; c <= r; ++c) {
                    double largest = 0, sum = 0, pairs = 0;
                    for (std::int64_t i = r * size; i < std::min((r + 1) * size, head_.tokens); ++i)
                        for (std::int64_t j = c * size; j < std::min((c + 1) * size, i + 1); ++j) {
                            const double weight = weight_of(head_, i, j);
                            if (std::abs(weight) > std::abs(largest)) largest = weight;
                            sum += weight;
                            ++pairs;
                        }
                    ASSERT_EQ(seen_pairs(head_.tokens, level, r, c), std::int64_t(pairs));
                    const AttentionTile* tile =
                        pyramid.tile(level, r / attention_tile_side, c / attention_tile_side);
                    ASSERT_NE(tile, nullptr);
                    const auto at = std::size_t((r % attention_tile_side) * attention_tile_side +
                                                c % attention_tile_side);
                    scale = std::max(scale, std::abs(largest));
                    worst = std::max(worst, std::abs(std::abs(tile->largest[at]) - std::abs(largest)));
                    worst_mean = std::max(worst_mean, std::abs(tile->mean[at] - sum / pairs));
                }
            std::printf("    level %d of %d: largest %.1e, mean %.1e\n", level, pyramid.coarsest(), worst,
                        worst_mean);
            EXPECT_LT(worst, 2e-6 * scale);
            EXPECT_LT(worst_mean, 2e-6 * scale);
        }
        EXPECT_EQ(pyramid.tile(finest, 0, 1), nullptr);
        EXPECT_EQ(pyramid.tile(finest - 1, 0, 0), nullptr);
    }
}

TEST_P(AttentionForms, ATileFromTheFactorsIsThatOfThePyramid) {
    const AttentionPyramid pyramid = attention_pyramid(head_, 0);
    for (int level = 0; level <= pyramid.coarsest(); ++level)
        for (std::int64_t row = 0; row < attention_tiles(head_.tokens, level); ++row)
            for (std::int64_t column = 0; column <= row; ++column) {
                const AttentionTile exact = attention_tile(head_, level, row, column);
                const AttentionTile& kept = *pyramid.tile(level, row, column);
                for (std::size_t at = 0; at < exact.mean.size(); ++at) {
                    ASSERT_NEAR(exact.largest[at], kept.largest[at], 1e-5);
                    ASSERT_NEAR(exact.mean[at], kept.mean[at], 1e-5);
                }
            }
}

TEST_P(AttentionForms, TopLinksAreTheLargestWeights) {
    for (const std::int64_t distance : {0, 40}) {
        std::vector<AttentionLink> all;
        for (std::int64_t i = 0; i < head_.tokens; ++i) {
            const std::vector<float> row = attention_row(head_, i);
            for (std::int64_t j = 0; j + distance <= i; ++j)
                if (row[std::size_t(j)] != 0) all.push_back({i, j, row[std::size_t(j)]});
        }
        std::sort(all.begin(), all.end(), [](const AttentionLink& a, const AttentionLink& b) {
            return std::tuple(-std::abs(a.weight), a.query, a.key) <
                   std::tuple(-std::abs(b.weight), b.query, b.key);
        });
        all.resize(std::min<std::size_t>(all.size(), 20));
        EXPECT_TRUE(top_links(attention_pyramid(head_, 3), 20, distance).empty()) << "not without factors";
        for (const int finest : {-1, 0, 3}) {
            const std::vector<AttentionLink> found =
                finest < 0 ? top_links(attention_pyramid(head_, 0), 20, distance)
                           : top_links(head_, attention_pyramid(head_, finest), 20, distance);
            ASSERT_EQ(found.size(), all.size());
            // Squares and rows may round in another order.
            for (std::size_t i = 0; i < all.size(); ++i) {
                EXPECT_NEAR(found[i].weight, all[i].weight, 1e-6 * std::abs(all[i].weight));
                EXPECT_GE(found[i].query - found[i].key, distance);
            }
        }
    }
}

TEST_P(AttentionForms, FilesComeBackToTheBit) {
    const TemporaryFolder folder;
    for (const int finest : {0, 1, 4}) {
        const CapturedHead head{.factors = head_, .pyramid = attention_pyramid(head_, finest)};
        ASSERT_TRUE(write_captured_head(folder / "head.attn", head));
        const Result<CapturedHead> back = read_captured_head(folder / "head.attn");
        ASSERT_TRUE(back) << describe(back.error());
        EXPECT_TRUE(*back == head);
        const auto bytes = std::int64_t(to_bytes(head).size());
        EXPECT_LE(bytes, captured_head_bytes(head_.tokens, head_.width, finest));
        EXPECT_GE(bytes, captured_head_bytes(head_.tokens, head_.width, finest) - 8192);
    }
}

TEST_P(AttentionForms, SquaresThatAreGivenAreThoseOfRows) {
    const AttentionPyramid wanted = attention_pyramid(head_, 2);
    AttentionPyramid given(head_.tokens, 2);
    const std::int64_t squares = (head_.tokens + 3) / 4;
    for (std::int64_t first = 0; first < squares; first += 100) {
        const std::int64_t lines = std::min<std::int64_t>(100, squares - first), keys = first + lines;
        std::vector<float> largest(std::size_t(lines * keys)), sums(largest.size());
        for (std::int64_t l = 0; l < lines; ++l)
            for (std::int64_t c = 0; c <= first + l; ++c) {
                const AttentionTile& tile = *wanted.tile(2, (first + l) / 256, c / 256);
                const auto from = std::size_t((first + l) % 256 * 256 + c % 256);
                largest[std::size_t(l * keys + c)] = tile.largest[from];
                sums[std::size_t(l * keys + c)] =
                    tile.mean[from] * float(seen_pairs(head_.tokens, 2, first + l, c));
            }
        given.add_squares(
            {.first_line = first, .lines = lines, .squares = keys, .largest = largest, .sums = sums});
    }
    given.finish();
    for (int level = 2; level <= wanted.coarsest(); ++level)
        for (std::size_t t = 0; t < wanted.tiles(level).size(); ++t)
            for (std::size_t at = 0; at < 65'536; ++at) {
                ASSERT_EQ(given.tiles(level)[t].largest[at], wanted.tiles(level)[t].largest[at]);
                ASSERT_NEAR(given.tiles(level)[t].mean[at], wanted.tiles(level)[t].mean[at], 1e-6);
            }
}

TEST_P(AttentionForms, RowsKnowTheirLargestWeight) {
    for (const int finest : {0, 3}) {
        const CapturedHead head{.factors = head_, .pyramid = attention_pyramid(head_, finest)};
        const std::vector<float> largest = row_largest(head);
        ASSERT_EQ(std::int64_t(largest.size()), head_.tokens);
        for (std::int64_t i = 0; i < head_.tokens; ++i) {
            float expected = 0;
            for (const float weight : attention_row(head_, i))
                expected = std::max(expected, std::abs(weight));
            ASSERT_NEAR(largest[std::size_t(i)], expected, 1e-6 * std::max(1.0F, expected)) << i;
        }
        // Without factors a row has at least that.
        const std::vector<float> bounds = row_largest({.factors = {}, .pyramid = head.pyramid});
        for (std::size_t i = 0; i < bounds.size(); ++i) ASSERT_GE(bounds[i], largest[i] * (1 - 1e-5F));
    }
}

TEST_P(AttentionForms, TheWholeTextIsTheLastTileOfTheFile) {
    const TemporaryFolder folder;
    const CapturedHead head{.factors = head_, .pyramid = attention_pyramid(head_, 0)};
    ASSERT_TRUE(write_captured_head(folder / "head.att", head));
    const Result<CoarsestTile> read = read_coarsest_tile(folder / "head.att");
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(read->tokens, head_.tokens);
    EXPECT_EQ(read->level, head.pyramid.coarsest());
    EXPECT_EQ(read->tile, *head.pyramid.tile(read->level, 0, 0));
    write_text(folder / "short.att", to_bytes(head).substr(0, 40));
    EXPECT_FALSE(read_coarsest_tile(folder / "short.att"));
    EXPECT_FALSE(read_coarsest_tile(folder / "none.att"));
}

INSTANTIATE_TEST_SUITE_P(Heads, AttentionForms,
                         ::testing::Values(Shape{1, 0, false, false}, Shape{255, 0, false, true},
                                           Shape{300, 32, false, true}, Shape{600, 0, true, false},
                                           Shape{517, 0, false, false}));

TEST(CaptureFile, DamageIsSaid) {
    const HeadFactors factors = random_head(40, 4, 0, false, true);
    const std::string whole = to_bytes({.factors = factors, .pyramid = attention_pyramid(factors, 0)});
    const auto message = [](std::string bytes) {
        const Result<CapturedHead> read = captured_head_from_bytes(bytes, "head.attn");
        return read ? std::string("read") : describe(read.error());
    };
    EXPECT_EQ(message(whole), "read");
    EXPECT_NE(message("").find("does not begin"), std::string::npos);
    EXPECT_NE(message(whole.substr(0, 12)).find("cut off"), std::string::npos);
    EXPECT_NE(message(whole.substr(0, whole.size() - 1)).find("bytes behind its header"), std::string::npos);
    EXPECT_NE(message(whole + "x").find("bytes behind its header"), std::string::npos);
    std::string newer = whole;
    newer[8] = 9;
    EXPECT_NE(message(newer).find("version: must be at most 1, got 9"), std::string::npos);
    std::string nan = whole;
    nan.replace(nan.size() - 4, 4, "\xff\xff\xff\x7f", 4);
    EXPECT_NE(message(nan).find("not finite"), std::string::npos);
    std::string text = whole;
    text.replace(text.find("\"diagonal\":0.0"), 14, "\"diagonal\":{} ");
    EXPECT_NE(message(text).find("diagonal"), std::string::npos);
    std::string large = whole;
    large.replace(large.find("\"tokens\":40"), 11, "\"tokens\":99");
    EXPECT_NE(message(large).find("bytes behind its header"), std::string::npos);
}

TEST(AttentionSpeed, ATileOfALongTextIsComputedWhileOneLooks) {
    HeadFactors head{.tokens = 16'384, .width = 64};
    head.q_TK.assign(std::size_t(head.tokens * head.width), 0.01F);
    head.k_TK = head.q_TK;
    head.offset_T.assign(std::size_t(head.tokens), 1);
    for (const int level : {0, 1, 2}) {
        const auto begin = std::chrono::steady_clock::now();
        const AttentionTile tile = attention_tile(head, level, 5, 2);
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        std::printf("    tile of level %d: %.1f ms\n", level, ms);
        EXPECT_GT(tile.largest[0], 0);
        EXPECT_LT(ms, 2'000) << "a hang, not a slow machine";
    }
}

}  // namespace
}  // namespace braid
