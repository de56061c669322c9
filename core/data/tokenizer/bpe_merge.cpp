#include "core/data/tokenizer/bpe_merge.h"

#include <algorithm>
#include <array>
#include <queue>

namespace braid {
namespace {

constexpr std::size_t short_word = 64;

void merge_short(const PairTable& merges, std::vector<BpeSymbol>& word) {
    std::array<Merge, short_word> next;  // next[i]: of symbols i and i + 1
    std::size_t count = word.size();
    for (std::size_t i = 0; i + 1 < count; ++i) next[i] = merges.find(word[i].id, word[i + 1].id);
    while (count > 1) {
        std::size_t best = 0;
        for (std::size_t i = 1; i + 1 < count; ++i)
            if (next[i].rank < next[best].rank) best = i;
        if (next[best].rank == Merge::none) break;
        word[best] = {next[best].id, word[best].bytes + word[best + 1].bytes};
        std::copy(word.begin() + static_cast<std::ptrdiff_t>(best) + 2,
                  word.begin() + static_cast<std::ptrdiff_t>(count),
                  word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        std::copy(next.begin() + best + 2, next.begin() + count, next.begin() + best + 1);
        --count;
        if (best > 0) next[best - 1] = merges.find(word[best - 1].id, word[best].id);
        if (best + 1 < count)
            next[best] = merges.find(word[best].id, word[best + 1].id);
        else
            next[best] = {};
    }
    word.resize(count);
}

// A pair that may be merged; stale where one of its symbols has changed since.
struct Candidate {
    std::uint32_t rank;
    std::uint32_t left;                             // place of the left symbol
    std::int32_t id;                                // what they become
    bool operator<(const Candidate& other) const {  // std::priority_queue takes the largest
        return rank != other.rank ? rank > other.rank : left > other.left;
    }
};

void merge_long(const PairTable& merges, std::vector<BpeSymbol>& word) {
    constexpr std::uint32_t end = ~std::uint32_t{0};
    const auto count = static_cast<std::uint32_t>(word.size());
    std::vector<std::uint32_t> previous(count), next(count);
    std::vector<Candidate> first;
    const auto candidate = [&](std::uint32_t left, std::uint32_t right, auto&& take) {
        const Merge merge = merges.find(word[left].id, word[right].id);
        if (merge.rank != Merge::none) take(Candidate{merge.rank, left, merge.id});
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        previous[i] = i == 0 ? end : i - 1;
        next[i] = i + 1 == count ? end : i + 1;
        if (i + 1 < count) candidate(i, i + 1, [&](const Candidate& one) { first.push_back(one); });
    }
    std::priority_queue<Candidate> queue({}, std::move(first));
    while (!queue.empty()) {
        const Candidate top = queue.top();
        queue.pop();
        const std::uint32_t left = top.left;
        const std::uint32_t right = next[left];
        if (word[left].bytes == 0 || right == end) continue;
        const Merge merge = merges.find(word[left].id, word[right].id);
        if (merge.rank != top.rank || merge.id != top.id) continue;
        word[left] = {top.id, word[left].bytes + word[right].bytes};
        word[right].bytes = 0;
        next[left] = next[right];
        if (next[left] != end) previous[next[left]] = left;
        const auto push = [&](const Candidate& one) { queue.push(one); };
        if (previous[left] != end) candidate(previous[left], left, push);
        if (next[left] != end) candidate(left, next[left], push);
    }
    std::erase_if(word, [](const BpeSymbol& symbol) { return symbol.bytes == 0; });
}

}  // namespace

void merge_word(const PairTable& merges, std::vector<BpeSymbol>& word) {
    if (word.size() <= short_word)
        merge_short(merges, word);
    else
        merge_long(merges, word);
}

}  // namespace braid
