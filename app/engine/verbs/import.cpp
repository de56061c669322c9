// import hf: other people's models.
#include "app/engine/cli/architecture_json.h"
#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/verbs.h"
#include "core/engine/guard.h"
#include "core/engine/hf/import_hf.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"

namespace braid::cli {
namespace {

struct ImportOptions {
    std::string folder, out;
    bool json = false;
    bool quiet = false;
};

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
    return text;
}

Result<void> import_model(const ImportOptions& options) {
    Progress bar(options.quiet);
    const Result<HfImported> done = guarded("import", [&] {
        return import_hf(
            {.folder = options.folder,
             .out = options.out,
             .progress = [&bar](double fraction, const std::string& tensor) { bar.update(fraction, tensor); },
             .stop_requested = &stop_requested()});
    });
    if (!done) return fail(done.error());
    const ArchitectureSpec& spec = done->model.architecture;
    const std::string layers = format_pattern(spec.layers, spec, builtin_mixers());
    if (options.json) {
        print(Json{{"folder", options.out},
                   {"model_type", done->model.model_type},
                   {"architecture", to_json(spec)},
                   {"layers", layers},
                   {"tensors", done->tensors},
                   {"parameters", done->parameters},
                   {"bytes", done->bytes},
                   {"dtypes", done->dtypes},
                   {"tokenizer", done->tokenizers},
                   {"notes", done->model.notes}});
        return {};
    }
    for (const std::string& note : done->model.notes) bar.say("Note: " + note);
    Table table({{"MODEL"}, {options.out}});
    table.add({"family", done->model.model_type});
    table.add({"layers", layers});
    table.add({"parameters", with_commas(done->parameters)});
    table.add({"weights", bytes_text(std::int64_t(done->bytes)) + " in " + listed(done->dtypes)});
    table.add({"tokenizer", done->tokenizers.empty() ? "none in the folder" : listed(done->tokenizers)});
    print(table);
    return {};
}

}  // namespace

void add_import(CommandLine& line) {
    CLI::App& group = line.group("import", "Models of other software: hf");
    const auto options = std::make_shared<ImportOptions>();
    CLI::App& verb = line.verb(
        group,
        {.name = "hf",
         .summary = "A model folder of transformers as a weights folder of Braid",
         .example =
             "braid-engine import hf Qwen3-0.6B --out models/qwen3\nbraid-engine generate models/qwen3 "
             "--prompt \"Three strands\" --tokens 40",
         .details =
             "Reads config.json and model.safetensors, or the shards of model.safetensors.index.json, of " +
             hf_families() +
             ". The result is a CHECKPOINT for every verb: logits, generate, eval, train --from. Settings "
             "that "
             "Braid cannot follow are refused by name, all at once; so are tensors that are missing, too "
             "many "
             "or of another shape. Weights keep their type (F32, BF16, F16) and are copied piece by piece."},
        [options] { return import_model(*options); });
    verb.add_option("DIR", options->folder, "Folder with config.json and safetensors")->required();
    verb.add_option("--out", options->out, "Folder to make")->required()->type_name("DIR");
    add_quiet_option(verb, options->quiet);
    add_json_option(verb, options->json);
}

}  // namespace braid::cli
