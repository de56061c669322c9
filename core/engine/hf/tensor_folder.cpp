#include "core/engine/hf/tensor_folder.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/json.h"
#include "core/engine/hf/float_bytes.h"
#include "core/spec/parameter.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr const char* single_file = "model.safetensors";
constexpr const char* index_file = "model.safetensors.index.json";
constexpr std::size_t enough_problems = 20;

// Shards lie beside their index: a name that leads elsewhere is refused.
bool is_plain(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos;
}

void report(Diagnostics& problems, std::string path, std::string rule, std::string found) {
    if (problems.size() < enough_problems)
        problems.push_back({.path = std::move(path), .rule = std::move(rule), .found = std::move(found)});
}

}  // namespace

Result<void> TensorFolder::add(const std::string& folder, const std::string& name) {
    Result<SafetensorsFile> file = SafetensorsFile::open(folder + "/" + name);
    if (!file) return fail(std::move(file.error()));
    for (const SafetensorsEntry& entry : file->header().tensors) {
        const auto [at, fresh] =
            tensors_.try_emplace(entry.name, Place{.file = files_.size(), .entry = entry});
        if (!fresh)
            return fail(ErrorKind::corrupt,
                        "tensor \"" + entry.name + "\" is in " + names_[at->second.file] + " and in " + name,
                        folder);
    }
    files_.push_back(std::move(*file));
    names_.push_back(name);
    return {};
}

Result<TensorFolder> TensorFolder::open(const std::string& folder) {
    TensorFolder made;
    std::error_code ignored;
    const std::string index_path = folder + "/" + index_file;
    const bool indexed = fs::exists(index_path, ignored);
    if (fs::exists(folder + "/" + single_file, ignored)) {
        if (Result<void> added = made.add(folder, single_file); !added) return fail(std::move(added.error()));
        made.left_out_index_ = indexed;
        return made;
    }
    if (!indexed) {
        const bool pickled = fs::exists(folder + "/pytorch_model.bin", ignored) ||
                             fs::exists(folder + "/pytorch_model.bin.index.json", ignored);
        return fail(
            ErrorKind::not_found, "no model.safetensors and no model.safetensors.index.json", folder,
            pickled ? "Only safetensors is read: load the model with transformers and save it again" : "");
    }
    const Result<Json> index = read_json(index_path);
    if (!index) return fail(index.error());
    const auto map = index->is_object() ? index->find("weight_map") : index->end();
    if (!index->is_object() || map == index->end() || !map->is_object())
        return fail(ErrorKind::invalid_input, "weight_map: must be an object", index_path);
    Diagnostics problems;
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : map->items())
        if (shard.is_string() && is_plain(shard.get<std::string>()))
            shards.insert(shard.get<std::string>());
        else
            report(problems, "weight_map." + tensor, "must be the name of a file in the same folder",
                   found_in(shard));
    if (!problems.empty()) return fail(to_error(problems, index_path));
    for (const std::string& shard : shards) {
        if (!fs::exists(folder + "/" + shard, ignored))
            report(problems, shard, "is named by the index and missing", "");
        else if (Result<void> added = made.add(folder, shard); !added)
            return fail(std::move(added.error()));
    }
    if (!problems.empty()) return fail(to_error(problems, index_path));
    for (const auto& [tensor, shard] : map->items()) {
        const auto found = made.tensors_.find(tensor);
        const std::string wanted = shard.get<std::string>();
        if (found == made.tensors_.end())
            report(problems, "weight_map." + tensor, "is not in its file", wanted);
        else if (made.names_[found->second.file] != wanted)
            report(problems, "weight_map." + tensor, "is in " + made.names_[found->second.file], wanted);
    }
    if (!problems.empty()) return fail(to_error(problems, index_path));
    return made;
}

std::uint64_t TensorFolder::bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [name, place] : tensors_) sum += place.entry.bytes();
    return sum;
}

Result<void> TensorFolder::read(
    const Place& place, const std::function<Result<void>(std::span<const std::byte>)>& receive) const {
    std::vector<std::byte> piece(std::min<std::uint64_t>(piece_bytes, place.entry.bytes()));
    SafetensorsEntry part = place.entry;
    while (part.begin < place.entry.end) {
        part.end = std::min<std::uint64_t>(part.begin + piece_bytes, place.entry.end);
        const std::span<std::byte> bytes = std::span(piece).first(part.bytes());
        if (Result<void> read = files_[place.file].read(part, bytes); !read) return read;
        if (Result<void> taken = receive(bytes); !taken) return taken;
        part.begin = part.end;
    }
    return {};
}

Result<bool> TensorFolder::same_numbers(const Place& a, const Place& b) const {
    if (a.entry.shape != b.entry.shape) return false;
    constexpr std::uint64_t most = piece_bytes / 4;  // elements
    const auto piece = [&](const Place& place, std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& numbers) -> Result<void> {
        const std::uint64_t size = safetensors_element_bytes(place.entry.dtype);
        SafetensorsEntry part = place.entry;
        part.begin += first * size;
        part.end = part.begin + count * size;
        std::vector<std::byte> bytes(part.bytes());
        if (Result<void> read = files_[place.file].read(part, bytes); !read) return read;
        convert(place.entry.dtype, bytes, "F32", numbers);
        return {};
    };
    const std::uint64_t elements = a.entry.bytes() / safetensors_element_bytes(a.entry.dtype);
    std::vector<std::byte> numbers_a, numbers_b;
    for (std::uint64_t first = 0; first < elements; first += most) {
        const std::uint64_t count = std::min(most, elements - first);
        if (Result<void> read = piece(a, first, count, numbers_a); !read) return fail(read.error());
        if (Result<void> read = piece(b, first, count, numbers_b); !read) return fail(read.error());
        if (numbers_a != numbers_b) return false;
    }
    return true;
}

}  // namespace braid
