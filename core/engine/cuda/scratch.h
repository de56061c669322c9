// Device memory that operations need for as long as they run, kept from call to call.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <map>
#include <string>
#include <vector>

namespace braid::cuda {

class Scratch {
public:
    explicit Scratch(at::Device device) : device_(device) {}

    // Under a name, as large as the largest request so far; what it holds is what the last user left.
    at::Tensor operator()(const std::string& what, std::int64_t elements, at::ScalarType type) {
        at::Tensor& kept = kept_[what];
        if (!kept.defined() || kept.numel() < elements) {
            kept = at::Tensor();  // the old one goes first
            kept = at::empty({elements}, at::dtype(type).device(device_));
        }
        if (used_ != nullptr) used_->push_back(kept);
        return kept.narrow(0, 0, elements);
    }

    // From now on everything that is handed out is added to the list as well (null: no longer), for a
    // recording, which must keep it also where a larger request replaces it here.
    void list_used(std::vector<at::Tensor>* used) { used_ = used; }

private:
    at::Device device_;
    std::map<std::string, at::Tensor> kept_;
    std::vector<at::Tensor>* used_ = nullptr;
};

}  // namespace braid::cuda
