// The safetensors of a folder, in one file or in the shards of an index, as one set of tensors.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/engine/safetensors.h"

namespace braid {

class TensorFolder {
public:
    // model.safetensors, else what model.safetensors.index.json lists: the order of transformers. Errors:
    // not_found; corrupt (a truncated or foreign file, a tensor in two shards); invalid_input (an index that
    // does not fit its shards: all of it).
    static Result<TensorFolder> open(const std::string& folder);

    struct Place {
        std::size_t file = 0;
        SafetensorsEntry entry = {};
    };
    const std::map<std::string, Place, std::less<>>& tensors() const { return tensors_; }
    std::uint64_t bytes() const;  // of all tensors
    const std::vector<std::string>& files() const { return names_; }
    // There is an index beside model.safetensors; it was not looked at.
    bool left_out_index() const { return left_out_index_; }

    // The tensor's bytes from first to last in pieces of at most `piece_bytes` (a multiple of every element).
    static constexpr std::size_t piece_bytes = std::size_t{8} << 20;
    Result<void> read(const Place& place,
                      const std::function<Result<void>(std::span<const std::byte>)>& receive) const;
    // Whether two tensors of floats hold the same numbers, whatever their types.
    Result<bool> same_numbers(const Place& a, const Place& b) const;

private:
    Result<void> add(const std::string& folder, const std::string& name);
    std::vector<SafetensorsFile> files_;
    std::vector<std::string> names_;
    std::map<std::string, Place, std::less<>> tensors_;
    bool left_out_index_ = false;
};

}  // namespace braid
