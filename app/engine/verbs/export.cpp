// export hf | safetensors: a checkpoint for other software.
#include <algorithm>

#include "app/engine/cli/checkpoint_argument.h"
#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/verbs.h"
#include "core/engine/guard.h"
#include "core/engine/hf/export_hf.h"

namespace braid::cli {
namespace {

struct ExportOptions {
    std::string checkpoint, out, project;
    std::string type = "keep";
    std::int64_t context = 0;
    bool transformers = true;
    bool json = false;
    bool quiet = false;
};

// --context, or the longest that the checkpoint's run was trained on; 0: what its config.json says.
std::int64_t context_of(const ExportOptions& options, const CheckpointChoice& choice) {
    return options.context > 0 ? options.context : trained_context(choice).value_or(0);
}

std::string joined(const std::vector<std::string>& reasons) {
    std::string text;
    for (const std::string& reason : reasons) text.append(text.empty() ? "" : "; ").append(reason);
    return text;
}

Result<void> export_checkpoint(const ExportOptions& options) {
    const Result<CheckpointChoice> choice = find_checkpoint(options.checkpoint, options.project);
    if (!choice) return fail(choice.error());
    static const std::map<std::string, std::string> types = {
        {"keep", ""}, {"f32", "F32"}, {"bf16", "BF16"}, {"f16", "F16"}};
    HfExport request{.checkpoint = choice->origin.folder,
                     .architecture = choice->architecture,
                     .out = options.out,
                     .dtype = types.at(options.type),
                     .context = context_of(options, *choice),
                     .stop_requested = &stop_requested()};
    Progress bar(options.quiet);
    if (options.transformers) {
        auto target = hf_class_of(choice->architecture);
        if (target) {
            request.target = std::move(*target);
            if (request.target->zero_biases)
                bar.say(
                    "Note: windows on some layers only need the class of qwen2; its biases on queries, keys "
                    "and values are written as zeros");
        } else {
            request.reason = joined(target.error());
            bar.say("Note: no class of transformers computes the same (" + request.reason +
                    "); written is a safetensors folder with a description");
        }
    }
    request.progress = [&bar](double fraction, const std::string& tensor) { bar.update(fraction, tensor); };
    const Result<HfExported> done = guarded("export", [&] { return export_model(request); });
    if (!done) return fail(done.error());
    const std::string family = request.target ? request.target->model_type : "";
    if (options.json) {
        print(Json{{"folder", options.out},
                   {"class", family.empty() ? Json(nullptr) : Json(hf_class_name(family))},
                   {"reason", request.reason.empty() ? Json(nullptr) : Json(request.reason)},
                   {"tensors", done->tensors},
                   {"bytes", done->bytes},
                   {"files", done->files}});
        return {};
    }
    Table table({{"EXPORT"}, {options.out}});
    table.add({"form",
               family.empty() ? "safetensors, described in README.md" : std::string(hf_class_name(family))});
    table.add({"tensors", with_commas(done->tensors)});
    table.add({"files", joined(done->files)});
    print(table);
    return {};
}

void add_form(CommandLine& line, CLI::App& group, VerbText text, bool transformers) {
    const auto options = std::make_shared<ExportOptions>();
    options->transformers = transformers;
    CLI::App& verb = line.verb(group, std::move(text), [options] { return export_checkpoint(*options); });
    verb.add_option("CHECKPOINT", options->checkpoint, checkpoint_help)->required();
    verb.add_option("DIR", options->out, "Folder to make")->required();
    verb.add_option("--type", options->type, "Of the weights; keep: as they are")
        ->capture_default_str()
        ->check(CLI::IsMember({"keep", "f32", "bf16", "f16"}));
    if (transformers)
        verb.add_option("--context", options->context,
                        "max_position_embeddings (that of the model it came from, or of the run's training)")
            ->check(CLI::Range(1, 1 << 24));
    add_project_option(verb, options->project);
    add_quiet_option(verb, options->quiet);
    add_json_option(verb, options->json);
}

}  // namespace

void add_export(CommandLine& line) {
    CLI::App& group = line.group("export", "Checkpoints for other software: hf, safetensors");
    add_form(
        line, group,
        {.name = "hf",
         .summary = "As transformers loads it, where it has a class that computes the same",
         .example = "braid-engine export hf a91f exported --type bf16",
         .details = "Classes: " + hf_families() +
                    ". Where none fits (sinks, head-wise layers, NoPE, other mixers), the reason is said "
                    "and a safetensors folder with a description is written instead."},
        true);
    add_form(line, group,
             {.name = "safetensors",
              .summary = "Weights by Braid's names, with the architecture and a description of the tensors",
              .example = "braid-engine export safetensors a91f@2000 exported"},
             false);
}

}  // namespace braid::cli
