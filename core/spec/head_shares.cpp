#include "core/spec/head_shares.h"

#include <algorithm>
#include <limits>

namespace braid {
namespace {

constexpr std::int64_t sane_heads =
    512;  // of dimension_parameters(); beyond it only validate() has work to do

// Adds up to `total` by an integer factor, where the parts all exist and allow it.
void scale_to(std::vector<HeadGroup>& groups, std::int64_t HeadGroup::*field, std::int64_t total) {
    std::int64_t sum = 0;
    for (const HeadGroup& group : groups) {
        if (group.*field < 1 || group.*field > sane_heads) return;
        sum += group.*field;
    }
    if (sum == 0 || total < sum || total % sum != 0) return;
    for (HeadGroup& group : groups) group.*field *= total / sum;
}

// The assignment nearest to `budget` x heads / (sum of heads) in least squares among those in which each kv
// count divides its heads and all add up to the budget. Empty: there is none.
std::vector<std::int64_t> dividing_shares(const std::vector<std::int64_t>& heads, std::int64_t budget) {
    std::int64_t sum = 0;
    for (const std::int64_t each : heads) sum += each;
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    const auto width = static_cast<std::size_t>(budget) + 1;
    // best[b]: cost of groups i.. with b kv heads left; choice[i][b]: what group i takes.
    std::vector<std::int64_t> best(width, never);
    best[0] = 0;
    std::vector<std::vector<std::int64_t>> choice(heads.size(), std::vector<std::int64_t>(width, 0));
    for (std::size_t i = heads.size(); i-- > 0;) {
        std::vector<std::int64_t> next(width, never);
        for (std::int64_t kv = std::min(heads[i], budget); kv >= 1; --kv) {
            if (heads[i] % kv != 0) continue;
            const std::int64_t off = kv * sum - budget * heads[i];
            for (auto left = static_cast<std::size_t>(kv); left < width; ++left) {
                const std::int64_t rest = best[left - static_cast<std::size_t>(kv)];
                if (rest == never || rest + off * off >= next[left]) continue;
                next[left] = rest + off * off;
                choice[i][left] = kv;
            }
        }
        best = std::move(next);
    }
    if (best[width - 1] == never) return {};
    std::vector<std::int64_t> shares;
    std::size_t left = width - 1;
    for (const auto& row : choice) {
        shares.push_back(row[left]);
        left -= static_cast<std::size_t>(row[left]);
    }
    return shares;
}

void share_kv_heads(std::vector<HeadGroup>& groups, std::int64_t kv_heads) {
    std::vector<HeadGroup*> open;
    std::vector<std::int64_t> heads;
    std::int64_t budget = kv_heads;
    std::int64_t sum = 0;
    bool sane = kv_heads <= sane_heads;
    for (HeadGroup& group : groups) {
        sane = sane && group.heads >= 1 && group.heads <= sane_heads && group.kv_heads <= sane_heads;
        if (group.kv_heads != 0) {
            budget -= std::min(group.kv_heads, sane_heads);
            continue;
        }
        open.push_back(&group);
        heads.push_back(group.heads);
        sum += std::clamp<std::int64_t>(group.heads, 1, sane_heads);
    }
    if (open.empty()) return;
    std::vector<std::int64_t> shares;
    if (sane && static_cast<std::int64_t>(open.size()) <= budget) shares = dividing_shares(heads, budget);
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::int64_t proportional =
            std::max<std::int64_t>(1, std::clamp<std::int64_t>(budget, 0, sane_heads) *
                                          std::clamp<std::int64_t>(heads[i], 1, sane_heads) / sum);
        open[i]->kv_heads = shares.empty() ? proportional : shares[i];
    }
}

}  // namespace

void resolve_heads(LayerSpec& layer, std::int64_t heads, std::int64_t kv_heads) {
    if (layer.groups.size() == 1 && layer.groups.front().heads == 0) {
        layer.groups.front().heads = heads;
        if (layer.groups.front().kv_heads == 0) layer.groups.front().kv_heads = kv_heads;
        return;
    }
    scale_to(layer.groups, &HeadGroup::heads, heads);
    scale_to(layer.groups, &HeadGroup::kv_heads, kv_heads);
    share_kv_heads(layer.groups, kv_heads);
}

}  // namespace braid
