#include "core/engine/activation_plan.h"

#include <algorithm>
#include <map>

#include "core/base/count.h"

namespace braid {

std::string ActivationPlan::text() const {
    const auto count = [this](Kept what) { return std::count(kept.begin(), kept.end(), what); };
    const auto of_all = [this](auto number) {
        return std::to_string(number) + " of " + std::to_string(kept.size());
    };
    const auto ffns = count(Kept::all_but_ffn), whole = count(Kept::input);
    std::string text = bytes_text(bytes);
    if (ffns + whole == 0) return text + "; all are kept";
    text += "; computed again: ";
    if (ffns > 0) text += "the FFNs of " + of_all(ffns) + " layers";
    if (whole > 0) text += (ffns > 0 ? ", " : "") + of_all(whole) + " whole layers";
    return text;
}

std::int64_t activation_bytes(std::span<const LayerBytes> layers, std::span<const Kept> kept,
                              std::int64_t common) {
    std::int64_t bytes = common, hidden = 0, gate_up = 0, between = 0;
    std::map<std::size_t, std::int64_t> mixers;  // that are shared, by kind
    const auto add = [&bytes](bool own, std::int64_t size, std::int64_t& shared) {
        if (own)
            bytes += size;
        else
            shared = std::max(shared, size);
    };
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const LayerBytes& layer = layers[l];
        bytes += layer.input;
        add(kept[l] == Kept::everything, layer.hidden, hidden);
        add(kept[l] <= Kept::all_but_hidden, layer.gate_up, gate_up);
        add(kept[l] != Kept::input, layer.between, between);
        add(kept[l] != Kept::input, layer.mixers, mixers[layer.kind]);
    }
    for (const auto& [kind, size] : mixers) bytes += size;
    return bytes + hidden + gate_up + between;
}

ActivationPlan plan_activations(std::span<const LayerBytes> layers, std::int64_t common, std::int64_t limit,
                                Kept most) {
    ActivationPlan plan{.kept = std::vector<Kept>(layers.size(), most)};
    const auto fits = [&] {
        plan.bytes = activation_bytes(layers, plan.kept, common);
        return plan.bytes <= limit;
    };
    if (fits()) return plan;
    for (const Kept less : {Kept::all_but_hidden, Kept::all_but_ffn, Kept::input}) {
        if (less <= most) continue;
        for (Kept& each : plan.kept) {
            each = less;
            if (fits()) return plan;
        }
    }
    return plan;
}

}  // namespace braid
