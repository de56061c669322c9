// Which activations of a forward pass stay until the backward pass, under a limit of memory; the others are
// computed again there, to the same bits. Without Torch's types: sizes only.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace braid {

// What a layer keeps, the most first. Each kind costs more time than the one before.
enum class Kept {
    everything,
    all_but_hidden,  // the product of gate and up is formed again: one more memory-bound output
    all_but_ffn,     // and so are gate and up: one product more
    input,           // the whole layer but its last product is computed again
};

// Bytes of a layer's activations, each of which stays or is shared with other layers.
struct LayerBytes {
    std::int64_t input = 0;    // stays in any case
    std::int64_t between = 0;  // up to the input of the FFN's first product
    std::int64_t gate_up = 0;
    std::int64_t hidden = 0;
    std::int64_t mixers = 0;  // what mixers remember; layers of one kind can share it
    std::size_t kind = 0;
};

struct ActivationPlan {
    std::vector<Kept> kept;  // of each layer
    std::int64_t bytes = 0;  // of all layers and `common`

    // "7.2 GiB; all are kept", "3.1 GiB; computed again: the FFNs of 12 of 16 layers, 4 whole layers"
    std::string text() const;
};

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// Bytes that so many kept activations take, with `common` that are there in any case.
std::int64_t activation_bytes(std::span<const LayerBytes> layers, std::span<const Kept> kept,
                              std::int64_t common);
// The plan that computes least again among those that begin with the first layers, one kind after the other,
// and take at most `limit`; where none does, the smallest. No layer keeps more than `most`.
ActivationPlan plan_activations(std::span<const LayerBytes> layers, std::int64_t common, std::int64_t limit,
                                Kept most);

}  // namespace braid
