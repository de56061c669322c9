// generate: a model goes on with a text.
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/eval_target.h"
#include "app/engine/verbs/verbs.h"
#include "core/engine/continuation.h"

namespace braid::cli {
namespace {

struct GenerateOptions {
    EvalTarget target;
    std::string prompt;
    Continuation rule;
    std::int64_t seed = 1;
    bool special = false;
    bool no_bos = false;
};

// Bytes of tokens to whole characters: what a token begins, a later one may finish.
class TextStream {
public:
    // The characters that are complete now.
    std::string add(std::string_view bytes) {
        kept_.append(bytes);
        const std::size_t whole = complete_prefix(kept_);
        std::string text = kept_.substr(0, whole);
        kept_.erase(0, whole);
        return text;
    }
    std::string rest() { return std::exchange(kept_, std::string()); }

private:
    // Without the at most 3 bytes at the end that begin a character.
    static std::size_t complete_prefix(std::string_view text) {
        for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
            const auto byte = static_cast<unsigned char>(text[text.size() - back]);
            if ((byte & 0xC0U) == 0x80U) continue;
            const std::size_t wanted = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
            return wanted > back ? text.size() - back : text.size();
        }
        return text.size();
    }
    std::string kept_;
};

// The prompt as the model saw text in training: behind the token that opens a document.
std::vector<std::int32_t> prompt_tokens(const GenerateOptions& options, const CheckpointChoice& choice,
                                        const Tokenizer& tokenizer) {
    std::vector<std::int32_t> ids;
    const TokenizerInfo& info = tokenizer.info();
    // Braid's corpora separate documents by one token; other people's models know only a real BOS.
    const std::int32_t opening = !choice.run ? info.bos : info.document_token();
    if (!options.no_bos && opening >= 0) ids.push_back(opening);
    tokenizer.encode(options.prompt, options.special ? SpecialText::as_tokens : SpecialText::as_text, ids);
    return ids;
}

const char* reason(ContinuationEnd end) {
    return end == ContinuationEnd::tokens      ? "tokens"
           : end == ContinuationEnd::end_token ? "end token"
                                               : "stopped";
}

Result<void> generate(const GenerateOptions& options) {
    const EvalTarget& target = options.target;
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = target_tokenizer(target, *choice);
    if (!tokenizer) return fail(tokenizer.error());
    const std::vector<std::int32_t> prompt = prompt_tokens(options, *choice, **tokenizer);
    if (prompt.empty())
        return fail(ErrorKind::invalid_input, "the prompt has no token, and the tokenizer none to begin with",
                    target.checkpoint, "Give --prompt TEXT");
    const Result<std::unique_ptr<Model>> model = open_target(target, *choice);
    if (!model) return fail(model.error());
    warn_of_length(target, *choice, std::int64_t(prompt.size()) + options.rule.tokens);
    Continuation rule = options.rule;
    rule.seed = static_cast<std::uint64_t>(options.seed);
    if ((*tokenizer)->info().eos >= 0) rule.ends = {(*tokenizer)->info().eos};
    std::vector<std::int32_t> ids;
    std::string text;
    TextStream stream;
    const auto say = [&](const std::string& part) {
        text += part;
        if (!target.json && !part.empty()) print(part);
    };
    if (!target.json) print(options.prompt);
    const auto begin = std::chrono::steady_clock::now();
    const Result<ContinuationEnd> end = continue_text(**model, prompt, rule, [&](std::int32_t token) {
        ids.push_back(token);
        if (!(*tokenizer)->is_special(token)) say(stream.add((*tokenizer)->bytes(token)));
        return !stop_requested().load();
    });
    say(stream.rest());
    if (!target.json) print("\n");
    if (!end) return fail(end.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (target.json)
        print(Json{{"prompt", options.prompt},
                   {"prompt_tokens", prompt},
                   {"text", text},
                   {"tokens", ids},
                   {"end", reason(*end)},
                   {"temperature", rule.temperature},
                   {"seed", options.seed},
                   {"seconds", seconds}});
    if (*end == ContinuationEnd::stopped)
        return fail(ErrorKind::interrupted, "stopped after " + std::to_string(ids.size()) + " tokens");
    return {};
}

}  // namespace

void add_generate(CommandLine& line) {
    const auto options = std::make_shared<GenerateOptions>();
    CLI::App& verb = line.verb(
        line.root(),
        {.name = "generate",
         .summary = "Go on with a text, token by token",
         .example = "braid-engine generate a91f --prompt \"The weaver\" --tokens 100 --temperature 0.8\n"
                    "braid-engine generate models/qwen3 --prompt \"def f(x):\" --temperature 0 --json",
         .details =
             "Prompt and continuation go to stdout as they come. The text ends at the tokenizer's end token "
             "or after --tokens. The tokenizer is the one in the checkpoint's folder or that of the corpus "
             "its run was trained on. The same seed gives the same text."},
        [options] { return generate(*options); });
    add_target_options(verb, options->target);
    add_text_options(verb, options->target);
    verb.add_option("--prompt", options->prompt, "What the text begins with")->required()->type_name("TEXT");
    verb.add_option("--tokens", options->rule.tokens, "Tokens to add, at most")
        ->check(CLI::Range(1, 1 << 24))
        ->capture_default_str();
    verb.add_option("--temperature", options->rule.temperature, "Of drawing a token; 0: the likeliest")
        ->check(real_range(0, 100))
        ->capture_default_str();
    verb.add_option("--seed", options->seed, "Of the draws")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53))
        ->capture_default_str();
    verb.add_flag("--special", options->special, "Special tokens in the prompt are tokens, not text");
    verb.add_flag("--no-bos", options->no_bos, "Begin without the token that opens a document");
}

}  // namespace braid::cli
