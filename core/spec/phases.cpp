#include "core/spec/phases.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/json_reader.h"
#include "core/spec/edit.h"
#include "core/spec/mixer_kind.h"
#include "core/spec/validate.h"

namespace braid {
namespace {

constexpr std::string_view data_prefix = "data.";
constexpr std::array<std::string_view, 13> training_keys = {
    "steps",          "context",          "batch",           "micro_batches", "learning_rate",
    "warmup_steps",   "decay_fraction",   "final_lr_ratio",  "grad_clip",     "weight_decay",
    "evaluate_every", "checkpoint_every", "head_norms_every"};

// A word of the command line: a whole number, a number, a flag, else text.
ParameterValue value_of_word(std::string_view word) {
    if (word == "true") return true;
    if (word == "false") return false;
    std::int64_t whole = 0;
    const auto* end = word.data() + word.size();
    if (const auto read = std::from_chars(word.data(), end, whole); read.ec == std::errc{} && read.ptr == end)
        return whole;
    double real = 0;
    if (const auto read = std::from_chars(word.data(), end, real); read.ec == std::errc{} && read.ptr == end)
        return real;
    return std::string(word);
}

std::string keys_text() {
    std::string text;
    for (const std::string_view key : training_keys) text += (text.empty() ? "" : ", ") + std::string(key);
    return text;
}

// Sets one training field of a phase.
void set_training(TrainingSpec& training, const std::string& key, const ParameterValue& value,
                  const std::string& path, Diagnostics& problems) {
    const ParameterDescription& description = *find_parameter(training_parameters(), key);
    const ParameterValue typed = coerced(description, value);
    if (std::optional<Diagnostic> broken = check_parameter(description, typed, path))
        problems.push_back(*std::move(broken));
    else
        set_training_value(training, key, typed);
}

// Sets one parameter of all layers of a mixer.
void set_layers(ArchitectureSpec& architecture, const MixerKind& kind, const std::string& key,
                const ParameterValue& value, const std::string& path, const MixerCatalog& catalog,
                Diagnostics& problems) {
    const ParameterDescription* description = find_parameter(kind.description().parameters, key);
    if (description == nullptr) {
        problems.push_back({.path = path,
                            .rule = "is not a parameter of " + kind.description().title,
                            .found = to_text(value)});
        return;
    }
    const ParameterValue typed = coerced(*description, value);
    if (std::optional<Diagnostic> broken = check_parameter(*description, typed, path)) {
        problems.push_back(*std::move(broken));
        return;
    }
    bool found = false;
    for (std::size_t l = 0; l < architecture.layers.size(); ++l) {
        const LayerId id = architecture.layers[l].id;
        for (std::size_t g = 0; g < architecture.layers[l].groups.size(); ++g) {
            if (architecture.layers[l].groups[g].mixer != kind.description().id) continue;
            found = true;
            architecture = set_parameter(std::move(architecture), id, g, key, typed, catalog);
        }
    }
    if (!found)
        problems.push_back(
            {.path = path, .rule = "needs a layer of " + kind.description().title, .found = to_text(value)});
}

void apply(const TrainingPhase& phase, const std::string& path, ResolvedPhase& resolved,
           const MixerCatalog& catalog, Diagnostics& problems) {
    for (const auto& [key, value] : phase.set)
        apply_setting(key, value, path + "." + key, resolved, catalog, problems);
}

}  // namespace

std::span<const std::string_view> phase_training_keys() { return training_keys; }

void apply_setting(const std::string& key, const ParameterValue& value, const std::string& path,
                   ResolvedPhase& resolved, const MixerCatalog& catalog, Diagnostics& problems) {
    const std::size_t dot = key.find('.');
    if (std::find(training_keys.begin(), training_keys.end(), key) != training_keys.end())
        set_training(resolved.training, key, value, path, problems);
    else if (key.starts_with(data_prefix))
        resolved.data.parameters.set(key.substr(data_prefix.size()), value);
    else if (const MixerKind* kind = catalog.find(std::string_view(key).substr(0, std::min(dot, key.size())));
             kind != nullptr && dot != std::string::npos)
        set_layers(resolved.architecture, *kind, key.substr(dot + 1), value, path, catalog, problems);
    else
        problems.push_back({.path = path,
                            .rule = "is nothing that a phase or an axis can change: " + keys_text() +
                                    ", data.PARAMETER, MIXER.PARAMETER",
                            .found = to_text(value)});
}

Json to_json(const TrainingPhase& phase) {
    Json json = Json::object();
    if (!phase.name.empty()) json["name"] = phase.name;
    for (const auto& [key, value] : phase.set) json[key] = to_json(value);
    return json;
}

Checked<TrainingPhase> phase_from_json(const Json& json) {
    Diagnostics problems;
    TrainingPhase phase;
    JsonReader reader(json, "", problems);
    if (!reader.is_object()) return tl::unexpected(std::move(problems));
    reader.text("name", phase.name);
    for (const auto& [key, value] : json.items()) {
        if (key == "name") continue;
        if (auto read = parameter_from_json(value, ""))
            phase.set.set(key, *std::move(read));
        else
            reader.add(key, std::move(read.error()));
    }
    if (problems.empty() && phase.set.find("steps") == nullptr)
        problems.push_back({.path = "steps", .rule = "must be given: how long the phase takes", .found = ""});
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return phase;
}

Checked<TrainingPhase> parse_phase(std::string_view text) {
    Diagnostics problems;
    TrainingPhase phase;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
            problems.push_back({.path = "--phase",
                                .rule = "must be key=value, separated by commas",
                                .found = std::string(part)});
            continue;
        }
        const std::string key(part.substr(0, equals));
        if (key == "name")
            phase.name = std::string(part.substr(equals + 1));
        else
            phase.set.set(key, value_of_word(part.substr(equals + 1)));
    }
    if (problems.empty() && phase.set.find("steps") == nullptr)
        problems.push_back(
            {.path = "--phase", .rule = "must have steps=N: how long it takes", .found = to_text(phase)});
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return phase;
}

std::string to_text(const TrainingPhase& phase) {
    std::string text = phase.name.empty() ? std::string() : "name=" + phase.name;
    for (const auto& [key, value] : phase.set) text += (text.empty() ? "" : ",") + key + "=" + to_text(value);
    return text;
}

Checked<std::vector<ResolvedPhase>> resolve_phases(const ArchitectureSpec& architecture,
                                                   const TrainingSpec& training, const DataSpec& data,
                                                   std::span<const TrainingPhase> phases,
                                                   const MixerCatalog& catalog) {
    Diagnostics problems;
    std::vector<ResolvedPhase> resolved = {
        {.name = {}, .first = Step(0), .architecture = architecture, .training = training, .data = data}};
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const std::string path = "phases[" + std::to_string(i) + "]";
        ResolvedPhase next = resolved.back();
        next.name = phases[i].name;
        next.first = resolved.back().end();
        // A schedule of its own: the warm-up of the beginning is not repeated unless asked for.
        next.training.warmup_steps = 0;
        const std::size_t before = problems.size();
        if (phases[i].set.find("steps") == nullptr)
            problems.push_back(
                {.path = path + ".steps", .rule = "must be given: how long the phase takes", .found = ""});
        apply(phases[i], path, next, catalog, problems);
        if (problems.size() == before) {
            for (Diagnostic problem : validate(next.training)) {
                problem.path = path + "." + problem.path;
                problems.push_back(std::move(problem));
            }
            for (Diagnostic problem : validate(next.architecture, catalog)) {
                problem.path = path + "." + problem.path;
                problems.push_back(std::move(problem));
            }
        }
        resolved.push_back(std::move(next));
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return resolved;
}

std::size_t phase_at(std::span<const ResolvedPhase> phases, Step done) {
    for (std::size_t i = 0; i + 1 < phases.size(); ++i)
        if (done < phases[i].end()) return i;
    return phases.size() - 1;
}

Step total_steps(std::span<const ResolvedPhase> phases) { return phases.back().end(); }

TokenCount tokens_after(std::span<const ResolvedPhase> phases, Step done) {
    std::int64_t tokens = 0;
    for (const ResolvedPhase& phase : phases) {
        const std::int64_t steps =
            std::clamp<std::int64_t>(done.value - phase.first.value, 0, phase.training.steps);
        tokens += steps * phase.training.tokens_per_step();
    }
    return TokenCount(tokens);
}

namespace {

// The whole number that a phase sets, or what it was before.
std::int64_t whole(const TrainingPhase& phase, std::string_view key, std::int64_t before) {
    const ParameterValue* value = phase.set.find(key);
    if (value == nullptr) return before;
    const ParameterValue typed = coerced(*find_parameter(training_parameters(), key), *value);
    const auto* number = std::get_if<std::int64_t>(&typed);
    return number == nullptr ? before : *number;
}

}  // namespace

std::int64_t total_steps(const TrainingSpec& training, std::span<const TrainingPhase> phases) {
    std::int64_t steps = training.steps;
    for (const TrainingPhase& phase : phases) steps += whole(phase, "steps", 0);
    return steps;
}

TokenCount tokens_after(const TrainingSpec& training, std::span<const TrainingPhase> phases, Step done) {
    std::int64_t context = training.context, batch = training.batch, left = done.value;
    std::int64_t tokens = 0;
    const auto pass = [&](std::int64_t steps) {
        tokens += std::clamp<std::int64_t>(left, 0, steps) * context * batch;
        left -= steps;
    };
    pass(training.steps);
    for (const TrainingPhase& phase : phases) {
        context = whole(phase, "context", context);
        batch = whole(phase, "batch", batch);
        pass(whole(phase, "steps", 0));
    }
    return TokenCount(tokens);
}

}  // namespace braid
