// Random valid architectures for property tests.
#pragma once

#include <random>

#include "core/spec/mixer_kind.h"

namespace braid::test {

class RandomArchitecture {
public:
    explicit RandomArchitecture(const MixerCatalog& catalog, std::uint64_t seed)
        : catalog_(catalog), random_(seed) {}

    ArchitectureSpec operator()() {
        ArchitectureSpec spec{.name = "random",
                              .d_model = pick(1, 256),
                              .heads = pick(1, 4) * 6,
                              .kv_heads = 0,
                              .head_dim = 2 * pick(1, 64),
                              .ffn_width = pick(41, 512),
                              .vocab = pick(2, 1000)};
        spec.kv_heads = spec.heads / (spec.heads % 4 == 0 ? pick(1, 2) * 2 : pick(1, 3));
        while (spec.heads % spec.kv_heads != 0) --spec.kv_heads;
        if (pick(0, 3) == 0) spec.parameters.set("tied", true);
        if (pick(0, 3) == 0) spec.parameters.set("norm_eps", 1e-5);
        // A few kinds of layer in cycles and runs, as people write them, with strays in between.
        std::vector<LayerSpec> kinds;
        for (std::int64_t i = pick(1, 4); i > 0; --i) kinds.push_back(layer(spec));
        const std::int64_t depth = pick(1, 40);
        while (static_cast<std::int64_t>(spec.layers.size()) < depth) {
            const std::int64_t period = pick(1, 5);
            std::vector<LayerSpec> block;
            for (std::int64_t i = 0; i < period; ++i)
                block.push_back(kinds[static_cast<std::size_t>(pick(0, static_cast<int>(kinds.size()) - 1))]);
            for (std::int64_t i = pick(1, 4); i > 0; --i)
                spec.layers.insert(spec.layers.end(), block.begin(), block.end());
        }
        for (std::size_t i = 0; i < spec.layers.size(); ++i)
            spec.layers[i].id = LayerId(static_cast<std::int64_t>(i) + 1);
        return spec;
    }

    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

private:
    HeadGroup group(std::int64_t heads, std::int64_t kv_heads) {
        const auto kinds = catalog_.all();
        const MixerDescription& mixer =
            kinds[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(kinds.size()) - 1))]
                ->description();
        HeadGroup result{.mixer = mixer.id, .heads = heads, .kv_heads = kv_heads};
        for (const ParameterDescription& each : mixer.parameters) {
            if (pick(0, 2) != 0) continue;
            if (std::holds_alternative<bool>(each.default_value)) {
                result.parameters.set(each.key, pick(0, 1) == 1);
            } else if (std::holds_alternative<std::int64_t>(each.default_value)) {
                result.parameters.set(
                    each.key, pick(static_cast<std::int64_t>(each.minimum),
                                   std::min<std::int64_t>(4096, static_cast<std::int64_t>(each.maximum))));
            } else if (std::holds_alternative<double>(each.default_value)) {
                const double low = std::max(each.minimum, 1e-3);
                result.parameters.set(each.key, std::uniform_real_distribution<double>(
                                                    low, std::min(each.maximum, 1e7))(random_));
            } else if (!each.choices.empty()) {
                result.parameters.set(each.key, each.choices[static_cast<std::size_t>(pick(
                                                    0, static_cast<std::int64_t>(each.choices.size()) - 1))]);
            }
        }
        // Values that are right alone may not go together.
        const MixerContext context{.d_model = 64, .head_dim = 64, .ffn_width = 64, .layers = 1};
        if (!catalog_.find(mixer.id)->validate(result, context, "").empty()) result.parameters = {};
        result.parameters = normalised(result.parameters, mixer.parameters);
        return result;
    }

    LayerSpec layer(const ArchitectureSpec& spec) {
        if (spec.kv_heads < 2 || pick(0, 3) != 0) return {.groups = {group(spec.heads, spec.kv_heads)}};
        for (int attempt = 0; attempt < 50; ++attempt) {
            const std::int64_t heads = pick(1, spec.heads - 1);
            const std::int64_t kv_heads = pick(1, spec.kv_heads - 1);
            if (heads % kv_heads == 0 && (spec.heads - heads) % (spec.kv_heads - kv_heads) == 0)
                return {
                    .groups = {group(heads, kv_heads), group(spec.heads - heads, spec.kv_heads - kv_heads)}};
        }
        return {.groups = {group(spec.heads, spec.kv_heads)}};
    }

    const MixerCatalog& catalog_;
    std::mt19937_64 random_;
};

}  // namespace braid::test
