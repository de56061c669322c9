#include "core/mixers/builtin.h"
#include "core/mixers/softmax/softmax_mixer.h"
#include "core/mixers/torch/make_mixer.h"

namespace braid {

std::unique_ptr<Mixer> make_swa_mixer(const HeadGroup& group, const MixerContext& context) {
    const auto& described = builtin_mixers().find(group.mixer)->description().parameters;
    return std::make_unique<SoftmaxMixer>(
        softmax_shape(group, context, std::get<std::int64_t>(group.parameters.get("window", described))));
}

}  // namespace braid
