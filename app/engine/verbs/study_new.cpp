// study new
#include <filesystem>

#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/settings.h"
#include "app/engine/cli/spec_argument.h"
#include "app/engine/study/study_file.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/data/batch.h"
#include "core/mixers/builtin.h"
#include "core/spec/study_patterns.h"

namespace braid::cli {
namespace {

struct NewOptions {
    std::string name, title, scale, seeds, project;
    std::vector<std::string> specs, settings;
    std::string data = "recall";
    bool json = false;
};

constexpr std::string_view project_prefix = "project:";

StudyVariant variant_of(const std::string& text, const std::string& scale) {
    // "Label=SPEC", or SPEC alone; '=' inside brackets belongs to the shorthand.
    const std::size_t equals = text.find('=');
    const bool labelled = equals != std::string::npos && text.find('[') > equals;
    const std::string spec = labelled ? text.substr(equals + 1) : text;
    StudyVariant variant{.label = labelled ? text.substr(0, equals) : spec};
    if (spec.starts_with(project_prefix))
        variant.architecture = spec.substr(project_prefix.size());
    else
        variant.pattern = spec;
    if (variant.architecture.empty()) variant.scale = scale.empty() ? "tiny" : scale;
    return variant;
}

Result<void> make(const NewOptions& options) {
    const Result<Project> project = find_or_make_project(options.project);
    if (!project) return fail(project.error());
    StudySpec spec{.name = options.name, .title = options.title.empty() ? options.name : options.title};
    Diagnostics problems;
    const auto take = [&problems](const Diagnostics& more) {
        problems.insert(problems.end(), more.begin(), more.end());
    };
    if (Checked<DataSpec> data = parse_data(options.data))
        spec.data = std::move(*data);
    else
        take(data.error());
    if (!options.seeds.empty()) {
        if (Checked<std::vector<std::uint64_t>> seeds = parse_seeds(options.seeds))
            spec.seeds = std::move(*seeds);
        else
            take(seeds.error());
    }
    take(apply_settings(options.settings, spec.training, spec.data));
    for (const std::string& text : options.specs) spec.variants.push_back(variant_of(text, options.scale));
    take(validate(spec));
    take(validate(spec.data, spec.training));
    if (!problems.empty())
        take(check_patterns(spec, builtin_mixers()));
    else if (const auto points = plan_points(*project, spec); !points)
        take(points.error());
    if (!problems.empty()) return fail(to_error(problems));
    const std::string file = project->document_file(DocumentKind::study, spec.name);
    if (std::filesystem::exists(file))
        return fail(ErrorKind::already_exists, "there is a study of this name", file, "Choose another name");
    if (Result<void> written = write_json_atomically(file, to_json(spec)); !written) return written;
    if (options.json)
        print(Json{{"name", spec.name}, {"file", file}});
    else
        print(file + "\n");
    return {};
}

}  // namespace

void add_study_new(CommandLine& line, CLI::App& study) {
    const auto options = std::make_shared<NewOptions>();
    CLI::App& verb = line.verb(
        study,
        {.name = "new",
         .summary = "Make a study from architectures",
         .example = "braid-engine study new windows \"FS[w=8] x2\" \"FS[w=32] x2\" --seeds 1-3 --set "
                    "steps=300\nbraid-engine study new two \"Small=FS[w=8] x2\" \"Mine=project:mine\"",
         .details = "Each SPEC is a variant; \"Label=SPEC\" gives it a label.\n\n" + settings_help()},
        [options] { return make(*options); });
    verb.add_option("NAME", options->name, "Name of the study: letters, digits, '-', '_', '.'")->required();
    verb.add_option("SPEC", options->specs, spec_help)->required();
    verb.add_option("--title", options->title, "Title, for people");
    verb.add_option("--scale", options->scale, "Dimensions of the patterns (tiny)")->type_name("SCALE");
    verb.add_option("--data", options->data, "Task (" + task_ids() + "), or a corpus folder")
        ->type_name("TASK|DIR");
    verb.add_option("--seeds", options->seeds, "1,2,5-8 (1)")->type_name("LIST");
    verb.add_option("--set", options->settings, "A training field or data.PARAMETER; see below")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_project_option(verb, options->project);
    add_json_option(verb, options->json);
}

}  // namespace braid::cli
