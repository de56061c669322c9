// The last forward pass of a capture: what further heads of the same text and model are captured from without
// another pass. For one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/engine/forward_taps.h"
#include "core/engine/model.h"

namespace braid {

class RememberedPass {
public:
    // Bytes of tensors that are kept; where a pass has more, layers that see the whole text stay rather than
    // windows, and windows rather than recurrences.
    static constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
    enum class Rank { recurrent, window, full };

    // What is kept may take this much from now on, and never more than most_bytes.
    void limit(std::int64_t bytes);
    // A pass of this model over this text: that of another one is forgotten.
    void begin(const std::shared_ptr<Model>& model, const std::vector<std::int32_t>& tokens);
    // Copies what the tap holds, as far as there is room.
    void keep(const GroupTap& tap, Rank rank);
    bool holds(std::int64_t layer, std::int64_t group) const;
    // False: it is not held.
    bool visit(std::int64_t layer, std::int64_t group, const std::function<void(const GroupTap&)>& f);
    void forget();
    std::int64_t bytes() const { return bytes_; }

private:
    struct Group {
        std::int64_t layer = 0, group = 0;
        Rank rank = Rank::recurrent;
        Ops* ops = nullptr;
        const Mixer* mixer = nullptr;
        const MixerParameters* parameters = nullptr;
        at::Tensor in_BTC = {}, out_BTC = {};
        MixerMemory memory = {};
        std::int64_t bytes = 0;
    };
    const Group* find(std::int64_t layer, std::int64_t group) const;
    // Whether there is room for a group of this rank; lower ones give way to it.
    bool make_room(std::int64_t bytes, Rank rank);

    std::shared_ptr<Model> model_;  // the groups refer to its parts
    std::vector<std::int32_t> tokens_;
    std::vector<Group> groups_;
    std::int64_t limit_ = most_bytes, bytes_ = 0;
};

}  // namespace braid
