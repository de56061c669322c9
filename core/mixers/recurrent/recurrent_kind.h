// What mixers with a matrix-valued state share: no attention rows, no KV cache, a float32 state of one size
// at every context.
#pragma once

#include "core/spec/mixer_kind.h"

namespace braid {

// The recurrence of a group of heads as both sides see it: `states` matrices of key x value, read by
// `readers` query heads.
struct RecurrentShape {
    std::int64_t states = 0;
    std::int64_t readers = 0;
    std::int64_t key_dim = 0;
    std::int64_t value_dim = 0;
    bool delta = false;  // the update reads the state first: S^T k
};

class RecurrentKind : public MixerKind {
public:
    explicit RecurrentKind(MixerDescription description) : description_(std::move(description)) {}

    const MixerDescription& description() const override { return description_; }
    Diagnostics validate(const HeadGroup&, const MixerContext&, const std::string&) const override {
        return {};
    }
    double mean_visible_keys(const HeadGroup&, std::int64_t) const override { return 0; }
    // Of the recurrent form, multiply-adds as 2: the update k v^T, the readout S^T q of each reader, and S^T
    // k where the rule is the delta rule. The chunked form of training does more of them, as matrix products.
    double own_forward_flops(const HeadGroup& group, const MixerContext& context) const override;

protected:
    virtual RecurrentShape shape(const HeadGroup& group, const MixerContext& context) const = 0;
    static std::int64_t state_bytes(const RecurrentShape& shape);

private:
    MixerDescription description_;
};

}  // namespace braid
