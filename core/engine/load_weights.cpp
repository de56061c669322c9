// The weights of a folder into a model, tensor by tensor: no second copy of the model.
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include "core/engine/checkpoint.h"
#include "core/engine/parameter_store.h"
#include "core/engine/safetensors.h"

namespace braid {
namespace {

constexpr std::size_t shown = 8;

std::string shape_text(std::string_view dtype, const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text.append(text.empty() ? "" : " x ").append(std::to_string(size));
    return text.append(" ").append(dtype);
}

std::optional<at::ScalarType> type_of(std::string_view dtype) {
    if (dtype == "F32") return at::kFloat;
    if (dtype == "BF16") return at::kBFloat16;
    if (dtype == "F16") return at::kHalf;
    if (dtype == "F64") return at::kDouble;
    return std::nullopt;
}

std::string_view name_of(at::ScalarType type) { return type == at::kDouble ? "F64" : "F32"; }

Diagnostics differences(const SafetensorsHeader& header, const ParameterStore& store) {
    Diagnostics problems;
    const std::string_view own = name_of(store.values().scalar_type());
    for (const Parameter& parameter : store.layout().parameters) {
        const SafetensorsEntry* entry = header.find(parameter.name);
        if (entry == nullptr)
            problems.push_back({.path = parameter.name, .rule = "must be in the checkpoint", .found = ""});
        else if (entry->shape != parameter.shape || !type_of(entry->dtype))
            problems.push_back({.path = parameter.name,
                                .rule = "must be " + shape_text(own, parameter.shape),
                                .found = shape_text(entry->dtype, entry->shape)});
    }
    for (const SafetensorsEntry& entry : header.tensors)
        if (store.find(entry.name) == nullptr)
            problems.push_back(
                {.path = entry.name, .rule = "is no parameter of this architecture", .found = ""});
    if (problems.size() > shown) {
        const std::string more = std::to_string(problems.size() - shown + 1);
        problems.resize(shown - 1);
        problems.push_back({.path = "and " + more + " more", .rule = "tensors that do not fit", .found = ""});
    }
    return problems;
}

}  // namespace

Result<void> load_weights(const std::string& folder, ParameterStore& store) {
    const std::string path = folder + "/model.safetensors";
    const Result<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file) return fail(file.error());
    if (const Diagnostics problems = differences(file->header(), store); !problems.empty())
        return fail(to_error(problems, path));
    std::string not_finite;
    std::size_t bad = 0;
    for (const Parameter& parameter : store.layout().parameters) {
        const SafetensorsEntry& entry = *file->header().find(parameter.name);
        const at::Tensor host = at::empty(parameter.shape, *type_of(entry.dtype));
        if (auto done = file->read(entry, {static_cast<std::byte*>(host.mutable_data_ptr()), entry.bytes()});
            !done)
            return done;
        if (!at::isfinite(host).all().item().toBool() && ++bad <= shown)
            not_finite.append(not_finite.empty() ? "" : ", ").append(parameter.name);
        store.value(parameter).copy_(host);
    }
    if (bad > shown) not_finite.append(" and ").append(std::to_string(bad - shown)).append(" more");
    if (bad > 0)
        return fail(ErrorKind::corrupt,
                    "not a usable checkpoint: its weights are not all finite numbers: " + not_finite, path);
    store.refresh_compute();
    return {};
}

}  // namespace braid
