#include "core/mixers/softmax/softmax_mixer.h"
#include "core/mixers/torch/make_mixer.h"

namespace braid {

std::unique_ptr<Mixer> make_full_mixer(const HeadGroup& group, const MixerContext& context) {
    return std::make_unique<SoftmaxMixer>(softmax_shape(group, context, 0));
}

}  // namespace braid
