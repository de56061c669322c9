#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "core/spec/diff.h"

namespace braid {
namespace {

// Costs of the alignment. A change in place is cheaper than removing and adding (2 + 2), so that "FFFF"
// against "FSFS" is two changes; a shift by one layer is cheaper than changing every layer.
constexpr std::uint32_t change_parameters = 2;
constexpr std::uint32_t change_mixer = 3;
constexpr std::uint32_t one_side = 2;
constexpr std::size_t max_cells = std::size_t{4000} * 4000;

std::string mixers_of(const LayerSpec& layer) {
    std::string text;
    for (const HeadGroup& group : layer.groups) text += group.mixer + "\n";
    return text;
}

std::string content_of(const LayerSpec& layer) {
    std::string text;
    for (const HeadGroup& group : layer.groups) {
        text +=
            group.mixer + "\n" + std::to_string(group.heads) + "/" + std::to_string(group.kv_heads) + "\n";
        for (const auto& [key, value] : group.parameters)
            text += key + "=" + std::to_string(value.index()) + to_text(value) + "\n";
        text += "\n";
    }
    return text;
}

struct Token {
    int content = 0;
    int mixers = 0;
};

class Numbers {
public:
    Token operator()(const LayerSpec& layer) {
        return {number(contents_, content_of(layer)), number(mixers_, mixers_of(layer))};
    }

private:
    static int number(std::unordered_map<std::string, int>& known, std::string text) {
        return known.try_emplace(std::move(text), static_cast<int>(known.size())).first->second;
    }
    std::unordered_map<std::string, int> contents_;
    std::unordered_map<std::string, int> mixers_;
};

enum Move : std::uint8_t { both, removed, added };

// Edit distance of the middle parts, where neither their first nor their last layers are equal.
std::vector<Move> cheapest_moves(const Token* from, std::size_t n, const Token* to, std::size_t m) {
    std::vector<Move> moves;
    if (n != 0 && m > max_cells / n) {
        moves.assign(std::min(n, m), both);
        moves.insert(moves.end(), n - std::min(n, m), removed);
        moves.insert(moves.end(), m - std::min(n, m), added);
        return moves;
    }
    // cost[j]: of the layers from i on against those from j on; from the end, so that ties change early
    // layers.
    std::vector<std::uint32_t> cost(m + 1);
    std::vector<Move> best((n + 1) * (m + 1), both);
    for (std::size_t j = 0; j <= m; ++j) {
        cost[j] = static_cast<std::uint32_t>(m - j) * one_side;
        best[n * (m + 1) + j] = added;
    }
    for (std::size_t i = n; i-- > 0;) {
        std::uint32_t diagonal = cost[m];
        cost[m] += one_side;
        best[i * (m + 1) + m] = removed;
        for (std::size_t j = m; j-- > 0;) {
            const std::uint32_t below = cost[j];
            const std::uint32_t change = from[i].content == to[j].content ? 0
                                         : from[i].mixers == to[j].mixers ? change_parameters
                                                                          : change_mixer;
            std::uint32_t least = diagonal + change;
            Move move = both;
            if (below + one_side < least) {
                least = below + one_side;
                move = removed;
            }
            if (cost[j + 1] + one_side < least) {
                least = cost[j + 1] + one_side;
                move = added;
            }
            diagonal = below;
            cost[j] = least;
            best[i * (m + 1) + j] = move;
        }
    }
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        const Move move = best[i * (m + 1) + j];
        moves.push_back(move);
        i += move == added ? 0 : 1;
        j += move == removed ? 0 : 1;
    }
    return moves;
}

}  // namespace

std::vector<LayerPair> align_layers(const std::vector<LayerSpec>& from, const std::vector<LayerSpec>& to) {
    Numbers number;
    std::vector<Token> a;
    std::vector<Token> b;
    for (const LayerSpec& layer : from) a.push_back(number(layer));
    for (const LayerSpec& layer : to) b.push_back(number(layer));
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t head = 0;
    while (head < shorter && a[head].content == b[head].content) ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && a[a.size() - 1 - tail].content == b[b.size() - 1 - tail].content) ++tail;

    std::vector<LayerPair> pairs;
    for (std::size_t i = 0; i < head; ++i) pairs.push_back({i, i, true});
    std::size_t i = head;
    std::size_t j = head;
    for (const Move move :
         cheapest_moves(a.data() + head, a.size() - head - tail, b.data() + head, b.size() - head - tail)) {
        LayerPair& pair = pairs.emplace_back();
        if (move != added) pair.from = i++;
        if (move != removed) pair.to = j++;
        pair.equal = move == both && a[*pair.from].content == b[*pair.to].content;
    }
    for (; i < a.size(); ++i, ++j) pairs.push_back({i, j, true});
    return pairs;
}

}  // namespace braid
