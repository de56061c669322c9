// bench step | ops | operators | decode | loss: speed of the engine on this machine, beside a peer where
// there is one.
#include <ATen/Parallel.h>

#include <cmath>
#include <set>

#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/signals.h"
#include "app/engine/cli/spec_argument.h"
#include "app/engine/verbs/bench_growth.h"
#include "app/engine/verbs/bench_options.h"
#include "app/engine/verbs/verbs.h"
#include "core/engine/device.h"
#include "core/engine/ops.h"
#include "core/measure/bench/operator_speed.h"

namespace braid::cli {
namespace {

bool go_on() { return !stop_requested().load(); }

Result<std::vector<ArchitectureSpec>> specs_of(const BenchOptions& options) {
    std::vector<ArchitectureSpec> specs;
    for (const std::string& text : options.specs) {
        Result<ArchitectureSpec> spec = resolve_spec({.text = text,
                                                      .scale = options.scale,
                                                      .vocab = options.vocab,
                                                      .project_folder = options.project});
        if (!spec) return fail(spec.error());
        specs.push_back(std::move(*spec));
    }
    return specs;
}

// "cpu, 2 threads; 32 x 128 tokens; median of 15 rounds, CPU time": above a table.
std::string conditions(const BenchOptions& options, const Ops& ops, bool wall) {
    std::string text = ops.name();
    if (ops.device().is_cpu()) {
        const int threads = at::get_num_threads();
        text.append(", ").append(std::to_string(threads)).append(threads == 1 ? " thread" : " threads");
    }
    text.append("; ");
    if (options.shape.accumulate > 1) text.append(std::to_string(options.shape.accumulate)).append(" x ");
    text.append(std::to_string(options.shape.batch)).append(" x ");
    text.append(std::to_string(options.shape.context)).append(" tokens; median of ");
    text.append(std::to_string(options.shape.rounds)).append(" rounds, ");
    text.append(!wall && bench_clock(ops) == BenchClock::cpu_time ? "CPU time" : "wall time").append("\n");
    return text;
}

Json conditions_json(const BenchOptions& options, const Ops& ops, bool wall) {
    return {{"device", ops.name()},
            {"threads", at::get_num_threads()},
            {"batch", options.shape.batch},
            {"context", options.shape.context},
            {"accumulate", options.shape.accumulate},
            {"rounds", options.shape.rounds},
            {"clock", !wall && bench_clock(ops) == BenchClock::cpu_time ? "cpu" : "wall"},
            {"rows", Json::array()}};
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// Opens the device, prints what rows() fills: a table, or a document with the same rows.
Result<void> report(const BenchOptions& options, std::vector<Column> columns, bool wall,
                    const std::function<Result<void>(const std::shared_ptr<Ops>&, Table&, Json&)>& rows) {
    Result<std::shared_ptr<Ops>> ops = open_device(options.device, options.threads);
    if (!ops) return fail(ops.error());
    Table table(std::move(columns));
    Json document = conditions_json(options, **ops, wall);
    if (Result<void> done = rows(*ops, table, document["rows"]); !done) return done;
    if (options.json)
        print(document);
    else
        print(conditions(options, **ops, wall) + table.text());
    return {};
}

Json kernel_names(const Ops& ops, std::string_view operation) {
    Json names = Json::array();
    for (const KernelUse& use : ops.kernels_used())
        if (use.operation == operation) names.push_back(use.kernel + ": " + use.call);
    return names;
}

Result<void> bench_step(const BenchOptions& options) {
    const Result<std::vector<ArchitectureSpec>> specs = specs_of(options);
    if (!specs) return fail(specs.error());
    const Checked<TrainingSpec> training = timed_training(options);
    if (!training) return fail(to_error(training.error()));
    std::set<std::string> ways;
    std::string activations;  // where a limit was given
    Result<void> done = report(
        options,
        {{"SPEC"},
         {"FORWARD+BACKWARD", true},
         {"UPDATE", true},
         {"STEP MS", true},
         {"FORWARD", true},
         {"TOKENS/S", true},
         {"FIRST STEP MS", true},
         {"PEAK MEMORY", true},
         {"PLAIN STEP MS", true},
         {"RATIO", true}},
        false, [&](const std::shared_ptr<Ops>& ops, Table& table, Json& json) -> Result<void> {
            const BenchShape& shape = options.shape;
            const double tokens = double(shape.accumulate * shape.batch * shape.context);
            for (std::size_t i = 0; i < specs->size(); ++i) {
                ops->forget_kernels_used();  // a row tells of its own
                const Result<StepComparison> time = time_step((*specs)[i], *training, ops, shape, go_on);
                if (!time) return fail(time.error());
                const double step = time->engine.step_ms;
                const double plain = time->plain ? time->plain->step_ms : std::nan("");
                if (!time->way.empty()) ways.insert(time->way);
                if (training->activation_memory > 0)
                    activations += "Activations of " + options.specs[i] + ": " + time->activations + ".\n";
                table.add({options.specs[i], milliseconds(time->engine.forward_backward_ms),
                           milliseconds(time->engine.update_ms), milliseconds(step),
                           milliseconds(time->forward_ms), with_commas(std::llround(1e3 * tokens / step)),
                           milliseconds(time->first_step_ms),
                           time->peak_bytes > 0 ? bytes_text(time->peak_bytes) : "", milliseconds(plain),
                           real_text(plain / step, 2)});
                json.push_back({{"spec", options.specs[i]},
                                {"forward_backward_ms", time->engine.forward_backward_ms},
                                {"update_ms", time->engine.update_ms},
                                {"step_ms", step},
                                {"forward_ms", time->forward_ms},
                                {"tokens_per_s", 1e3 * tokens / step},
                                {"first_step_ms", time->first_step_ms},
                                {"peak_bytes", time->peak_bytes},
                                {"step_kernels", time->way},
                                {"activations", time->activations},
                                {"attention_kernels", kernel_names(*ops, "attention")},
                                {"recurrence_kernels", kernel_names(*ops, "recurrence")},
                                {"plain_step_ms", number(plain)},
                                {"ratio", number(plain / step)}});
            }
            return {};
        });
    if (done && !options.json)
        for (const std::string& way : ways) print("Steps are " + way + ".\n");
    if (done && !options.json) print(activations);
    return done;
}

Result<void> bench_ops(const BenchOptions& options) {
    const Scale* scale = find_scale(options.scale);
    return report(
        options, {{"LAYERS"}, {"FORWARD+BACKWARD MS", true}, {"OF FULL", true}}, false,
        [&](const std::shared_ptr<Ops>& ops, Table& table, Json& json) -> Result<void> {
            const Result<std::vector<MixerSpeed>> times = time_mixers(*scale, ops, options.shape, go_on);
            if (!times) return fail(times.error());
            for (const MixerSpeed& one : *times) {
                table.add({one.pattern, milliseconds(one.forward_backward_ms), real_text(one.of_full, 2)});
                json.push_back({{"layers", one.pattern},
                                {"forward_backward_ms", one.forward_backward_ms},
                                {"of_full", one.of_full}});
            }
            return {};
        });
}

Result<void> bench_operators(const BenchOptions& options) {
    const Scale* scale = find_scale(options.scale);
    return report(
        options,
        {{"OPERATION"},
         {"SHAPE"},
         {"KERNEL"},
         {"FORWARD MS", true},
         {"FORWARD+BACKWARD MS", true},
         {"TFLOP/S", true}},
        false, [&](const std::shared_ptr<Ops>& ops, Table& table, Json& json) -> Result<void> {
            const Result<std::vector<OperatorSpeed>> times = time_operators(*scale, ops,
                                                                            {.batch = options.shape.batch,
                                                                             .context = options.shape.context,
                                                                             .rounds = options.shape.rounds},
                                                                            go_on);
            if (!times) return fail(times.error());
            for (const OperatorSpeed& one : *times) {
                const double rate = one.flops > 0 ? one.flops / one.forward_backward_ms / 1e9 : std::nan("");
                table.add({one.name, one.detail, one.kernel, milliseconds(one.forward_ms),
                           milliseconds(one.forward_backward_ms), real_text(rate, 1)});
                json.push_back({{"operation", one.name},
                                {"shape", one.detail},
                                {"kernel", one.kernel},
                                {"forward_ms", one.forward_ms},
                                {"forward_backward_ms", one.forward_backward_ms},
                                {"tflops", number(rate)}});
            }
            return {};
        });
}

Result<void> bench_decode(const BenchOptions& options) {
    const Result<std::vector<ArchitectureSpec>> specs = specs_of(options);
    if (!specs) return fail(specs.error());
    return report(options,
                  {{"SPEC"},
                   {"PREFILL MS", true},
                   {"PREFILL TOKENS/S", true},
                   {"STEP MS", true},
                   {"TOKENS/S", true},
                   {"STATE", true}},
                  true, [&](const std::shared_ptr<Ops>& ops, Table& table, Json& json) -> Result<void> {
                      const double sequences = double(options.shape.batch);
                      const double tokens = sequences * double(options.shape.context);
                      for (std::size_t i = 0; i < specs->size(); ++i) {
                          const Result<DecodingSpeed> time =
                              time_decoding((*specs)[i], ops, options.shape, go_on);
                          if (!time) return fail(time.error());
                          table.add({options.specs[i], milliseconds(time->prefill_ms),
                                     with_commas(std::llround(1e3 * tokens / time->prefill_ms)),
                                     milliseconds(time->step_ms),
                                     with_commas(std::llround(1e3 * sequences / time->step_ms)),
                                     bytes_text(time->state_bytes)});
                          json.push_back({{"spec", options.specs[i]},
                                          {"prefill_ms", time->prefill_ms},
                                          {"step_ms", time->step_ms},
                                          {"tokens_per_s", 1e3 * sequences / time->step_ms},
                                          {"state_bytes", time->state_bytes}});
                      }
                      return {};
                  });
}

Result<void> bench_loss(const BenchOptions& options) {
    const Scale* scale = find_scale(options.scale);
    const std::int64_t vocab = options.vocab > 0 ? options.vocab : scale->vocab;
    return report(
        options,
        {{"D", true}, {"VOCABULARY", true}, {"ENGINE MS", true}, {"PLAIN MS", true}, {"RATIO", true}}, false,
        [&](const std::shared_ptr<Ops>& ops, Table& table, Json& json) -> Result<void> {
            const Result<LossSpeed> time = time_loss(scale->d_model, vocab, ops, options.shape, go_on);
            if (!time) return fail(time.error());
            table.add({std::to_string(scale->d_model), with_commas(vocab), milliseconds(time->engine_ms),
                       milliseconds(time->plain_ms), real_text(time->plain_ms / time->engine_ms, 2)});
            json.push_back({{"d_model", scale->d_model},
                            {"vocab", vocab},
                            {"engine_ms", time->engine_ms},
                            {"plain_ms", number(time->plain_ms)},
                            {"ratio", number(time->plain_ms / time->engine_ms)}});
            return {};
        });
}

std::vector<std::string> scale_names() {
    std::vector<std::string> names;
    for (const Scale& scale : scales()) names.push_back(scale.name);
    return names;
}

void add_common(CLI::App& verb, const std::shared_ptr<BenchOptions>& options) {
    verb.add_option("--scale", options->scale, "Dimensions: tiny, S1 .. S5")
        ->check(CLI::IsMember(scale_names()))
        ->capture_default_str();
    verb.add_option("--context", options->shape.context, "Tokens of a sequence")
        ->check(CLI::Range(1, 1 << 24))
        ->capture_default_str();
    verb.add_option("--batch", options->shape.batch, "Sequences")
        ->check(CLI::Range(1, 1 << 16))
        ->capture_default_str();
    verb.add_option("--rounds", options->shape.rounds, "Of which the median is shown; two more warm up")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    verb.add_option("--device", options->device, "Where to compute (auto)")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    verb.add_option("--threads", options->threads, "CPU threads; 0: all cores")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    add_json_option(verb, options->json);
}

void add_specs(CLI::App& verb, const std::shared_ptr<BenchOptions>& options) {
    verb.add_option("SPEC", options->specs, spec_help)->required()->expected(1, -1);
    verb.add_option("--vocab", options->vocab, "Vocabulary; without it that of the scale");
    add_project_option(verb, options->project);
}

}  // namespace

void add_bench(CommandLine& line) {
    CLI::App& bench = line.group("bench", "Speed of the engine: step, ops, operators, decode, loss");

    const auto step = std::make_shared<BenchOptions>();
    CLI::App& stepping = line.verb(
        bench,
        {.name = "step",
         .summary = "A training step, on the CPU beside the same model in plain LibTorch with autograd",
         .example = "braid-engine bench step \"(FS[w=16])x2\" --device cpu\n"
                    "braid-engine bench step F LF MF --scale S1 --context 16384 --batch 4 --accumulate 8\n"
                    "braid-engine bench step F \"FS[w=512]\" LF --scale S1 --context 16384 --batch 4 "
                    "--contexts 4096,16384,65536 --scales S1,S2,S3,S4 --out growth.json",
         .details =
             "Both models have the same weights, batch and threads, in one process, and take turns. The "
             "plain one knows softmax attention; on CUDA the engine is timed alone. With --contexts or "
             "--scales "
             "the engine is timed over both, alone, with the tokens of --batch x --context in a step: the "
             "contexts at --scale, the scales at --context. A figure of kind growth draws the file of "
             "--out."},
        [step] { return is_sweep(*step) ? bench_growth(*step) : bench_step(*step); });
    add_specs(stepping, step);
    add_common(stepping, step);
    stepping.add_option("--contexts", step->contexts, "Time each of these contexts: 4096,8192,16384")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("N,N,...");
    stepping.add_option("--scales", step->scales, "Time each of these scales: S1,S2,S3,S4")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,...")
        ->check(CLI::IsMember(scale_names()));
    stepping
        .add_option("--out", step->out, "JSON file to write the table to; the engine is then timed alone")
        ->type_name("FILE.json");
    stepping.add_option("--accumulate", step->shape.accumulate, "Micro-batches of --batch sequences a step")
        ->check(CLI::Range(1, 1 << 16))
        ->capture_default_str();
    stepping
        .add_option("--set", step->settings,
                    "A setting of training: kernels.attention=flash, kernels.step=graph, deterministic=true")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);

    const auto ops = std::make_shared<BenchOptions>();
    ops->shape = {.batch = 4, .context = 1024, .rounds = 7};
    CLI::App& mixing = line.verb(bench,
                                 {.name = "ops",
                                  .summary = "Two layers of every mixer beside full attention",
                                  .example = "braid-engine bench ops --device cpu --scale S1"},
                                 [ops] { return bench_ops(*ops); });
    add_common(mixing, ops);

    const auto alone = std::make_shared<BenchOptions>();
    alone->shape = {.batch = 1, .context = 1024, .rounds = 15};
    CLI::App& operating =
        line.verb(bench,
                  {.name = "operators",
                   .summary = "Attention, recurrences, head and loss, each alone",
                   .example = "braid-engine bench operators --scale S4 --context 16384 --batch 4",
                   .details = "Without projections, norms and gates, at the heads of the scale: what kernels "
                              "of other software can be held against. Products alone count for TFLOP/S."},
                  [alone] { return bench_operators(*alone); });
    add_common(operating, alone);

    const auto decode = std::make_shared<BenchOptions>();
    decode->shape = {.batch = 8, .context = 16384, .rounds = 64};
    decode->threads = 0;
    CLI::App& decoding =
        line.verb(bench,
                  {.name = "decode",
                   .summary = "Reading a long context, then writing token by token",
                   .example = "braid-engine bench decode F SF LF --scale S1 --context 16384 --batch 8"},
                  [decode] { return bench_decode(*decode); });
    add_specs(decoding, decode);
    add_common(decoding, decode);

    const auto loss = std::make_shared<BenchOptions>();
    CLI::App& losing =
        line.verb(bench,
                  {.name = "loss",
                   .summary = "Head and cross-entropy, forward and backward, beside plain LibTorch",
                   .example = "braid-engine bench loss --scale S1 --context 16384 --batch 1"},
                  [loss] { return bench_loss(*loss); });
    losing.add_option("--vocab", loss->vocab, "Vocabulary; without it that of the scale");
    add_common(losing, loss);
}

}  // namespace braid::cli
