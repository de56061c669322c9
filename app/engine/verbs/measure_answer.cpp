#include "app/engine/verbs/measure_answer.h"

#include <unistd.h>

#include <cerrno>

#include "app/engine/verbs/compute_type.h"
#include "app/engine/verbs/measure_target.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/engine/device.h"
#include "core/engine/open_model.h"

namespace braid::cli {

std::string measurements_folder(const CheckpointChoice& choice) {
    return choice.run ? choice.run->measurements_folder() : choice.origin.folder + "/measurements";
}

Result<MeasureAnswer> measure_checkpoint(const EvalTarget& target, const CheckpointChoice& choice,
                                         const MeasurementKind& kind, ParameterValues values, bool allow_long,
                                         const std::string& command,
                                         std::function<bool(double, const std::string&)> progress) {
    Result<MeasureInput> made = measure_input(target, choice, kind, std::move(values));
    if (!made) return fail(std::move(made.error()));
    MeasureInput& input = *made;
    if (!target.corpus.empty() || !corpus_of(choice).empty()) {
        Result<Corpus> corpus = target_corpus(target, choice);
        if (!corpus) return fail(std::move(corpus.error()));
        input.corpus = std::move(*corpus);
    }
    input.allow_long = allow_long;
    const std::string folder = measurements_folder(choice);
    if (Result<void> there = make_folder(folder); !there) return fail(std::move(there.error()));
    if (::access(folder.c_str(), W_OK) != 0)
        return fail(error_from_errno(errno, "measurements cannot be kept", folder));

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
    input.progress = std::move(progress);
    Result<MeasuredRecord> measured = measure(input);
    if (!measured) return fail(std::move(measured.error()));
    MeasureAnswer kept{.record = std::move(measured->record), .answer = std::move(measured->answer)};
    kept.record.created = utc_now();
    kept.record.command = command;
    if (!compute_type.empty()) kept.record.settings["compute_type"] = compute_type;
    Result<std::string> file = write_measurement(folder, kept.record);
    if (!file) return fail(std::move(file.error()));
    kept.file = std::move(*file);
    return kept;
}

}  // namespace braid::cli
