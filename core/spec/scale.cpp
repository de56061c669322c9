#include "core/spec/scale.h"

#include <algorithm>
#include <array>

namespace braid {
namespace {

constexpr std::int64_t paper_vocab = 73'448;
constexpr const char* paper = "Qiao et al., section 4.1";

}  // namespace

std::span<const Scale> scales() {
    static const std::array<Scale, 6> all = {{
        {"S1", 10, 384, 960, 6, 2, 64, paper_vocab},
        {"S2", 12, 512, 1280, 8, 2, 64, paper_vocab},
        {"S3", 16, 640, 1600, 10, 2, 64, paper_vocab},
        {"S4", 18, 768, 1920, 12, 2, 64, paper_vocab},
        {"S5", 30, 1280, 3200, 20, 2, 64, paper_vocab},
        {"tiny", 4, 64, 160, 2, 2, 32, 64},
    }};
    return all;
}

const Scale* find_scale(std::string_view name) {
    const auto all = scales();
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const Scale& each) { return each.name == name; });
    return at == all.end() ? nullptr : &*at;
}

std::span<const Preset> presets() {
    // Hybrids of the paper are efficient-first: full attention is every second (or fourth) layer, from L1 on.
    static const std::array<Preset, 14> all = {{
        {"full", "Full attention", "F", paper},
        {"swa-128", "SWA-128, 1:1", "S[w=128]F", paper},
        {"swa-512", "SWA-512, 1:1", "S[w=512]F", paper},
        {"swa-2048", "SWA-2048, 1:1", "S[w=2048]F", paper},
        {"lightning", "Lightning, 1:1", "LF", paper},
        {"mamba-2", "Mamba-2, 1:1", "MF", paper},
        {"gdn", "Gated DeltaNet, 1:1", "GF", paper},
        {"swa-128-1to3", "SWA-128, one full layer in four", "S[w=128]S[w=128]S[w=128]F",
         "Qiao et al., section 6.1"},
        {"swa-128-headwise", "SWA-128, half of the heads of every layer full", "{F:1 S[w=128]:1}",
         "Qiao et al., section 6.2"},
        {"swa-128-nope", "SWA-128 with NoPE on full layers", "S[w=128]F[nope]", "Qiao et al., section 6.3"},
        {"laziness-4", "Window 4, full first", "FS[w=4]", "Braid, study laziness", "tiny"},
        {"laziness-16", "Window 16, full first", "FS[w=16]", "Braid, study laziness", "tiny"},
        {"laziness-64", "Window 64, full first", "FS[w=64]", "Braid, study laziness", "tiny"},
        {"laziness-64-nope", "Window 64, NoPE on full layers", "F[nope]S[w=64]", "Braid, study laziness",
         "tiny"},
    }};
    return all;
}

const Preset* find_preset(std::string_view name) {
    const auto all = presets();
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const Preset& each) { return each.name == name; });
    return at == all.end() ? nullptr : &*at;
}

}  // namespace braid
