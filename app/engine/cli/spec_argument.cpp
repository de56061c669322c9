#include "app/engine/cli/spec_argument.h"

#include <filesystem>

#include "core/base/json.h"
#include "core/mixers/builtin.h"
#include "core/record/project.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"

namespace braid::cli {
namespace {

constexpr std::string_view project_prefix = "project:";
constexpr const char* default_scale = "tiny";

bool looks_like_a_file(const std::string& text) {
    std::error_code ignored;
    return text.ends_with(".json") || text.find('/') != std::string::npos ||
           std::filesystem::is_regular_file(text, ignored);
}

std::string scale_names() {
    std::string names;
    for (const Scale& scale : scales()) names += (names.empty() ? "" : ", ") + scale.name;
    return names;
}

Result<ArchitectureSpec> read_architecture(const std::string& file) {
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Checked<ArchitectureSpec> spec = architecture_from_json(*json);
    if (!spec) return fail(to_error(spec.error(), file));
    return std::move(*spec);
}

Result<ArchitectureSpec> from_pattern(const SpecRequest& request) {
    const Preset* preset = find_preset(request.text);
    const std::string text = preset != nullptr ? preset->pattern : request.text;
    std::string scale_name = request.scale;
    if (scale_name.empty() && preset != nullptr) scale_name = preset->scale;
    if (scale_name.empty()) scale_name = default_scale;
    const Scale* scale = find_scale(scale_name);
    const Checked<Pattern> pattern = parse_pattern(text, builtin_mixers());
    std::string problem;
    if (!pattern) {
        problem = "the pattern is not right (nor is it a preset or a file)\n" +
                  show_problems(text, pattern.error());
        while (problem.ends_with('\n')) problem.pop_back();
    }
    if (scale == nullptr)
        problem +=
            (problem.empty() ? "" : "\n") +
            Diagnostic{.path = "--scale", .rule = "must be one of " + scale_names(), .found = scale_name}
                .message();
    if (!problem.empty()) return fail(ErrorKind::invalid_input, problem);
    ArchitectureSpec spec = instantiate(*pattern, *scale);
    spec.name = preset != nullptr ? preset->name : text;
    if (request.needed_vocab > 0) spec.vocab = request.needed_vocab;
    return spec;
}

Result<ArchitectureSpec> from_file(const SpecRequest& request, const std::string& file) {
    Result<ArchitectureSpec> spec = read_architecture(file);
    if (!spec) return spec;
    if (!request.scale.empty())
        return fail(ErrorKind::invalid_input,
                    "the file has its own dimensions; --scale is for patterns and presets", file);
    if (spec->name.empty()) spec->name = std::filesystem::path(file).stem().string();
    return spec;
}

Result<ArchitectureSpec> find_spec(const SpecRequest& request) {
    if (request.text.starts_with(project_prefix)) {
        const std::string name = request.text.substr(project_prefix.size());
        if (request.project_folder.empty())
            return fail(ErrorKind::not_found, "there is no project here for \"" + request.text + "\"", {},
                        "Give one by --project DIR");
        const Result<Project> project = Project::open(request.project_folder);
        if (!project) return fail(project.error());
        return from_file(request, project->document_file(DocumentKind::architecture, name));
    }
    return looks_like_a_file(request.text) ? from_file(request, request.text) : from_pattern(request);
}

}  // namespace

Result<ArchitectureSpec> resolve_spec(const SpecRequest& request) {
    Result<ArchitectureSpec> spec = find_spec(request);
    if (!spec) return spec;
    if (request.vocab > 0) spec->vocab = request.vocab;
    if (const Diagnostics problems = validate(*spec, builtin_mixers()); !problems.empty())
        return fail(to_error(problems));
    return spec;
}

}  // namespace braid::cli
