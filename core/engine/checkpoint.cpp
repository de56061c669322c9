#include "core/engine/checkpoint.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros_like.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/engine/safetensors.h"
#include "core/engine/trainer.h"
#include "core/mixers/builtin.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr int checkpoint_schema_version = 1;
constexpr const char* unfinished_prefix = ".unfinished-";
constexpr const char* replaced_prefix = ".replaced-";

const char* dtype_of(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
        case at::kFloat:
            return "F32";
        case at::kDouble:
            return "F64";
        case at::kBFloat16:
            return "BF16";
        case at::kLong:
            return "I64";
        default:
            return "";
    }
}

// On the host, contiguous; the same tensor where it is that already.
at::Tensor on_host(const at::Tensor& tensor) { return tensor.to(at::kCPU).contiguous(); }

std::span<const std::byte> bytes_of(const at::Tensor& host) {
    return {static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes()};
}

std::string hash_of(const at::Tensor& host) {
    return content_hash(std::string_view(static_cast<const char*>(host.const_data_ptr()), host.nbytes()));
}

// The flat parameter storage and its named parts.
struct ModelTensors {
    at::Tensor flat;
    std::vector<SafetensorsView> views = {};
};

ModelTensors model_tensors(const ParameterStore& store) {
    ModelTensors made{.flat = on_host(store.values())};
    const std::size_t element = made.flat.element_size();
    for (const Parameter& parameter : store.layout().parameters)
        made.views.push_back(
            {.name = parameter.name,
             .dtype = dtype_of(made.flat),
             .shape = parameter.shape,
             .data = bytes_of(made.flat).subspan(static_cast<std::size_t>(parameter.offset) * element,
                                                 static_cast<std::size_t>(parameter.size) * element)});
    return made;
}

struct OptimizerState {
    std::vector<std::pair<std::string, at::Tensor>> tensors;  // on the host
    std::vector<SafetensorsView> views;
};

OptimizerState optimizer_tensors(const Optimizer& optimizer) {
    OptimizerState made;
    for (const auto& [name, tensor] : optimizer.state()) made.tensors.emplace_back(name, on_host(tensor));
    for (const auto& [name, tensor] : made.tensors)
        made.views.push_back({.name = name,
                              .dtype = dtype_of(tensor),
                              .shape = tensor.sizes().vec(),
                              .data = bytes_of(tensor)});
    return made;
}

Result<void> sync_folder(const std::string& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot open", folder));
    const int rc = ::fsync(descriptor);
    const int error_number = errno;
    ::close(descriptor);
    if (rc != 0) return fail(error_from_errno(error_number, "cannot write", folder));
    return {};
}

void remove_quietly(const std::string& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

std::int64_t folder_bytes(const std::string& folder) {
    std::int64_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        bytes += static_cast<std::int64_t>(entry.file_size(ignored));
    return bytes;
}

Result<void> rename_folder(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return fail(error_from_errno(errno, "cannot rename", to));
    return {};
}

// A complete folder takes its place. rename() alone cannot replace a folder that is not empty, so an old one
// steps aside first and comes back if the new one cannot be put there.
Result<void> put_in_place(const std::string& unfinished, const std::string& folder) {
    const fs::path parent = fs::path(folder).parent_path();
    const std::string replaced = (parent / (replaced_prefix + fs::path(folder).filename().string())).string();
    const bool replaces = fs::exists(folder);
    if (replaces) {
        remove_quietly(replaced);
        if (Result<void> moved = rename_folder(folder, replaced); !moved) return moved;
    }
    if (Result<void> moved = rename_folder(unfinished, folder); !moved) {
        if (replaces) ::rename(replaced.c_str(), folder.c_str());
        return moved;
    }
    if (Result<void> synced = sync_folder(parent.string()); !synced) return synced;
    if (replaces) remove_quietly(replaced);
    return {};
}

std::string optimizer_file(const std::string& folder) { return folder + "/optimizer.safetensors"; }

Result<void> write_parts(const std::string& folder, Trainer& trainer, double training_seconds,
                         CheckpointParts parts) {
    const ModelTensors model = model_tensors(trainer.model().parameters());
    if (!at::isfinite(model.flat).all().item().toBool())
        return fail(ErrorKind::corrupt, "the weights are not finite; no checkpoint was written", folder);
    const std::map<std::string, std::string> metadata = {
        {"format", "pt"}, {"producer", "braid"}, {"step", std::to_string(trainer.step().value)}};
    if (auto done = write_safetensors(folder + "/model.safetensors", model.views, metadata); !done)
        return done;
    OptimizerState optimizer;
    if (parts == CheckpointParts::all) {
        optimizer = optimizer_tensors(trainer.optimizer());
        if (auto done = write_safetensors(optimizer_file(folder), optimizer.views, metadata); !done)
            return done;
    }
    if (auto done =
            write_json_atomically(folder + "/architecture.json", to_json(trainer.done_phase().architecture));
        !done)
        return done;
    Json hashes = {{"model", hash_of(model.flat)}};
    for (const auto& [name, tensor] : optimizer.tensors) hashes["optimizer"][name] = hash_of(tensor);
    const Json state = {
        {"schema", checkpoint_schema_version},
        {"step", trainer.step().value},
        {"optimizer_steps", trainer.optimizer().steps_done()},
        {"tokens", trainer.tokens().value},
        {"training_seconds", training_seconds},
        {"architecture_hash", content_hash(trainer.done_phase().architecture, builtin_mixers())},
        {"data_fingerprint", trainer.done_fingerprint()},
        {"hashes", hashes}};
    return write_json_atomically(folder + "/state.json", state);
}

tl::unexpected<Error> unusable(const std::string& what, const std::string& path) {
    return fail(ErrorKind::corrupt, "not a usable checkpoint: " + what, path);
}

template <class T>
bool read_field(const Json& json, const char* key, T& value) {
    const auto found = json.find(key);
    if (found == json.end()) return false;
    if constexpr (std::is_same_v<T, std::string>) {
        if (!found->is_string()) return false;
    } else if constexpr (std::is_same_v<T, double>) {
        if (!found->is_number()) return false;
    } else {
        if (!found->is_number_integer()) return false;
    }
    value = found->get<T>();
    return true;
}

struct StateFile {
    CheckpointState state;
    std::int64_t optimizer_steps = 0;
    Json hashes;
};

Result<StateFile> read_state_file(const std::string& folder) {
    const std::string file = folder + "/state.json";
    const Result<Json> json = read_json(file);
    if (!json) {
        Error broken = json.error();  // one that cannot be read is passed over like one that is not whole
        if (broken.kind == ErrorKind::invalid_input) broken.kind = ErrorKind::corrupt;
        return fail(std::move(broken));
    }
    StateFile made;
    std::int64_t schema = 0;
    if (!json->is_object() || !read_field(*json, "schema", schema)) return unusable("it has no schema", file);
    if (schema < 1 || schema > checkpoint_schema_version)
        return unusable("its schema is " + std::to_string(schema) + "; a newer Braid wrote it", file);
    const bool complete = read_field(*json, "step", made.state.step.value) &&
                          read_field(*json, "optimizer_steps", made.optimizer_steps) &&
                          read_field(*json, "tokens", made.state.tokens.value) &&
                          read_field(*json, "training_seconds", made.state.training_seconds) &&
                          read_field(*json, "architecture_hash", made.state.architecture_hash) &&
                          read_field(*json, "data_fingerprint", made.state.data_fingerprint);
    if (!complete || made.state.step.value < 0 || made.optimizer_steps < 0)
        return unusable("state.json lacks a field", file);
    made.hashes = json->value("hashes", Json::object());
    return made;
}

Result<void> read_tensor(const SafetensorsFile& file, const std::string& name,
                         const std::vector<std::int64_t>& shape, const char* dtype, std::byte* to,
                         const std::string& path) {
    const SafetensorsEntry* entry = file.header().find(name);
    if (entry == nullptr) return unusable("it has no tensor \"" + name + "\"", path);
    if (entry->dtype != dtype || entry->shape != shape)
        return unusable("its tensor \"" + name + "\" has another shape or type", path);
    return file.read(*entry, {to, entry->bytes()});
}

// The flat parameters of a file, on the host. The padding between stacks is part of the hash and stays what
// it was: zero.
Result<at::Tensor> read_parameters(const SafetensorsFile& file, const ParameterStore& store,
                                   const std::string& path) {
    const at::Tensor host = at::zeros_like(store.values(), store.values().options().device(at::kCPU));
    for (const Parameter& parameter : store.layout().parameters) {
        auto* to = static_cast<std::byte*>(host.mutable_data_ptr()) +
                   static_cast<std::size_t>(parameter.offset) * host.element_size();
        if (auto done = read_tensor(file, parameter.name, parameter.shape, dtype_of(host), to, path); !done)
            return fail(std::move(done.error()));
    }
    return host;
}

Result<void> load_model(const std::string& path, const Json& hashes, ParameterStore& store) {
    const Result<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file) return fail(file.error());
    const auto& parameters = store.layout().parameters;
    if (file->header().tensors.size() != parameters.size())
        return unusable("it has " + std::to_string(file->header().tensors.size()) +
                            " tensors, the model has " + std::to_string(parameters.size()),
                        path);
    const Result<at::Tensor> host = read_parameters(*file, store, path);
    if (!host) return fail(host.error());
    if (hashes.value("model", "") != hash_of(*host))
        return unusable("its weights are not the ones that were written", path);
    store.values().copy_(*host);
    return {};
}

Result<void> load_optimizer(const std::string& path, const Json& hashes, Optimizer& optimizer) {
    const Result<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file) return fail(file.error());
    const Json& known = hashes.contains("optimizer") ? hashes["optimizer"] : Json::object();
    for (const auto& [name, tensor] : optimizer.state()) {
        const at::Tensor host = at::empty_like(tensor, tensor.options().device(at::kCPU));
        if (auto done = read_tensor(*file, name, tensor.sizes().vec(), dtype_of(tensor),
                                    static_cast<std::byte*>(host.mutable_data_ptr()), path);
            !done)
            return done;
        if (known.value(name, "") != hash_of(host))
            return unusable("its tensor \"" + name + "\" is not the one that was written", path);
        tensor.copy_(host);
    }
    return {};
}

}  // namespace

namespace {

// What `write` puts into an unfinished folder becomes the checkpoint, or nothing does.
Result<std::int64_t> place_checkpoint(const std::string& folder,
                                      const std::function<Result<void>(const std::string&)>& write) {
    const fs::path place(folder);
    const std::string unfinished =
        (place.parent_path() / (unfinished_prefix + place.filename().string())).string();
    remove_quietly(unfinished);
    if (Result<void> made = make_folder(unfinished); !made) return fail(made.error());
    Result<void> done = write(unfinished);
    if (done) done = sync_folder(unfinished);
    const std::int64_t bytes = folder_bytes(unfinished);
    if (done) done = put_in_place(unfinished, folder);
    if (!done) {
        remove_quietly(unfinished);
        return fail(std::move(done.error()));
    }
    return bytes;
}

Result<void> share_files(const std::string& from, const std::string& to) {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(from, problem)) {
        const fs::path target = fs::path(to) / entry.path().filename();
        fs::create_hard_link(entry.path(), target, problem);
        if (problem) fs::copy_file(entry.path(), target, problem);
        if (problem)
            return fail(error_from_errno(problem.value(), "cannot copy a checkpoint to", target.string()));
    }
    if (problem) return fail(error_from_errno(problem.value(), "cannot read", from));
    return {};
}

}  // namespace

Result<std::int64_t> save_checkpoint(const std::string& folder, Trainer& trainer, double training_seconds,
                                     CheckpointParts parts) {
    return place_checkpoint(folder, [&](const std::string& unfinished) {
        return write_parts(unfinished, trainer, training_seconds, parts);
    });
}

Result<std::int64_t> copy_checkpoint(const std::string& from, const std::string& folder) {
    return place_checkpoint(folder,
                            [&](const std::string& unfinished) { return share_files(from, unfinished); });
}

bool can_resume_from(const std::string& folder) {
    std::error_code ignored;
    return fs::exists(optimizer_file(folder), ignored);
}

void drop_optimizer(const std::string& folder) {
    std::error_code ignored;
    fs::remove(optimizer_file(folder), ignored);
}

Result<CheckpointState> load_checkpoint(const std::string& folder, Trainer& trainer) {
    const Result<StateFile> file = read_state_file(folder);
    if (!file) return fail(file.error());
    if (Result<void> entered = trainer.enter_phase_of(file->state.step); !entered)
        return fail(entered.error());
    if (file->state.architecture_hash != content_hash(trainer.phase().architecture, builtin_mixers()))
        return fail(ErrorKind::invalid_input,
                    "the checkpoint belongs to another architecture than the plan's", folder,
                    "Put the plan back as it was, or start a new run");
    if (file->state.data_fingerprint != trainer.data().fingerprint())
        return fail(ErrorKind::invalid_input,
                    "the data of this run have changed since the checkpoint was written", folder,
                    "Put the data back as they were, or start a new run");
    if (auto done = load_model(folder + "/model.safetensors", file->hashes, trainer.model().parameters());
        !done)
        return fail(done.error());
    if (auto done = load_optimizer(optimizer_file(folder), file->hashes, trainer.optimizer()); !done)
        return fail(done.error());
    trainer.continue_from(file->state.step, file->optimizer_steps);
    return file->state;
}

Result<CheckpointState> read_checkpoint_state(const std::string& folder) {
    Result<StateFile> file = read_state_file(folder);
    if (!file) return fail(std::move(file.error()));
    return file->state;
}

void remove_unfinished_checkpoints(const std::string& checkpoints_folder) {
    std::error_code ignored;
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(checkpoints_folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(replaced_prefix)) {
            // The crash came between the two renames: the old checkpoint is still the good one.
            const std::string folder =
                (entry.path().parent_path() / name.substr(std::char_traits<char>::length(replaced_prefix)))
                    .string();
            if (!fs::exists(folder) && ::rename(entry.path().c_str(), folder.c_str()) == 0) continue;
        }
        if (name.starts_with(unfinished_prefix) || name.starts_with(replaced_prefix))
            leftovers.push_back(entry.path());
    }
    for (const fs::path& leftover : leftovers) fs::remove_all(leftover, ignored);
}

}  // namespace braid
