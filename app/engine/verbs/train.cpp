// train: makes a run and trains it, or goes on with one.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/engine/cli/checkpoint_argument.h"
#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/run_json.h"
#include "app/engine/cli/settings.h"
#include "app/engine/cli/signals.h"
#include "app/engine/cli/spec_argument.h"
#include "app/engine/cli/training_text.h"
#include "app/engine/verbs/reference_keys.h"
#include "app/engine/verbs/train_ranks.h"
#include "app/engine/verbs/verbs.h"
#include "core/base/count.h"
#include "core/data/batch.h"
#include "core/engine/trainer.h"
#include "core/engine/training_run.h"
#include "core/launch/launcher.h"
#include "core/mixers/builtin.h"
#include "core/spec/cost.h"
#include "core/spec/paper_recipe.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "core/spec/window_notes.h"

namespace braid::cli {
namespace {

struct TrainOptions {
    std::string target;  // SPEC or RUN
    std::string data = "recall";
    std::string tokens, scale, device, name, project, from, recipe, reference;
    double ratio = 100;
    std::vector<std::string> phases;
    std::int64_t context = 0;
    std::int64_t vocab = 0;
    std::int64_t seed = -1;
    std::int64_t gpus = 0;  // 0: not given
    std::vector<std::string> settings;
    bool detach = false;
    bool json = false;
    bool quiet = false;
};

struct Planned {
    TrainingSpec training;
    DataSpec data;
    std::vector<TrainingPhase> phases;
};

// The N of a budget: that of the scale's Full model.
std::int64_t non_embedding_parameters(const Scale& scale) {
    const ArchitectureSpec full = instantiate(parse_pattern("F", builtin_mixers()).value(), scale);
    return cost(full, builtin_mixers(), paper_context).non_embedding_parameters;
}

// Everything of the command line but SPEC, with all its problems.
Planned plan_training(const TrainOptions& options, Diagnostics& problems) {
    Planned planned;
    const auto take = [&problems](const Diagnostics& more) {
        problems.insert(problems.end(), more.begin(), more.end());
    };
    if (Checked<DataSpec> data = parse_data(options.data))
        planned.data = std::move(*data);
    else
        take(data.error());
    if (options.recipe == "paper") {
        const Scale* scale = find_scale(options.scale);
        const auto recipe =
            scale == nullptr ? std::nullopt
                             : paper_training(scale->name, non_embedding_parameters(*scale), options.ratio);
        if (recipe)
            planned.training = *recipe;
        else
            problems.push_back({.path = "--recipe",
                                .rule = "paper needs --scale S1, S2, S3, S4 or S5",
                                .found = options.scale});
    } else if (planned.data.kind == "corpus") {
        planned.training.context = 1'024;
    }
    for (const std::string& text : options.phases) {
        if (text == paper_extension_name)
            planned.phases.push_back(paper_extension());
        else if (Checked<TrainingPhase> phase = parse_phase(text))
            planned.phases.push_back(std::move(*phase));
        else
            take(phase.error());
    }
    if (options.context > 0) planned.training.context = options.context;
    if (options.seed >= 0) planned.training.seed = static_cast<std::uint64_t>(options.seed);
    if (!options.device.empty()) planned.training.device = options.device;
    if (options.gpus > 0) planned.training.gpus = options.gpus;
    take(apply_settings(options.settings, planned.training, planned.data));
    const auto given = [&options](std::string_view key) {
        return std::any_of(options.settings.begin(), options.settings.end(),
                           [&](const std::string& s) { return s.starts_with(std::string(key) + "="); });
    };
    if (const Scale* scale = find_scale(options.scale);
        scale != nullptr && !options.recipe.empty() && !given("steps"))
        // The budget holds for whatever a step was made to be.
        planned.training.steps = std::max<std::int64_t>(
            1,
            std::llround(options.ratio * static_cast<double>(non_embedding_parameters(*scale)) /
                         static_cast<double>(std::max<std::int64_t>(1, planned.training.tokens_per_step()))));
    // A file of the command line lies where the command was given.
    if (const ParameterValue* keys = planned.data.parameters.find("key_tokens"))
        if (const auto* file = std::get_if<std::string>(keys); file != nullptr && !file->empty())
            planned.data.parameters.set("key_tokens",
                                        std::filesystem::absolute(*file).lexically_normal().string());
    if (!options.tokens.empty()) {
        const Checked<std::int64_t> tokens = parse_count(options.tokens, "--tokens");
        if (!tokens)
            take(tokens.error());
        else if (const std::int64_t per_step = planned.training.tokens_per_step(); per_step > 0)
            planned.training.steps = std::max<std::int64_t>(1, (*tokens + per_step - 1) / per_step);
    }
    // A short run warms up within it: the default is for runs of hundreds of steps.
    if (!given("warmup_steps"))
        planned.training.warmup_steps = std::min(planned.training.warmup_steps, planned.training.steps / 10);
    take(validate(planned.training));
    return planned;
}

std::string command_of(const TrainOptions& options) {
    std::string command =
        "braid-engine train " + shell_word(options.target) + " --data " + shell_word(options.data);
    const auto add = [&command](const std::string& flag, const std::string& value) {
        if (!value.empty()) command += " " + flag + " " + shell_word(value);
    };
    add("--tokens", options.tokens);
    add("--scale", options.scale);
    if (options.context > 0) add("--context", std::to_string(options.context));
    if (options.vocab > 0) add("--vocab", std::to_string(options.vocab));
    if (options.seed >= 0) add("--seed", std::to_string(options.seed));
    add("--device", options.device);
    if (options.gpus > 0) add("--gpus", std::to_string(options.gpus));
    for (const std::string& setting : options.settings) add("--set", setting);
    add("--recipe", options.recipe);
    if (!options.recipe.empty()) add("--ratio", to_text(ParameterValue(options.ratio)));
    add("--from", options.from);
    add("--reference", options.reference);
    for (const std::string& phase : options.phases) add("--phase", phase);
    add("--name", options.name);
    return command;
}

// Key tokens that the reference finds in the corpus' validation texts, for log LongPPL at each evaluation.
Result<void> take_reference(const TrainOptions& options, const std::string& project, Planned& planned) {
    const std::string folder = (std::filesystem::path(project) / planned.data.corpus).string();
    const Result<Corpus> corpus = Corpus::open(folder);
    if (!corpus) return fail(corpus.error());
    const Result<std::string> file =
        cached_reference_keys({.reference = options.reference,
                               .project = project,
                               .rule = rule_for_context(planned.training.context),
                               .device = planned.training.device,
                               .quiet = options.quiet},
                              *corpus);
    if (!file) return fail(file.error());
    // Relative to the project, so that it can be moved.
    planned.data.parameters.set("key_tokens",
                                std::filesystem::path(*file).lexically_relative(project).string());
    // No key token in them is an error now, not at the first evaluation.
    const Result<std::unique_ptr<DataSource>> data =
        make_data_source(planned.data, planned.training, project);
    if (!data) return fail(data.error());
    return {};
}

// What a later phase cannot read is said before the first one trains.
Result<void> check_phase_data(std::size_t number, const ResolvedPhase& phase, const std::string& project) {
    const Result<std::unique_ptr<DataSource>> data = make_data_source(phase.data, phase.training, project);
    if (data) return {};
    Error error = data.error();
    error.message.insert(0, "phases[" + std::to_string(number) + "]: ");
    error.kind = ErrorKind::invalid_input;
    return fail(std::move(error));
}

Result<RunFolder> make_run(const TrainOptions& options) {
    Diagnostics problems;
    Planned planned = plan_training(options, problems);
    if (!options.reference.empty() && planned.data.kind != "corpus")
        problems.push_back({.path = "--reference",
                            .rule = "finds key tokens in the text of a corpus: give --data DIR",
                            .found = options.data});
    if (!options.reference.empty() && planned.data.parameters.find("key_tokens") != nullptr)
        problems.push_back(
            {.path = "--reference",
             .rule = "finds the key tokens that data.key_tokens names already: give one of them",
             .found = options.reference});
    SpecRequest request{.text = options.target, .scale = options.scale, .vocab = options.vocab};
    if (const Result<Project> present = find_project(options.project))
        request.project_folder = present->folder();
    else if (!options.project.empty())
        return fail(present.error());
    if (problems.empty()) {
        // The data first: they say which vocabulary a pattern gets.
        const Result<std::unique_ptr<DataSource>> data =
            make_data_source(planned.data, planned.training, request.project_folder);
        if (!data) return fail(data.error());
        request.needed_vocab = (*data)->vocab();
        Progress progress(options.quiet);
        for (const std::string& note : (*data)->notes()) progress.say("Note: " + note);
    }
    std::optional<CheckpointChoice> from;
    if (!options.from.empty()) {
        Result<CheckpointChoice> found = find_checkpoint(options.from, options.project);
        if (!found) return fail(found.error());
        from = std::move(*found);
        request.vocab = options.vocab > 0 ? options.vocab : from->architecture.vocab;
    }
    Result<ArchitectureSpec> architecture = from && options.target == "same"
                                                ? Result<ArchitectureSpec>(from->architecture)
                                                : resolve_spec(request);
    if (!problems.empty() || !architecture) {
        std::string message = problems.empty() ? "" : to_error(problems).message;
        if (!architecture) message += (message.empty() ? "" : "\n") + describe(architecture.error());
        return fail(problems.empty() ? architecture.error().kind : ErrorKind::invalid_input, message);
    }
    if (request.needed_vocab > architecture->vocab)
        return fail(to_error({{.path = "vocab",
                               .rule = "must be at least " + std::to_string(request.needed_vocab) +
                                       ", the vocabulary of the data",
                               .found = std::to_string(architecture->vocab)}}));
    if (const Diagnostics wrong = validate(TrainerSetup{.architecture = *architecture,
                                                        .training = planned.training,
                                                        .data = planned.data,
                                                        .phases = planned.phases});
        !wrong.empty())
        return fail(to_error(wrong));
    Progress notes(options.quiet);
    if (const auto phases =
            resolve_phases(*architecture, planned.training, planned.data, planned.phases, builtin_mixers()))
        for (std::size_t i = 0; i < phases->size(); ++i) {
            if (const Result<void> read =
                    i > 0 ? check_phase_data(i - 1, (*phases)[i], request.project_folder) : Result<void>();
                !read)
                return fail(read.error());
            for (const std::string& note :
                 window_notes((*phases)[i].architecture, builtin_mixers(), (*phases)[i].training.context))
                notes.say("Note: " + (i == 0 ? note : "phase " + std::to_string(i + 1) + ", " + note));
        }
    // Made only now: a mistake leaves nothing behind.
    const Result<Project> project = find_or_make_project(options.project);
    if (!project) return fail(project.error());
    if (!options.reference.empty())
        if (const Result<void> taken = take_reference(options, project->folder(), planned); !taken)
            return fail(taken.error());
    RunPlan plan{.name = options.name,
                 .architecture = std::move(*architecture),
                 .training = planned.training,
                 .data = planned.data,
                 .phases = planned.phases,
                 .weights_from = from ? std::optional(from->origin) : std::nullopt,
                 .command = command_of(options)};
    return project->add_run(std::move(plan));
}

Result<void> detach(const RunFolder& folder, const TrainOptions& options) {
    const Result<EngineProcess> process = start_run(folder);
    if (!process) return fail(process.error());
    if (!options.json) print(folder.path() + "\n");
    print_line({{"run", folder.name()},
                {"folder", folder.path()},
                {"state", "running"},
                {"pid", process->identity().pid}});
    return {};
}

Result<void> train_here(const RunFolder& folder, const TrainOptions& options, RunRanks& ranks) {
    if (!options.json) print(folder.path() + "\n");
    Progress progress(options.quiet);
    const Result<TrainingOutcome> outcome = train_run(
        folder, {.project_folder = project_folder_of(folder),
                 .stop_requested = &stop_requested(),
                 .progress =
                     [&progress](const TrainingProgress& now) {
                         progress.update(progress_fraction(now), progress_text(now));
                     },
                 .message = [&progress](const std::string& text) { progress.say(text); },
                 .join_ranks =
                     [&](const RunPlan& plan) {
                         return ranks.join(folder, options.gpus > 0 ? options.gpus : plan.training.gpus);
                     }});
    if (!outcome) return fail(outcome.error());
    print_line(outcome_json(folder, *outcome));
    if (outcome->state == RunState::finished) return {};
    return fail(ErrorKind::interrupted,
                "stopped at step " + std::to_string(outcome->step.value) + "; the work is saved",
                folder.path(), "Go on with: braid-engine train " + shell_word(folder.path()));
}

// What belongs to the plan of a new run, and would be passed over in silence.
Result<void> refuse_plan_options(const RunFolder& run, const TrainOptions& options) {
    Diagnostics problems;
    for (const auto& [option, given] : {std::pair{"--set", !options.settings.empty()},
                                        {"--phase", !options.phases.empty()},
                                        {"--tokens", !options.tokens.empty()},
                                        {"--scale", !options.scale.empty()},
                                        {"--context", options.context != 0},
                                        {"--vocab", options.vocab != 0},
                                        {"--seed", options.seed >= 0},
                                        {"--recipe", !options.recipe.empty()},
                                        {"--from", !options.from.empty()},
                                        {"--reference", !options.reference.empty()},
                                        {"--name", !options.name.empty()}})
        if (given)
            problems.push_back({.path = option,
                                .rule = "is for a new run; " + run.name() +
                                        " has its plan, of which `run resume --set` can change parts",
                                .found = {}});
    if (!problems.empty()) return fail(to_error(problems));
    return {};
}

Result<void> train_as_first(const TrainOptions& options, RunRanks& ranks) {
    if (options.detach && ranks.launched())
        return fail(ErrorKind::invalid_input, "--detach starts one process, not the ranks of a launcher");
    if (const RunFolder existing(options.target); existing.exists()) {
        if (options.detach && options.gpus > 0)
            return fail(ErrorKind::invalid_input,
                        "--gpus of a run that is there holds for one attempt, not with --detach", {},
                        "Change the run: braid-engine run resume RUN --set gpus=N");
        if (Result<void> fits = refuse_plan_options(existing, options); !fits) return fits;
        return options.detach ? detach(existing, options) : train_here(existing, options, ranks);
    }
    const Result<RunFolder> folder = make_run(options);
    if (!folder) return fail(folder.error());
    return options.detach ? detach(*folder, options) : train_here(*folder, options, ranks);
}

Result<void> train(const TrainOptions& options) {
    const Result<RankPlace> place = rank_place_of_process();
    if (!place) return fail(place.error());
    if (place->rank > 0) return follow(*place);
    Result<RunRanks> ranks = RunRanks::open(*place);
    if (!ranks) return fail(std::move(ranks.error()));
    Result<void> trained = train_as_first(options, *ranks);
    if (!trained && trained.error().kind != ErrorKind::interrupted) ranks->end_failed(trained.error());
    return trained;
}

}  // namespace

void add_train(CommandLine& line) {
    const auto options = std::make_shared<TrainOptions>();
    CLI::App& verb = line.verb(
        line.root(),
        {.name = "train",
         .summary = "Train an architecture, or go on with a run",
         .example =
             "braid-engine train \"FS[w=16] x2\" --data recall --tokens 2.5M --set init=normal\nbraid-engine "
             "train \"FS x2\" --data corpus/novels --context 1024 --set batch=4 --detach\nbraid-engine train "
             "SF --scale S1 --recipe paper --data corpus/mix --phase "
             "paper-32k\nbraid-engine train \"F[nope]S x2\" --from a91f "
             "--tokens 1M\nbraid-engine train runs/a91f",
         .details =
             "Makes runs/<id> in the project, prints the folder and trains. A run folder in place of SPEC "
             "goes on from its last checkpoint. The last line on stdout is JSON: run, tokens, loss, "
             "tokens_per_s, seconds. SIGINT saves and stops (exit code 130).\n\nSeveral processes train one "
             "run "
             "where torchrun, srun or mpirun starts them, or --gpus: each computes its part of every "
             "micro-batch, rank 0 owns the run folder and prints. On the CPU: mpirun -n 2 braid-engine train "
             "...\n\n" +
             settings_help()},
        [options] { return train(*options); });
    verb.add_option("SPEC", options->target, std::string(spec_help) + "; or a run folder")->required();
    verb.add_option("--data", options->data, "Task (" + task_ids() + "), or a corpus folder")
        ->capture_default_str()
        ->type_name("TASK|DIR");
    verb.add_option("--tokens", options->tokens, "Tokens to train on: 2.5M, 1e9 (rounded up to whole steps)")
        ->type_name("N");
    verb.add_option("--scale", options->scale, "Dimensions of a pattern or preset: tiny, S1 .. S5")
        ->type_name("SCALE");
    verb.add_option("--context", options->context, "Tokens of a sequence (128; on a corpus 1024)")
        ->type_name("N");
    verb.add_option("--vocab", options->vocab, "Vocabulary; without it that of the data")->type_name("N");
    verb.add_option("--seed", options->seed, "Of weights and data (1)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53))
        ->type_name("N");
    verb.add_option("--device", options->device, "Where to train (auto)")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    verb.add_option("--gpus", options->gpus,
                    "GPUs of this machine that train the run together (1); of a run that is there, this time")
        ->check(CLI::Range(1, 64))
        ->type_name("N");
    verb.add_option("--set", options->settings, "A training field or data.PARAMETER; see below")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb.add_option(
            "--recipe", options->recipe,
            "paper: batch, learning rate and schedule of --scale (appendix C, Table 8); --set changes parts")
        ->check(CLI::IsMember({"paper"}));
    verb.add_option("--ratio", options->ratio, "Tokens per parameter of the recipe (D/N)")
        ->check(real_range(1e-6, 1e6))
        ->capture_default_str();
    verb.add_option("--from", options->from,
                    "Start from these weights: " + std::string(checkpoint_help) + "; SPEC may be \"same\"")
        ->type_name("CHECKPOINT");
    verb.add_option(
            "--phase", options->phases,
            "A further phase: steps=N,KEY=VALUE,... with training fields, data.PARAMETER, MIXER.PARAMETER; "
            "or paper-32k, the paper's extension; may be given several times")
        ->allow_extra_args(false);
    verb.add_option(
            "--reference", options->reference,
            "Score log LongPPL on the key tokens that this model finds in the corpus (kept in the project)")
        ->type_name("CHECKPOINT");
    verb.add_option("--name", options->name, "Name of the run, for people");
    verb.add_flag("--detach", options->detach,
                  "Start it and return at once; output goes to <run>/engine.log");
    add_project_option(verb, options->project);
    add_quiet_option(verb, options->quiet);
    add_json_option(verb, options->json);
}

}  // namespace braid::cli
