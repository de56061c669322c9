// capture: what every head of a checkpoint looks at over one text.
#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/capture_request.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {
namespace {

struct CaptureOptions {
    CaptureRequest request;
    std::string prompt;
    std::int64_t sample = 0, context = 0, seed = 0;
    double depth = 0;
    CLI::Option *prompt_given = nullptr, *sample_given = nullptr, *context_given = nullptr,
                *seed_given = nullptr, *depth_given = nullptr;
};

std::string share_text(const std::optional<double>& share) { return share ? real_text(*share, 4) : ""; }

std::string text_of(const CaptureAnswer& answer) {
    const Capture& capture = answer.capture;
    Table table({{"layer", true},
                 {"head", true},
                 {"mixer"},
                 {"needle", true},
                 {"entropy", true},
                 {"sink", true},
                 {"far", true},
                 {"kept"}});
    for (const CaptureHead& head : capture.heads) {
        std::string kept =
            head.finest > 0 ? "tiles from level " + std::to_string(head.finest) : "every weight";
        if (head.factors) kept = "every weight, by its factors";
        table.add({std::to_string(head.layer), std::to_string(head.head),
                   head.mixer + (head.implied ? ", implied" : ""), share_text(head.scores.needle),
                   share_text(head.scores.entropy), share_text(head.scores.sink), share_text(head.scores.far),
                   kept});
    }
    std::string text = table.text();
    for (const std::string& note : capture.notes) text.append(note).append("\n");
    return text.append(with_commas(std::int64_t(capture.tokens.size())))
        .append(" tokens, ")
        .append(bytes_text(answer.bytes))
        .append(", ")
        .append(real_text(answer.seconds, 2))
        .append(" s")
        .append(answer.computed < capture.heads.size()
                    ? ", " + std::to_string(answer.computed) + " of " + std::to_string(capture.heads.size()) +
                          " heads computed, the others were there"
                    : "")
        .append("\nKept in ")
        .append(capture.folder)
        .append("\n");
}

Result<void> capture_verb(const CaptureOptions& options) {
    CaptureRequest request = options.request;
    if (options.prompt_given->count() > 0) request.prompt = options.prompt;
    if (options.sample_given->count() > 0) request.sample = options.sample;
    if (options.context_given->count() > 0) request.context = options.context;
    if (options.seed_given->count() > 0) request.seed = options.seed;
    if (options.depth_given->count() > 0) request.depth = options.depth;
    const OpenModel open = [](const EvalTarget& target,
                              const std::string& folder) -> Result<std::shared_ptr<Model>> {
        return open_target(target, {.origin = {.folder = folder}}).map([](std::unique_ptr<Model> model) {
            return std::shared_ptr<Model>(std::move(model));
        });
    };
    Progress bar(request.target.quiet);
    const CaptureProgress go_on = [&](double fraction, const std::string& text) {
        bar.update(fraction, text);
        return !stop_requested().load();
    };
    const Result<CaptureAnswer> answer = make_capture(request, open, go_on, &stop_requested());
    if (!answer) return fail(answer.error());
    if (!request.target.json) {
        print(text_of(*answer));
        return {};
    }
    Json json = to_json(answer->capture);
    json["folder"] = answer->capture.folder;
    json["bytes"] = answer->bytes;
    json["seconds"] = answer->seconds;
    json["computed"] = answer->computed;
    print(json);
    return {};
}

}  // namespace

void add_capture(CommandLine& line) {
    const auto options = std::make_shared<CaptureOptions>();
    CaptureRequest& request = options->request;
    CLI::App& verb = line.verb(
        line.root(),
        {.name = "capture",
         .summary = "What every head looks at over one text: tiles of all heads, every weight of some",
         .example = "braid-engine capture a91f --sample 3 --heads 8.3,10.7\n"
                    "braid-engine capture models/qwen3 --prompt \"The ferry leaves at\" --heads all --json",
         .details =
             "Kept in the run's captures folder, which the window shows; the same settings replace it. Of "
             "every head of every layer there is a tile of all of its attention and its scores for the last "
             "token: the mass on the needle, the entropy, the share of the sink, the largest share far away. "
             "Of the heads in --heads every weight can be looked at. Of recurrent heads it is the matrix "
             "that their recurrence implies. Heads that an earlier capture of the same text and weights "
             "holds "
             "are not computed again."},
        [options] { return capture_verb(*options); });
    add_target_options(verb, request.target);
    verb.add_option("--tokenizer", request.target.tokenizer,
                    "Of the model: byte or a file; without it that of its folder or its corpus");
    options->prompt_given =
        verb.add_option("--prompt", options->prompt, "The text to look at")->type_name("TEXT");
    // An empty variable of a script is no wish for the default.
    const auto something = [](const std::string& text) {
        return text.empty() ? std::string("must not be empty") : std::string();
    };
    verb.add_option("--prompt-file", request.prompt_file, "The same from a file")
        ->type_name("FILE")
        ->check(something);
    verb.add_option("--tokens", request.tokens, "NumPy file of token numbers [T], or a list: \"[5, 17, 3]\"")
        ->type_name("FILE")
        ->check(something);
    options->sample_given = verb.add_option(
        "--sample", options->sample, "Number of a sample of needles, of the model's task or in text (0)");
    options->depth_given =
        verb.add_option("--depth", options->depth, "Of the needle in its sample, 0 to 1 (0.5)");
    options->context_given =
        verb.add_option("--context", options->context, "Tokens of the sample; without it as in the training");
    options->seed_given = verb.add_option("--seed", options->seed, "Of the samples (42)");
    verb.add_option("--heads", request.heads,
                    "In detail: layer.head from 0, with commas between them, or all, or none; without it the "
                    "softmax heads of texts of up to 4,096 tokens")
        ->type_name("LIST")
        ->check(something);
    verb.add_flag("--allow-long", request.allow_long,
                  "Texts longer than " + std::to_string(longest_on_cpu) + " tokens on a CPU, too");
}

}  // namespace braid::cli
