#include "core/mixers/torch/make_mixer.h"

namespace braid {

std::unique_ptr<Mixer> make_lightning_mixer(const HeadGroup&, const MixerContext&) { return nullptr; }

}  // namespace braid
