// logits: what a model predicts for every token of a text, for comparing with other software.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/verbs.h"
#include "core/base/npy.h"
#include "core/engine/continuation.h"
#include "core/measure/token_array.h"

namespace braid::cli {
namespace {

struct LogitsOptions {
    EvalTarget target;
    std::string tokens, out;
};

Result<void> logits(const LogitsOptions& options) {
    // The input before the model: a mistake costs no waiting.
    const EvalTarget& target = options.target;
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    const std::int64_t vocab = choice->architecture.vocab;
    Result<std::vector<std::int64_t>> tokens = read_token_array(options.tokens, vocab);
    if (!tokens) return fail(std::move(tokens.error()));
    std::error_code none;
    if (std::filesystem::equivalent(options.tokens, options.out, none))
        return fail(
            to_error({{.path = "--out", .rule = "must not be the file of --tokens", .found = options.out}}));
    const Result<std::unique_ptr<Model>> model = open_target(target, *choice);
    if (!model) return fail(model.error());
    const auto count = std::int64_t(tokens->size());
    Result<NpyWriter> out = NpyWriter::create(options.out, {count, vocab});
    if (!out) return fail(std::move(out.error()));
    Progress bar(target.quiet);
    const Result<void> done =
        text_logits(**model, *tokens, [&](std::int64_t first, std::span<const float> logits) -> Result<void> {
            if (stop_requested().load())
                return fail(ErrorKind::interrupted, "stopped; no logits were written", options.out);
            const std::int64_t ready = first + std::int64_t(logits.size()) / vocab;
            bar.update(double(ready) / double(count),
                       std::to_string(ready) + " of " + std::to_string(count) + " tokens");
            return out->write(logits);
        });
    if (!done) return done;
    if (Result<void> finished = out->finish(); !finished) return finished;
    if (target.json)
        print(Json{{"file", options.out}, {"tokens", count}, {"vocab", vocab}, {"type", "float32"}});
    else
        print(options.out + ": float32 [" + std::to_string(count) + ", " + std::to_string(vocab) + "]\n");
    return {};
}

}  // namespace

void add_logits(CommandLine& line) {
    const auto options = std::make_shared<LogitsOptions>();
    CLI::App& verb = line.verb(
        line.root(),
        {.name = "logits",
         .summary = "Logits behind every token of a text, for comparing with other software",
         .example =
             "python3 -c \"import numpy; numpy.save('tokens.npy', numpy.arange(64))\"\nbraid-engine logits "
             "a91f --tokens tokens.npy --out logits.npy",
         .details = "Reads whole numbers [T] and writes float32 [T, V]: row t predicts token t + 1."},
        [options] { return logits(*options); });
    add_target_options(verb, options->target);
    verb.add_option("--tokens", options->tokens, "NumPy file of token numbers")
        ->required()
        ->type_name("FILE.npy");
    verb.add_option("--out", options->out, "NumPy file to write")->required()->type_name("FILE.npy");
}

}  // namespace braid::cli
