#include "core/engine/hf/export_hf.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/engine/hf/float_bytes.h"
#include "core/engine/hf/hf_tensors.h"
#include "core/engine/hf/import_hf.h"
#include "core/engine/hf/tensor_folder.h"

namespace braid {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text.append(text.empty() ? "" : " x ").append(std::to_string(size));
    return text;
}

// A tensor of the new file: from the checkpoint, or zeros where it has none.
struct Planned {
    SafetensorsShape shape;
    const TensorFolder::Place* place = nullptr;
};

Result<std::vector<Planned>> plan(const HfExport& request, const TensorFolder& from) {
    const Result<std::vector<HfTensor>> tensors =
        hf_tensors(request.architecture, request.target ? request.target->model_type : "");
    if (!tensors) return fail(tensors.error());
    std::vector<Planned> planned;
    Diagnostics problems;
    for (const HfTensor& tensor : *tensors) {
        const auto found = from.tensors().find(tensor.own);
        if (found == from.tensors().end() || found->second.entry.shape != tensor.own_shape ||
            !is_float(found->second.entry.dtype)) {
            problems.push_back({.path = tensor.own,
                                .rule = "must be in the checkpoint, as " + shape_text(tensor.own_shape),
                                .found = ""});
            continue;
        }
        const std::string dtype = request.dtype.empty() ? found->second.entry.dtype : request.dtype;
        planned.push_back({.shape = {.name = tensor.theirs, .dtype = dtype, .shape = tensor.their_shape},
                           .place = &found->second});
        const std::string_view projection = "_proj.weight";
        if (!request.target || !request.target->zero_biases || !tensor.theirs.ends_with(projection)) continue;
        for (const char* part : {".q_proj.weight", ".k_proj.weight", ".v_proj.weight"})
            if (tensor.theirs.ends_with(part))
                planned.push_back(
                    {.shape = {.name = tensor.theirs.substr(0, tensor.theirs.size() - 6) + "bias",
                               .dtype = dtype,
                               .shape = {tensor.their_shape.front()}}});
    }
    if (problems.size() > 20) problems.resize(20);
    if (!problems.empty()) return fail(to_error(problems, request.checkpoint));
    return planned;
}

Result<std::uint64_t> copy_weights(const HfExport& request, const TensorFolder& from,
                                   const std::vector<Planned>& planned, const std::string& file) {
    std::vector<SafetensorsShape> shapes;
    std::uint64_t bytes = 0, done = 0;
    for (const Planned& each : planned) {
        shapes.push_back(each.shape);
        if (each.place) bytes += each.place->entry.bytes();
    }
    Result<SafetensorsWriter> writer =
        SafetensorsWriter::create(file, shapes, {{"format", "pt"}, {"producer", "braid"}});
    if (!writer) return fail(std::move(writer.error()));
    std::vector<std::byte> converted;
    for (const Planned& each : planned) {
        if (!each.place) {
            converted.assign(
                std::size_t(each.shape.shape.front()) * safetensors_element_bytes(each.shape.dtype),
                std::byte{0});
            if (Result<void> written = writer->write(converted); !written)
                return fail(std::move(written.error()));
            continue;
        }
        Result<void> copied = from.read(*each.place, [&](std::span<const std::byte> piece) -> Result<void> {
            if (request.stop_requested && request.stop_requested->load())
                return fail(ErrorKind::interrupted, "stopped; nothing was exported", request.out);
            done += piece.size();
            if (request.progress)
                request.progress(double(done) / double(std::max<std::uint64_t>(bytes, 1)), each.shape.name);
            if (each.place->entry.dtype == each.shape.dtype) return writer->write(piece);
            convert(each.place->entry.dtype, piece, each.shape.dtype, converted);
            if (!all_finite(each.shape.dtype, converted))
                return fail(ErrorKind::invalid_input,
                            each.shape.name + " holds numbers that " + each.shape.dtype + " cannot",
                            request.checkpoint, "Export in BF16 or F32");
            return writer->write(converted);
        });
        if (!copied) return fail(std::move(copied.error()));
    }
    if (Result<void> finished = writer->finish(); !finished) return fail(std::move(finished.error()));
    return bytes;
}

// What a person needs to load the file without Braid.
std::string description(const HfExport& request, const std::vector<Planned>& planned) {
    std::string text =
        "# A model of Braid\n\n"
        "`architecture.json` describes the layers, `model.safetensors` holds the weights (row-major; a "
        "matrix is\n"
        "[outputs, inputs]). Blocks are pre-norm: `x += mixer(rmsnorm(x)); x += down(silu(gate(rmsnorm(x))) "
        "*\n"
        "up(rmsnorm(x)))`. Behind the last block `model.norm`, then `lm_head` (the embedding where there is "
        "none).\n"
        "The groups of a head-wise layer are `self_attn.groups.N`. RoPE turns channel i with i + d/2.\n"
        "`sinks` are one more logit a query head, with no value.\n";
    if (!request.reason.empty())
        text.append("\nNo class of transformers computes the same: ").append(request.reason).append(".\n");
    text.append("\n| tensor | type | shape |\n| --- | --- | --- |\n");
    for (const Planned& each : planned)
        text.append("| `")
            .append(each.shape.name)
            .append("` | ")
            .append(each.shape.dtype)
            .append(" | ")
            .append(shape_text(each.shape.shape))
            .append(" |\n");
    return text;
}

}  // namespace

std::optional<Json> hf_source_config(const std::string& checkpoint) {
    const Result<Json> source = read_json(checkpoint + "/source.json");
    if (!source || !source->is_object()) return std::nullopt;
    const auto config = source->find("config");
    return config != source->end() && config->is_object() ? std::optional<Json>(*config) : std::nullopt;
}

Result<HfExported> export_model(const HfExport& request) {
    const Result<TensorFolder> from = TensorFolder::open(request.checkpoint);
    if (!from) return fail(from.error());
    const Result<std::vector<Planned>> planned = plan(request, *from);
    if (!planned) return fail(planned.error());
    Result<UnfinishedFolder> out = UnfinishedFolder::create(request.out);
    if (!out) return fail(std::move(out.error()));
    HfExported made{.tensors = std::int64_t(planned->size()), .files = {"model.safetensors"}};
    const Result<std::uint64_t> bytes =
        copy_weights(request, *from, *planned, out->path() + "/model.safetensors");
    if (!bytes) return fail(bytes.error());
    made.bytes = *bytes;
    const auto add = [&](const std::string& name, Result<void> written) -> Result<void> {
        made.files.push_back(name);
        return written;
    };
    Result<void> done;
    if (request.target) {
        Json config = hf_config(request.architecture, *request.target, hf_source_config(request.checkpoint),
                                request.context);
        const std::string dtype = planned->front().shape.dtype;
        config["torch_dtype"] = dtype == "BF16" ? "bfloat16" : dtype == "F16" ? "float16" : "float32";
        done = add("config.json", write_json_atomically(out->path() + "/config.json", config));
    } else {
        done = add("architecture.json",
                   write_json_atomically(out->path() + "/architecture.json", to_json(request.architecture)));
        if (done)
            done = add("README.md",
                       write_file_atomically(out->path() + "/README.md", description(request, *planned)));
    }
    if (!done) return fail(std::move(done.error()));
    Result<std::vector<std::string>> tokenizers = copy_tokenizer(request.checkpoint, out->path());
    if (!tokenizers) return fail(std::move(tokenizers.error()));
    made.files.insert(made.files.end(), tokenizers->begin(), tokenizers->end());
    if (Result<void> kept = out->keep(); !kept) return fail(std::move(kept.error()));
    return made;
}

}  // namespace braid
