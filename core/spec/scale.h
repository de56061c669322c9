// Published sizes (paper Table 1) and the tiny one of the example study; presets of the paper's
// architectures.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/spec/mixer_kind.h"

namespace braid {

struct Scale {
    std::string name;  // "S1" .. "S5", "tiny"
    std::int64_t layers = 0;
    std::int64_t d_model = 0;
    std::int64_t ffn_width = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t vocab = 0;  // 73,448 for S1-S5, 64 for tiny
    bool operator==(const Scale&) const = default;
};

std::span<const Scale> scales();
const Scale* find_scale(std::string_view name);

struct Preset {
    std::string name;     // "full", "swa-128", "swa-128-nope"
    std::string title;    // "SWA-128 with NoPE on full layers"
    std::string pattern;  // shorthand, cycled to the depth of a scale
    std::string citation;
    std::string scale = {};  // where it belongs to one: "tiny" for the example study; empty: any
};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);

}  // namespace braid
