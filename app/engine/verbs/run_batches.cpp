// run batches: the tokens that a run trains on, for training the same with other software.
#include <algorithm>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/run_verbs.h"
#include "core/base/npy.h"
#include "core/data/batch.h"
#include "core/mixers/builtin.h"

namespace braid::cli {
namespace {

struct BatchesOptions {
    std::string run, project, out;
    std::int64_t first = 0;
    std::int64_t steps = 0;  // 0: to the end of the phase
    bool json = false;
    bool quiet = false;
};

Result<void> batches(const BatchesOptions& options) {
    const Result<RunFolder> folder = find_run(options.run, options.project);
    if (!folder) return fail(folder.error());
    const Result<RunPlan> plan = folder->plan();
    if (!plan) return fail(plan.error());
    const auto phases =
        resolve_phases(plan->architecture, plan->training, plan->data, plan->phases, builtin_mixers());
    if (!phases) return fail(to_error(phases.error(), folder->plan_file()));
    const ResolvedPhase& phase = (*phases)[phase_at(*phases, Step(options.first))];
    const std::int64_t left = phase.end().value - options.first;
    const std::int64_t steps = options.steps > 0 ? options.steps : left;
    Diagnostics problems;
    if (left < 1)
        problems.push_back(
            {.path = "--first",
             .rule = "must be below " + std::to_string(phase.end().value) + ", the run's steps",
             .found = std::to_string(options.first)});
    else if (steps > left)
        problems.push_back({.path = "--steps",
                            .rule = "must be at most " + std::to_string(left) +
                                    ", those that the run's phase has from there on",
                            .found = std::to_string(steps)});
    if (!problems.empty()) return fail(to_error(problems));
    const Result<std::unique_ptr<DataSource>> data =
        make_data_source(phase.data, phase.training, project_folder_of(*folder));
    if (!data) return fail(data.error());

    const std::int64_t sequences = phase.training.batch, context = phase.training.context;
    const bool starts = (*data)->separate_documents();
    const std::vector<std::int64_t> shape{steps, starts ? 3 : 2, sequences, context};
    std::vector<std::int32_t> starts_BT(starts ? std::size_t(sequences * context) : 0);
    Result<NpyWriter> out = NpyWriter::create(options.out, shape, NpyType::int32);
    if (!out) return fail(std::move(out.error()));
    Progress bar(options.quiet);
    for (std::int64_t i = 0; i < steps; ++i) {
        if (stop_requested().load())
            return fail(ErrorKind::interrupted, "stopped; no batches were written", options.out);
        const Result<Batch> batch = (*data)->batch(Step(options.first + i), 0, sequences);
        if (!batch) return fail(batch.error());
        for (const std::vector<std::int32_t>* part : {&batch->tokens_BT, &batch->targets_BT})
            if (Result<void> written = out->write(*part); !written) return written;
        if (starts) {
            document_starts(batch->tokens_BT, context, (*data)->document_token(), starts_BT);
            if (Result<void> written = out->write(starts_BT); !written) return written;
        }
        bar.update(double(i + 1) / double(steps),
                   std::to_string(i + 1) + " of " + std::to_string(steps) + " steps");
    }
    if (Result<void> finished = out->finish(); !finished) return finished;
    if (options.json) {
        print(Json{{"file", options.out}, {"first", options.first}, {"shape", shape}, {"type", "int32"}});
        return {};
    }
    std::string text = options.out + ": int32 [";
    for (const std::int64_t size : shape)
        text.append(text.back() == '[' ? "" : ", ").append(std::to_string(size));
    print(text.append("]\n"));
    return {};
}

}  // namespace

void add_run_batches(CommandLine& line, CLI::App& run) {
    const auto options = std::make_shared<BatchesOptions>();
    CLI::App& verb = line.verb(
        run,
        {.name = "batches",
         .summary = "The tokens that a run trains on, for training the same with other software",
         .example = "braid-engine run batches a91f --steps 300 --out batches.npy\n"
                    "braid-engine export safetensors a91f@0 start    # its weights before the first step",
         .details =
             "Writes int32 [steps, 2, B, T]: of each step the tokens of its sequences, then the target of "
             "each "
             "token, -1 where none counts. Where documents do not see each other, [steps, 3, B, T]: also the "
             "place in the sequence at which the document of each token begins. The weights of step 0 are "
             "there where the run was trained with --set trace_checkpoints=2 or more; --from starts a run "
             "from given weights."},
        [options] { return batches(*options); });
    verb.add_option("RUN", options->run, run_help)->required();
    verb.add_option("--out", options->out, "NumPy file to write")->required()->type_name("FILE.npy");
    verb.add_option("--first", options->first, "Steps done before the first one")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
        ->capture_default_str();
    verb.add_option("--steps", options->steps, "How many (all that are left of the phase)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
    add_project_option(verb, options->project);
    add_quiet_option(verb, options->quiet);
    add_json_option(verb, options->json);
}

}  // namespace braid::cli
