// Full attention: every query sees every key up to its own.
#include "core/mixers/kind_makers.h"
#include "core/mixers/softmax/softmax_kind.h"

namespace braid {
namespace {

class FullKind final : public SoftmaxKind {
public:
    using SoftmaxKind::SoftmaxKind;

protected:
    std::int64_t window(const HeadGroup&) const override { return 0; }
};

}  // namespace

std::unique_ptr<MixerKind> make_full_kind() {
    return std::make_unique<FullKind>(MixerDescription{
        .id = "full",
        .letter = 'F',
        .title = "Full attention",
        .citation = "Vaswani et al., 2017",
        .equation = "o_t = sum_{j <= t} softmax_j(q_t . k_j / sqrt(d)) v_j",
        .help = "Causal softmax attention over the whole context. Carries long-range retrieval; its KV cache "
                "grows with every token.",
        .softmax = true,
        .recurrent = false,
        .parameters = softmax_parameters()});
}

}  // namespace braid
