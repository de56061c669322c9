#include "core/measure/capture/remembered_pass.h"

#include <algorithm>

namespace braid {

void RememberedPass::limit(std::int64_t bytes) {
    limit_ = std::clamp<std::int64_t>(bytes, 0, most_bytes);
    if (bytes_ > limit_) forget();
}

void RememberedPass::begin(const std::shared_ptr<Model>& model, const std::vector<std::int32_t>& tokens) {
    if (model_ == model && tokens_ == tokens) return;
    forget();
    model_ = model;
    tokens_ = tokens;
}

bool RememberedPass::make_room(std::int64_t bytes, Rank rank) {
    std::int64_t lower = 0;
    for (const Group& group : groups_) lower += group.rank < rank ? group.bytes : 0;
    if (bytes_ - lower + bytes > limit_) return false;
    for (const Rank least : {Rank::recurrent, Rank::window}) {
        for (auto at = groups_.begin(); at != groups_.end() && bytes_ + bytes > limit_;) {
            if (at->rank != least || at->rank >= rank) {
                ++at;
                continue;
            }
            bytes_ -= at->bytes;
            at = groups_.erase(at);
        }
    }
    return true;
}

void RememberedPass::keep(const GroupTap& tap, Rank rank) {
    if (holds(tap.layer, tap.group)) return;
    Group group{.layer = tap.layer,
                .group = tap.group,
                .rank = rank,
                .ops = &tap.ops,
                .mixer = &tap.mixer,
                .parameters = &tap.parameters,
                .memory = {.tensors = {}, .documents = tap.memory.documents}};
    const auto size = [](const at::Tensor& x) { return x.defined() ? std::int64_t(x.nbytes()) : 0; };
    group.bytes = size(tap.in_BTC) + size(tap.out_BTC);
    for (const at::Tensor& x : tap.memory.tensors) group.bytes += size(x);
    if (!make_room(group.bytes, rank)) return;
    group.in_BTC = tap.in_BTC.clone();
    group.out_BTC = tap.out_BTC.clone();
    for (const at::Tensor& x : tap.memory.tensors)
        group.memory.tensors.push_back(x.defined() ? x.clone() : x);
    bytes_ += group.bytes;
    groups_.push_back(std::move(group));
}

const RememberedPass::Group* RememberedPass::find(std::int64_t layer, std::int64_t group) const {
    for (const Group& each : groups_)
        if (each.layer == layer && each.group == group) return &each;
    return nullptr;
}

bool RememberedPass::holds(std::int64_t layer, std::int64_t group) const {
    return find(layer, group) != nullptr;
}

bool RememberedPass::visit(std::int64_t layer, std::int64_t group,
                           const std::function<void(const GroupTap&)>& f) {
    const Group* found = find(layer, group);
    if (found == nullptr) return false;
    MixerMemory memory = found->memory;  // the same tensors
    f(GroupTap{.layer = found->layer,
               .group = found->group,
               .ops = *found->ops,
               .mixer = *found->mixer,
               .parameters = *found->parameters,
               .in_BTC = found->in_BTC,
               .out_BTC = found->out_BTC,
               .memory = memory});
    return true;
}

void RememberedPass::forget() {
    groups_.clear();
    tokens_.clear();
    model_.reset();
    bytes_ = 0;
}

}  // namespace braid
