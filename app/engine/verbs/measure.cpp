// measure: how a checkpoint does what it does. A verb for each kind of core/spec/measurements.def, with its
// parameters as options.
#include <algorithm>
#include <map>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/measure_answer.h"
#include "app/engine/verbs/measure_text.h"
#include "app/engine/verbs/verbs.h"
#include "core/measure/mechanism/measurement.h"

namespace braid::cli {
namespace {

struct MeasureOptions {
    EvalTarget target;
    const MeasurementKind* kind = nullptr;
    std::map<std::string, std::string> values = {};  // by key of the parameter, as given
    bool allow_long = false;
};

std::string option_name(const std::string& key) {
    std::string name = "--" + key;
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

Checked<ParameterValues> values_of(const MeasureOptions& options) {
    ParameterValues values;
    Diagnostics problems;
    for (const ParameterDescription& parameter : options.kind->parameters) {
        const auto given = options.values.find(parameter.key);
        if (given == options.values.end() || given->second.empty()) continue;
        Checked<ParameterValue> value = parse_parameter(parameter, given->second, option_name(parameter.key));
        if (value)
            values.set(parameter.key, std::move(*value));
        else
            problems.insert(problems.end(), value.error().begin(), value.error().end());
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return values;
}

Result<void> measure_verb(const MeasureOptions& options) {
    const EvalTarget& target = options.target;
    const Checked<ParameterValues> values = values_of(options);
    if (!values) return fail(to_error(values.error()));
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    Progress bar(target.quiet);
    const Result<MeasureAnswer> kept =
        measure_checkpoint(target, *choice, *options.kind, *values, options.allow_long,
                           command_text(*target.verb), [&](double fraction, const std::string& text) {
                               bar.update(fraction, text);
                               return !stop_requested().load();
                           });
    if (!kept) return fail(kept.error());
    if (target.json) {
        Json answer = to_json(kept->record);
        answer["file"] = kept->file;
        answer.update(kept->answer);
        print(answer);
    } else {
        print(measurement_text(kept->record) + "Kept in " + kept->file + "\n");
    }
    return {};
}

void add_kind(CommandLine& line, CLI::App& measure, const MeasurementKind& kind) {
    const auto options = std::make_shared<MeasureOptions>();
    options->kind = &kind;
    std::string example = "braid-engine measure ";
    example.append(kind.id).append(" a91f --json");
    CLI::App& verb = line.verb(measure,
                               {.name = kind.id,
                                .summary = kind.title + ". " + kind.help,
                                .example = example,
                                .details = "After: " + kind.citation +
                                           ". The answer is kept in the run's measurements folder; the same "
                                           "settings replace it."},
                               [options] { return measure_verb(*options); });
    add_target_options(verb, options->target);
    add_text_options(verb, options->target);
    for (const ParameterDescription& parameter : kind.parameters) {
        std::string& value = options->values[parameter.key];
        const std::string shown = to_text(parameter.default_value);
        CLI::Option* option = verb.add_option(option_name(parameter.key), value,
                                              parameter.help + (shown.empty() ? "" : " (" + shown + ")"));
        if (!parameter.choices.empty()) option->check(CLI::IsMember(parameter.choices));
    }
    verb.add_flag("--allow-long", options->allow_long,
                  "Texts longer than " + std::to_string(longest_on_cpu) + " tokens on a CPU, too");
}

}  // namespace

void add_measure(CommandLine& line) {
    CLI::App& measure =
        line.group("measure", "How a checkpoint works: which layers and heads reach far, and when");
    for (const MeasurementKind* kind : measurements()) add_kind(line, measure, *kind);
}

}  // namespace braid::cli
