#include "app/engine/verbs/measure_target.h"

#include "app/engine/cli/project_argument.h"
#include "core/engine/device.h"
#include "core/spec/data_kinds.h"

namespace braid::cli {

Result<MeasureInput> measure_input(const EvalTarget& target, const CheckpointChoice& choice,
                                   const MeasurementKind& kind, ParameterValues values) {
    MeasureInput input{.kind = kind,
                       .values = std::move(values),
                       .checkpoint = choice.origin,
                       .architecture = choice.architecture,
                       .run = choice.run,
                       .plan = plan_of(choice),
                       .project_folder = choice.run ? project_folder_of(*choice.run) : std::string(),
                       .trained_context = trained_context(choice)};
    const bool of_task = input.plan && input.plan->data.kind != corpus_kind;
    if (!of_task && knows_tokenizer(target, choice)) {
        Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(target, choice);
        if (!tokenizer) return fail(std::move(tokenizer.error()));
        input.tokenizer = std::move(*tokenizer);
    }
    input.on_cpu = target.device == "cpu" || (target.device == "auto" && !has_nvidia_driver());
    return input;
}

}  // namespace braid::cli
