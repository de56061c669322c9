// T tokens, r rows (queries) of S keys; n lines of c squares of s x s tokens.
#include "core/measure/capture/captured_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <bit>

#include "core/measure/capture/capture_heads.h"
#include "core/mixers/torch/attention_factors.h"

namespace braid {
namespace {

constexpr int finest_with_factors = 3;
// Weights of a block: few enough that it stays in a CPU's cache and that one waits briefly for it to end.
constexpr std::int64_t block_on_cpu = std::int64_t{1} << 20, block_on_gpu = std::int64_t{1} << 25;

std::int64_t tile_bytes(std::int64_t tokens, int finest) { return captured_head_bytes(tokens, 0, finest); }

// A power of two: blocks either fill lines of squares or divide them.
std::int64_t rows_at_once(std::int64_t tokens, bool on_cpu) {
    const std::int64_t most = std::max<std::int64_t>((on_cpu ? block_on_cpu : block_on_gpu) / tokens, 1);
    return std::int64_t(std::bit_floor(std::uint64_t(most)));
}

at::Tensor padded(const at::Tensor& x, std::int64_t dim, std::int64_t multiple) {
    const std::int64_t missing = (multiple - x.size(dim) % multiple) % multiple;
    if (missing == 0) return x;
    std::vector<std::int64_t> pad(std::size_t(2 * (x.dim() - dim)), 0);
    pad.back() = missing;
    return at::constant_pad_nd(x, pad);
}

// Squares of the block's rows, [n, c] each; of weights of any sign the one of largest magnitude.
struct Squares {
    at::Tensor largest, sums;
};
Squares pooled(const at::Tensor& block_rS, int level, bool any_sign) {
    const std::int64_t size = std::int64_t{1} << level;
    const std::int64_t rows = std::min<std::int64_t>(size, block_rS.size(0));
    // Down the rows first: the reduction runs over neighbours in memory there.
    const at::Tensor lines = padded(block_rS, 0, rows).unflatten(0, {-1, rows});
    const auto across = [&](const at::Tensor& x_nS) {
        return padded(x_nS, 1, size).unflatten(1, {-1, size});
    };
    Squares squares{.largest = across(lines.amax(1)).amax(2), .sums = across(lines.sum(1)).sum(2)};
    if (any_sign) {
        const at::Tensor least = across(lines.amin(1)).amin(2);
        squares.largest = at::where(squares.largest.ge(-least), squares.largest, least);
    }
    return squares;
}

template <class T>
std::vector<T> numbers(const at::Tensor& x, at::ScalarType type) {
    const at::Tensor flat = x.to(at::kCPU, type).contiguous();
    const T* from = flat.const_data_ptr<T>();
    return std::vector<T>(from, from + flat.numel());
}

HeadFactors kept(const AttentionFactors& factors) {
    HeadFactors head{.tokens = factors.q_BTK.size(1),
                     .width = factors.q_BTK.size(2),
                     .window = factors.window,
                     .implied = factors.implied};
    head.q_TK = numbers<float>(factors.q_BTK[0], at::kFloat);
    head.k_TK = numbers<float>(factors.k_BTK[0], at::kFloat);
    head.offset_T = numbers<double>(factors.offset_BT[0], at::kDouble);
    if (factors.sink_BT.defined()) head.sink_T = numbers<float>(factors.sink_BT[0], at::kFloat);
    if (factors.diagonal.defined()) head.diagonal = factors.diagonal.item().toFloat();
    return head;
}

}  // namespace

int finest_level(std::int64_t tokens, bool detail, bool factors) {
    const int coarsest = coarsest_attention_level(tokens);
    if (!detail) return coarsest;
    if (!factors && tokens <= detailed_by_itself) return 0;
    int level = factors ? std::min(finest_with_factors, coarsest) : 0;
    while (level < coarsest && tile_bytes(tokens, level) > most_tile_bytes) ++level;
    return level;
}

std::optional<CapturedHead> capture_head(const GroupTap& tap, std::int64_t head, bool detail,
                                         const std::function<bool(double fraction)>& go_on) {
    const std::int64_t tokens = tap.in_BTC.size(1);
    const std::optional<AttentionFactors> factors = tap.mixer.attention_factors(tap.pass(), head);
    CapturedHead captured;
    if (factors && detail) captured.factors = kept(*factors);
    const int finest = finest_level(tokens, detail, factors.has_value());
    captured.pyramid = AttentionPyramid(tokens, finest);
    const std::int64_t at_once = rows_at_once(tokens, tap.ops.device().is_cpu());
    const bool any_sign = !factors || factors->implied;
    for (std::int64_t first = 0; first < tokens; first += at_once) {
        if (!go_on(double(first) / double(tokens))) return {};
        const std::int64_t count = std::min(at_once, tokens - first), end = first + count;
        std::int64_t low = 0;  // the squares that the first of the keys lies in begin there
        at::Tensor weights_rS;
        if (factors) {
            low = first_seen(*factors, first) >> finest << finest;
            weights_rS = attention_block(*factors, first, count, low, end)[0];
        } else {
            weights_rS = tap.mixer.attention_rows(tap.pass(), head, first, count).weights_BrS[0];
        }
        const Squares squares = pooled(weights_rS.to(at::kFloat), finest, any_sign);
        const std::vector<float> largest = numbers<float>(squares.largest, at::kFloat);
        const std::vector<float> sums = numbers<float>(squares.sums, at::kFloat);
        captured.pyramid.add_squares({.first_line = first >> finest,
                                      .lines = squares.largest.size(0),
                                      .first_square = low >> finest,
                                      .squares = squares.largest.size(1),
                                      .largest = largest,
                                      .sums = sums});
    }
    captured.pyramid.finish();
    return captured;
}

CaptureScores capture_scores(const GroupTap& tap, std::int64_t head, bool softmax, std::int64_t window,
                             const std::vector<CaptureNeedle>& needles) {
    const std::int64_t tokens = tap.in_BTC.size(1);
    const AttentionRows rows = tap.mixer.attention_rows(tap.pass(), head, tokens - 1, 1);
    const LastShares last = last_shares(rows, softmax);
    const at::Tensor shares_S = last.shares_BS[0];
    const at::Tensor none = at::zeros({}, shares_S.options());
    at::Tensor mass = none;
    for (const CaptureNeedle& needle : needles)
        mass = mass + shares_S.narrow(0, needle.span.begin, needle.span.end - needle.span.begin).sum();
    const std::int64_t beyond = tokens - far_distance(tokens);  // the keys 0 .. beyond - 1 are far
    const at::Tensor far = beyond > 0 ? shares_S.narrow(0, 0, beyond).max() : none;
    const double visible = double(window > 0 ? std::min(window, tokens) : tokens);
    const std::vector<double> all = numbers<double>(
        at::stack({mass, share_entropy(last.shares_BS, visible)[0], last.sink_B[0], far}), at::kDouble);
    CaptureScores scores;
    if (!needles.empty()) scores.needle = all[0];
    scores.entropy = all[1];
    if (rows.sink_Br.defined()) scores.sink = all[2];
    if (beyond > 0) scores.far = all[3];
    return scores;
}

}  // namespace braid
