// measure: how a checkpoint does what it does. A verb for each kind of core/spec/measurements.def, with its
// parameters as options.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/compute_type.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/measure_target.h"
#include "app/engine/verbs/measure_text.h"
#include "app/engine/verbs/verbs.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/engine/device.h"
#include "core/engine/open_model.h"
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

// A place where nothing can be written is an error before any time is spent.
Result<std::string> answers_folder(const CheckpointChoice& choice) {
    std::string folder =
        choice.run ? choice.run->measurements_folder() : choice.origin.folder + "/measurements";
    if (Result<void> made = make_folder(folder); !made) return fail(std::move(made.error()));
    if (::access(folder.c_str(), W_OK) != 0)
        return fail(error_from_errno(errno, "measurements cannot be kept", folder));
    return folder;
}

Result<void> measure_verb(const MeasureOptions& options) {
    const EvalTarget& target = options.target;
    const Checked<ParameterValues> values = values_of(options);
    if (!values) return fail(to_error(values.error()));
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    Result<MeasureInput> made = measure_input(target, *choice, *options.kind, *values);
    if (!made) return fail(std::move(made.error()));
    MeasureInput& input = *made;
    if (!target.corpus.empty() || !corpus_of(*choice).empty()) {
        Result<Corpus> corpus = target_corpus(target, *choice);
        if (!corpus) return fail(std::move(corpus.error()));
        input.corpus = std::move(*corpus);
    }
    input.allow_long = options.allow_long;
    const Result<std::string> folder = answers_folder(*choice);
    if (!folder) return fail(folder.error());

    std::shared_ptr<Ops> ops;
    std::string compute_type;
    input.open = [&](const std::string& checkpoint, bool trainable) -> Result<std::unique_ptr<Model>> {
        if (!ops) {
            Result<std::shared_ptr<Ops>> opened = open_device(target.device, target.threads);
            if (!opened) return fail(std::move(opened.error()));
            ops = std::move(*opened);
        }
        Result<std::unique_ptr<Model>> model = open_model(checkpoint, ops, trainable);
        if (model) compute_type = compute_type_of(**model);
        return model;
    };
    input.find = [&](const std::string& text) {
        return find_checkpoint(text, target.project).map([](const CheckpointChoice& found) {
            return found.origin;
        });
    };
    Progress bar(target.quiet);
    input.progress = [&](double fraction, const std::string& text) {
        bar.update(fraction, text);
        return !stop_requested().load();
    };
    Result<MeasuredRecord> measured = measure(input);
    if (!measured) return fail(std::move(measured.error()));
    MeasurementRecord& record = measured->record;
    record.created = utc_now();
    record.command = command_text(*target.verb);
    if (!compute_type.empty()) record.settings["compute_type"] = compute_type;
    const Result<std::string> file = write_measurement(*folder, record);
    if (!file) return fail(file.error());
    if (target.json) {
        Json answer = to_json(record);
        answer["file"] = *file;
        answer.update(measured->answer);
        print(answer);
    } else {
        print(measurement_text(record) + "Kept in " + *file + "\n");
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
