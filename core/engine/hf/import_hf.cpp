#include "core/engine/hf/import_hf.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/engine/hf/float_bytes.h"
#include "core/engine/hf/hf_tensors.h"
#include "core/engine/hf/tensor_folder.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr int source_schema_version = 1;
constexpr std::size_t shown = 20;
constexpr const char* head_name = "lm_head.weight";

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text.append(text.empty() ? "" : " x ").append(std::to_string(size));
    return text.empty() ? "a single number" : text;
}

// Buffers that transformers computes, and what it ties.
bool is_left_out(const std::string& name, bool tied, std::vector<std::string>& notes) {
    if (name.ends_with(".rotary_emb.inv_freq") || name.ends_with(".self_attn.masked_bias")) return true;
    if (!tied || name != head_name) return false;
    notes.emplace_back("lm_head.weight was left out: with tie_word_embeddings the head is the embedding");
    return true;
}

// Every tensor that is missing, too many, of another shape or of a type that holds no weights.
Diagnostics compare(const std::vector<HfTensor>& wanted, const TensorFolder& given, bool tied,
                    std::vector<std::string>& notes) {
    Diagnostics problems;
    std::set<std::string_view> names;
    for (const HfTensor& tensor : wanted) {
        names.insert(tensor.theirs);
        const auto found = given.tensors().find(tensor.theirs);
        if (found == given.tensors().end()) {
            problems.push_back({.path = tensor.theirs, .rule = "is missing", .found = ""});
            continue;
        }
        const SafetensorsEntry& entry = found->second.entry;
        if (entry.shape != tensor.their_shape)
            problems.push_back({.path = tensor.theirs,
                                .rule = "must be " + shape_text(tensor.their_shape),
                                .found = shape_text(entry.shape)});
        if (!is_float(entry.dtype))
            problems.push_back(
                {.path = tensor.theirs, .rule = "must be F32, BF16 or F16", .found = entry.dtype});
    }
    for (const auto& [name, place] : given.tensors())
        if (!names.contains(name) && !is_left_out(name, tied, notes))
            problems.push_back({.path = name, .rule = "has no place in this model", .found = ""});
    if (problems.size() > shown) {
        const std::string more = std::to_string(problems.size() - shown + 1);
        problems.resize(shown - 1);
        problems.push_back({.path = "and " + more + " more", .rule = "tensors that do not fit", .found = ""});
    }
    return problems;
}

// A head of its own in a model that says it has none: which of the two is meant, only its maker knows.
Result<void> compare_head(const TensorFolder& from, const std::string& folder) {
    const auto head = from.tensors().find(head_name);
    const auto embedding = from.tensors().find("model.embed_tokens.weight");
    if (head == from.tensors().end() || embedding == from.tensors().end()) return {};
    bool same = is_float(head->second.entry.dtype);
    if (same) {
        const Result<bool> compared = from.same_numbers(head->second, embedding->second);
        if (!compared) return fail(compared.error());
        same = *compared;
    }
    if (same) return {};
    return fail(
        to_error({{.path = head_name,
                   .rule = "differs from model.embed_tokens.weight while tie_word_embeddings is true; "
                           "set it to false",
                   .found = ""}},
                 folder));
}

std::string not_finite_text(const std::vector<std::string>& names) {
    std::string text = "weights that are not finite numbers, in ";
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
        text.append(i > 0 ? ", " : "").append(names[i]);
    if (names.size() > shown)
        text.append(" and ").append(std::to_string(names.size() - shown)).append(" more");
    return text;
}

Result<void> copy_weights(const HfImport& request, const std::vector<HfTensor>& tensors,
                          const TensorFolder& from, const std::string& file, std::uint64_t bytes) {
    std::vector<SafetensorsShape> shapes;
    for (const HfTensor& tensor : tensors)
        shapes.push_back({.name = tensor.own,
                          .dtype = from.tensors().find(tensor.theirs)->second.entry.dtype,
                          .shape = tensor.own_shape});
    Result<SafetensorsWriter> writer =
        SafetensorsWriter::create(file, shapes, {{"format", "pt"}, {"producer", "braid"}});
    if (!writer) return fail(std::move(writer.error()));
    std::vector<std::string> not_finite;
    std::uint64_t done = 0;
    for (const HfTensor& tensor : tensors) {
        const TensorFolder::Place& place = from.tensors().find(tensor.theirs)->second;
        bool fine = true;
        Result<void> copied = from.read(place, [&](std::span<const std::byte> piece) -> Result<void> {
            if (request.stop_requested && request.stop_requested->load())
                return fail(ErrorKind::interrupted, "stopped; nothing was imported", request.out);
            fine = fine && all_finite(place.entry.dtype, piece);
            done += piece.size();
            if (request.progress)
                request.progress(double(done) / double(std::max<std::uint64_t>(bytes, 1)), tensor.theirs);
            return writer->write(piece);
        });
        if (!copied) return copied;
        if (!fine) not_finite.push_back(tensor.theirs);
    }
    if (!not_finite.empty()) return fail(ErrorKind::corrupt, not_finite_text(not_finite), request.folder);
    return writer->finish();
}

}  // namespace

Result<Json> read_hf_json(const std::string& file) {
    constexpr std::size_t most = std::size_t{64} << 20;
    Result<std::string> text = read_file(file, most);
    if (!text) return fail(std::move(text.error()));
    bool quoted = false;
    for (std::size_t i = 0; i < text->size(); ++i) {
        if ((*text)[i] == '"') quoted = !quoted;
        if ((*text)[i] == '\\' && quoted) ++i;
        if (quoted) continue;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
            if (std::string_view(*text).substr(i, word.size()) == word) {
                // As text: a field that is read refuses it by name.
                const std::string as_text = '"' + std::string(word) + '"';
                text->replace(i, word.size(), as_text);
                i += as_text.size() - 1;
                break;
            }
    }
    return parse_json(*text, file);
}

Result<HfImported> import_hf(const HfImport& request) {
    const std::string config_file = request.folder + "/config.json";
    const Result<Json> config = read_hf_json(config_file);
    if (!config) return fail(config.error());
    const std::string name =
        (fs::absolute(request.folder).lexically_normal() / "").parent_path().filename().string();
    Checked<HfModel> model = architecture_from_hf(*config, name);
    if (!model) return fail(to_error(model.error(), config_file));
    const Result<std::vector<HfTensor>> tensors = hf_tensors(model->architecture, model->model_type);
    if (!tensors) return fail(tensors.error());
    const Result<TensorFolder> from = TensorFolder::open(request.folder);
    if (!from) return fail(from.error());
    if (const Diagnostics problems = compare(*tensors, *from, is_tied(model->architecture), model->notes);
        !problems.empty())
        return fail(to_error(problems, request.folder));
    if (is_tied(model->architecture))
        if (Result<void> compared = compare_head(*from, request.folder); !compared)
            return fail(std::move(compared.error()));
    if (from->left_out_index())
        model->notes.emplace_back(
            "model.safetensors.index.json was left out: model.safetensors is there, which transformers reads "
            "first");

    HfImported made{.model = std::move(*model)};
    std::set<std::string> dtypes;
    for (const HfTensor& tensor : *tensors) {
        const SafetensorsEntry& entry = from->tensors().find(tensor.theirs)->second.entry;
        made.bytes += entry.bytes();
        made.parameters += std::int64_t(entry.bytes() / safetensors_element_bytes(entry.dtype));
        dtypes.insert(entry.dtype);
    }
    made.tensors = std::int64_t(tensors->size());
    made.dtypes.assign(dtypes.begin(), dtypes.end());
    Result<UnfinishedFolder> out = UnfinishedFolder::create(request.out);
    if (!out) return fail(std::move(out.error()));
    if (Result<void> copied =
            copy_weights(request, *tensors, *from, out->path() + "/model.safetensors", made.bytes);
        !copied)
        return fail(std::move(copied.error()));
    Result<std::vector<std::string>> tokenizers = copy_tokenizer(request.folder, out->path());
    if (!tokenizers) return fail(std::move(tokenizers.error()));
    made.tokenizers = std::move(*tokenizers);
    if (auto done =
            write_json_atomically(out->path() + "/architecture.json", to_json(made.model.architecture));
        !done)
        return fail(std::move(done.error()));
    const Json source = {{"schema_version", source_schema_version},
                         {"format", "hf"},
                         {"folder", fs::absolute(request.folder).lexically_normal().string()},
                         {"model_type", made.model.model_type},
                         {"files", from->files()},
                         {"dtypes", made.dtypes},
                         {"parameters", made.parameters},
                         {"imported", utc_now()},
                         {"config", *config}};
    if (auto done = write_json_atomically(out->path() + "/source.json", source); !done)
        return fail(std::move(done.error()));
    if (Result<void> kept = out->keep(); !kept) return fail(std::move(kept.error()));
    return made;
}

}  // namespace braid
