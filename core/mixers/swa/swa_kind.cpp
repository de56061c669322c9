// Sliding-window attention (paper Eq. 2): a query at t sees keys [t - W + 1, t].
#include "core/mixers/kind_makers.h"
#include "core/mixers/softmax/softmax_kind.h"

namespace braid {
namespace {

class SwaKind final : public SoftmaxKind {
public:
    using SoftmaxKind::SoftmaxKind;

protected:
    std::int64_t window(const HeadGroup& group) const override {
        return group.parameters.integer("window", description().parameters);
    }
};

std::vector<ParameterDescription> swa_parameters() {
    std::vector<ParameterDescription> parameters = softmax_parameters();
    parameters.insert(parameters.begin(),
                      {.key = "window",
                       .label = "Window",
                       .unit = "tokens",
                       .help = "Keys that a query sees, its own included; the KV cache holds no more.",
                       .default_value = std::int64_t{128},
                       .minimum = 1,
                       .maximum = std::int64_t{1} << 27,
                       .short_key = "w"});
    return parameters;
}

}  // namespace

std::unique_ptr<MixerKind> make_swa_kind() {
    return std::make_unique<SwaKind>(MixerDescription{
        .id = "swa",
        .letter = 'S',
        .title = "Sliding window",
        .citation = "Beltagy et al., 2020",
        .equation = "o_t = sum_{t-W < j <= t} softmax_j(q_t . k_j / sqrt(d)) v_j",
        .help = "Causal softmax attention over the last W tokens. Cheap, with a KV cache of W tokens; large "
                "windows can delay the full layers' learning of retrieval.",
        .softmax = true,
        .recurrent = false,
        .parameters = swa_parameters()});
}

}  // namespace braid
