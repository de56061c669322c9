#include "core/mixers/recurrent/recurrent_kind.h"

namespace braid {

double RecurrentKind::own_forward_flops(const HeadGroup& group, const MixerContext& context) const {
    const RecurrentShape s = shape(group, context);
    const auto products = static_cast<double>(s.states * (s.delta ? 2 : 1) + s.readers);
    return 2 * products * static_cast<double>(s.key_dim) * static_cast<double>(s.value_dim);
}

std::int64_t RecurrentKind::state_bytes(const RecurrentShape& shape) {
    constexpr std::int64_t bytes = 4;  // float32: a state is summed over the whole context
    return bytes * shape.states * shape.key_dim * shape.value_dim;
}

}  // namespace braid
