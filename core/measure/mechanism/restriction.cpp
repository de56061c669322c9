#include "core/measure/mechanism/restriction.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "core/mixers/builtin.h"

namespace braid {
namespace {

bool is_softmax(const HeadGroup& group) { return builtin_mixers().find(group.mixer)->description().softmax; }

// B sequences, T tokens of which w are in a window, C and O columns.
void by_windows(const GroupTap& tap, const Horizon& horizon) {
    const std::int64_t tokens = tap.in_BTC.size(1), batch = tap.in_BTC.size(0);
    for (std::int64_t kept = 0; kept < tokens;) {
        const std::int64_t begin = std::max<std::int64_t>(kept - horizon.tokens, 0);
        const std::int64_t end =
            std::min(kept == 0 ? horizon.tokens + horizon.stride : kept + horizon.stride, tokens);
        const at::Tensor in_BwC = tap.in_BTC.narrow(1, begin, end - begin).contiguous();
        const at::Tensor out_BwO =
            at::empty({batch, end - begin, tap.out_BTC.size(2)}, tap.out_BTC.options());
        MixerState state = tap.mixer.make_state(tap.ops, batch, end - begin);
        tap.mixer.extend(tap.ops, tap.parameters, in_BwC, out_BwO, state, 0);
        tap.out_BTC.narrow(1, kept, end - kept).copy_(out_BwO.narrow(1, kept - begin, end - kept));
        kept = end;
    }
}

}  // namespace

ArchitectureSpec restricted_spec(ArchitectureSpec spec, std::int64_t horizon, const GroupChoice& chosen) {
    const auto& described = builtin_mixers().find("swa")->description().parameters;
    for (std::size_t l = 0; l < spec.layers.size(); ++l)
        for (std::size_t g = 0; g < spec.layers[l].groups.size(); ++g) {
            HeadGroup& group = spec.layers[l].groups[g];
            if (!is_softmax(group) || !chosen(l, g)) continue;
            if (group.mixer == "swa" && group.parameters.integer("window", described) <= horizon + 1)
                continue;
            group.mixer = "swa";
            group.parameters.set("window", horizon + 1);
        }
    return spec;
}

ForwardTaps restricted_taps(const ArchitectureSpec& spec, const Horizon& horizon, const GroupChoice& chosen) {
    ForwardTaps taps;
    taps.mix = [spec, horizon, chosen](const GroupTap& tap) {
        const auto layer = std::size_t(tap.layer), group = std::size_t(tap.group);
        if (is_softmax(spec.layers[layer].groups[group]) || !chosen(layer, group)) return false;
        by_windows(tap, horizon);
        return true;
    };
    return taps;
}

}  // namespace braid
