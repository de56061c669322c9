// arch list | show | diff
#include "app/engine/cli/architecture_json.h"
#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/settings.h"
#include "app/engine/cli/spec_argument.h"
#include "app/engine/verbs/verbs.h"
#include "core/mixers/builtin.h"
#include "core/spec/diff.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"

namespace braid::cli {
namespace {

constexpr std::int64_t default_context = 16'384;  // of the paper's models

struct ArchOptions {
    std::vector<std::string> specs;
    std::string scale, project;
    std::int64_t context = default_context;
    std::int64_t vocab = 0;
    bool json = false;
};

std::string paper_count(std::int64_t paper, std::int64_t published) {
    if (published == 0) return with_commas(paper);
    return with_commas(paper) + " (published " + with_commas(published) + ")";
}

// The paper count of one layer of each mixer at each scale.
Table layer_counts(Json& json) {
    std::vector<Column> columns = {{"LAYER, PAPER COUNT"}};
    for (const Scale& scale : scales()) columns.push_back({scale.name, true});
    Table table(std::move(columns));
    for (const auto& kind : builtin_mixers().all()) {
        const MixerDescription& mixer = kind->description();
        std::vector<std::string> row = {mixer.id};
        for (const Scale& scale : scales()) {
            const auto pattern = parse_pattern(std::string(1, mixer.letter), builtin_mixers());
            const LayerCost layer =
                cost(instantiate(*pattern, scale), builtin_mixers(), default_context).layers.front();
            row.push_back(paper_count(layer.paper_parameters, layer.published_parameters));
            Json count = {{"mixer", mixer.id}, {"scale", scale.name}, {"paper", layer.paper_parameters}};
            if (layer.published_parameters > 0) count["published"] = layer.published_parameters;
            json["layer_params"].push_back(std::move(count));
        }
        table.add(std::move(row));
    }
    return table;
}

Result<void> list(const ArchOptions& options) {
    Json json = {{"presets", Json::array()}, {"mixers", Json::array()}, {"scales", Json::array()}};
    Table presets_table({{"PRESET"}, {"PATTERN"}, {"TITLE"}, {"CITATION"}});
    for (const Preset& preset : presets()) {
        presets_table.add({preset.name, preset.pattern, preset.title, preset.citation});
        json["presets"].push_back({{"name", preset.name},
                                   {"pattern", preset.pattern},
                                   {"title", preset.title},
                                   {"scale", preset.scale},
                                   {"citation", preset.citation}});
    }
    Table mixers_table({{"MIXER"}, {"LETTER"}, {"TITLE"}, {"PARAMETERS"}, {"CITATION"}});
    for (const auto& kind : builtin_mixers().all()) {
        const MixerDescription& mixer = kind->description();
        std::string parameters;
        Json described = Json::array();
        for (const ParameterDescription& parameter : mixer.parameters) {
            parameters +=
                (parameters.empty() ? "" : " ") + parameter.key + "=" + to_text(parameter.default_value);
            described.push_back({{"key", parameter.key},
                                 {"default", to_text(parameter.default_value)},
                                 {"help", parameter.help}});
        }
        mixers_table.add({mixer.id, std::string(1, mixer.letter), mixer.title, parameters, mixer.citation});
        json["mixers"].push_back({{"id", mixer.id},
                                  {"letter", std::string(1, mixer.letter)},
                                  {"title", mixer.title},
                                  {"equation", mixer.equation},
                                  {"parameters", described},
                                  {"citation", mixer.citation}});
    }
    Table scales_table({{"SCALE"},
                        {"LAYERS", true},
                        {"D", true},
                        {"F", true},
                        {"HEADS", true},
                        {"KV", true},
                        {"HEAD DIM", true},
                        {"VOCABULARY", true}});
    for (const Scale& scale : scales()) {
        scales_table.add({scale.name, std::to_string(scale.layers), with_commas(scale.d_model),
                          with_commas(scale.ffn_width), std::to_string(scale.heads),
                          std::to_string(scale.kv_heads), std::to_string(scale.head_dim),
                          with_commas(scale.vocab)});
        json["scales"].push_back({{"name", scale.name},
                                  {"layers", scale.layers},
                                  {"d_model", scale.d_model},
                                  {"ffn_width", scale.ffn_width},
                                  {"heads", scale.heads},
                                  {"kv_heads", scale.kv_heads},
                                  {"head_dim", scale.head_dim},
                                  {"vocab", scale.vocab}});
    }
    const Table counts = layer_counts(json);
    if (options.json)
        print(json);
    else
        print(presets_table.text() + "\n" + mixers_table.text() + "\n" + scales_table.text() + "\n" +
              counts.text());
    return {};
}

Result<ArchitectureSpec> resolve(const ArchOptions& options, const std::string& text) {
    SpecRequest request{.text = text, .scale = options.scale, .vocab = options.vocab};
    if (const Result<Project> project = find_project(options.project))
        request.project_folder = project->folder();
    else if (!options.project.empty())
        return fail(project.error());
    return resolve_spec(request);
}

Result<void> show(const ArchOptions& options) {
    const Result<ArchitectureSpec> spec = resolve(options, options.specs.front());
    if (!spec) return fail(spec.error());
    if (options.json) {
        print(cost_json(*spec, options.context));
        return {};
    }
    const ArchitectureCost total = cost(*spec, builtin_mixers(), options.context);
    std::string text = spec->name + "   " + format_pattern(spec->layers, *spec, builtin_mixers()) + "\n";
    text += "D " + with_commas(spec->d_model) + ", F " + with_commas(spec->ffn_width) + ", heads " +
            std::to_string(spec->heads) + "/" + std::to_string(spec->kv_heads) + " of " +
            std::to_string(spec->head_dim) + ", vocabulary " + with_commas(spec->vocab) + ", context " +
            with_commas(options.context) + "\n\n";
    Table table({{"LAYER", true},
                 {"MIXER"},
                 {"PAPER COUNT", true},
                 {"EVERYTHING", true},
                 {"KV/TOKEN", true},
                 {"KV", true},
                 {"STATE", true},
                 {"FLOP/TOKEN", true}});
    for (std::size_t i = 0; i < spec->layers.size(); ++i) {
        const LayerCost& layer = total.layers[i];
        table.add({std::to_string(i), format_layer(spec->layers[i], *spec, builtin_mixers()),
                   paper_count(layer.paper_parameters, layer.published_parameters),
                   with_commas(layer.total_parameters), bytes_text(layer.kv_bytes_per_token),
                   bytes_text(layer.kv_bytes), layer.state_bytes == 0 ? "" : bytes_text(layer.state_bytes),
                   short_number(layer.training_flops_per_token)});
    }
    text += table.text() + "\n";
    text +=
        "parameters, paper count   " + paper_count(total.paper_parameters, total.published_parameters) + "\n";
    text += "parameters, everything    " + with_commas(total.total_parameters) + "\n";
    text += "non-embedding (N)         " + with_commas(total.non_embedding_parameters) + "\n";
    text += "KV cache                  " + bytes_text(total.kv_bytes) + "\n";
    if (total.state_bytes > 0) text += "recurrent state           " + bytes_text(total.state_bytes) + "\n";
    text += "training FLOP a token     " + short_number(total.training_flops_per_token) + "\n";
    text += "forward FLOP a token      " + short_number(total.forward_flops_per_token) + "\n";
    print(text);
    return {};
}

Result<void> compare(const ArchOptions& options) {
    const Result<ArchitectureSpec> from = resolve(options, options.specs[0]);
    const Result<ArchitectureSpec> to = resolve(options, options.specs[1]);
    if (!from || !to) {
        std::string message;
        for (const auto* side : {&from, &to})
            if (!*side) message += (message.empty() ? "" : "\n") + describe(side->error());
        return fail(ErrorKind::invalid_input, message);
    }
    const ArchitectureDiff difference = diff(*from, *to, builtin_mixers(), options.context);
    if (options.json) {
        print(diff_json(difference));
        return {};
    }
    if (difference.same()) {
        print("the same architecture\n");
        return {};
    }
    Table table({{"WHERE"}, {"WHAT"}, {from->name}, {to->name}});
    for (const Difference& row : difference.dimensions) table.add({"model", row.label, row.from, row.to});
    for (const Difference& row : difference.layers) {
        std::string where = index_ranges(row.from_layers);
        const std::string other = index_ranges(row.to_layers);
        if (where != other) where += (where.empty() ? "+" : other.empty() ? " -" : " > ") + other;
        table.add({"layers " + where, row.label, row.from, row.to});
    }
    Table costs({{"COST, context " + with_commas(options.context)},
                 {from->name, true},
                 {to->name, true},
                 {"CHANGE", true}});
    for (const CostDifference& row : difference.costs) {
        const double ratio = row.from == 0 ? 0 : (row.to / row.from - 1) * 100;
        costs.add({row.label, short_number(row.from), short_number(row.to),
                   row.from == row.to ? "" : (ratio > 0 ? "+" : "") + real_text(ratio, 1) + " %"});
    }
    print(table.text() + "\n" + costs.text());
    return {};
}

void add_common(CLI::App& verb, ArchOptions& options) {
    verb.add_option("--scale", options.scale,
                    "Dimensions of a pattern or preset: tiny, S1 .. S5 (default: the preset's, else tiny)")
        ->type_name("SCALE");
    verb.add_option("--context", options.context, "Tokens of context for KV bytes and FLOPs")
        ->type_name("N")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
    verb.add_option("--vocab", options.vocab, "Vocabulary; without it the scale's or the file's")
        ->type_name("N");
    add_project_option(verb, options.project);
    add_json_option(verb, options.json);
}

}  // namespace

void add_arch(CommandLine& line) {
    CLI::App& arch = line.group("arch", "Architectures: list, show, compare");
    const auto listing = std::make_shared<ArchOptions>();
    CLI::App& list_verb = line.verb(arch,
                                    {.name = "list",
                                     .summary = "Presets, mixers and scales, with citation",
                                     .example = "braid-engine arch list"},
                                    [listing] { return list(*listing); });
    add_json_option(list_verb, listing->json);

    const auto showing = std::make_shared<ArchOptions>();
    CLI::App& show_verb = line.verb(
        arch,
        {.name = "show",
         .summary = "Layers, parameters, KV and state bytes, FLOPs of an architecture",
         .example = "braid-engine arch show \"FS[w=16] x2\"\nbraid-engine arch show swa-128 --scale S1 "
                    "--json"},
        [showing] { return show(*showing); });
    show_verb.add_option("SPEC", showing->specs, spec_help)->required()->expected(1);
    add_common(show_verb, *showing);

    const auto comparing = std::make_shared<ArchOptions>();
    CLI::App& diff_verb = line.verb(arch,
                                    {.name = "diff",
                                     .summary = "What differs between two architectures, and what it costs",
                                     .example = "braid-engine arch diff full swa-128 --scale S1"},
                                    [comparing] { return compare(*comparing); });
    diff_verb.add_option("SPEC", comparing->specs, spec_help)->required()->expected(2);
    add_common(diff_verb, *comparing);
}

}  // namespace braid::cli
