#include "app/engine/verbs/capture_request.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/engine/cli/training_text.h"
#include "app/engine/verbs/measure_target.h"
#include "core/base/file.h"
#include "core/engine/checkpoint.h"
#include "core/measure/token_array.h"
#include "core/spec/data_kinds.h"
#include "core/spec/number_text.h"

namespace braid::cli {
namespace {

constexpr std::size_t longest_word = 4'000;                       // of a command that is recorded
constexpr std::size_t most_prompt_bytes = std::size_t{64} << 20;  // of a file
constexpr double depth_of_itself = 0.5;

Diagnostics check(const CaptureRequest& request) {
    Diagnostics problems;
    const int texts = int(request.prompt.has_value()) + int(!request.prompt_file.empty()) +
                      int(!request.tokens.empty()) + int(request.sample.has_value());
    if (texts > 1)
        problems.push_back({.path = "text",
                            .rule = "must be one of prompt, prompt-file, tokens and sample",
                            .found = std::to_string(texts) + " of them"});
    const bool needles = request.sample || texts == 0;
    const auto of_needles = [&](const char* key, bool given) {
        if (given && !needles)
            problems.push_back(
                {.path = key, .rule = "must not be given but with a sample of needles", .found = {}});
    };
    of_needles("context", request.context.has_value());
    of_needles("depth", request.depth.has_value());
    of_needles("seed", request.seed.has_value());
    const auto at_least_0 = [&](const char* key, const std::optional<std::int64_t>& value) {
        if (value && *value < 0)
            problems.push_back({.path = key, .rule = "must be at least 0", .found = std::to_string(*value)});
    };
    at_least_0("sample", request.sample);
    at_least_0("context", request.context);
    at_least_0("seed", request.seed);
    if (request.depth && !(*request.depth >= 0 && *request.depth <= 1))
        problems.push_back(
            {.path = "depth", .rule = "must be from 0 to 1", .found = shortest(*request.depth)});
    if (request.prompt && request.prompt->empty())
        problems.push_back(
            {.path = "prompt", .rule = "must have at least one token of text", .found = "\"\""});
    const std::string& device = request.target.device;
    if (device != "auto" && device != "cpu" && device != "cuda")
        problems.push_back({.path = "device", .rule = "must be auto, cpu or cuda", .found = device});
    return problems;
}

Result<std::vector<std::int32_t>> given_tokens(const std::string& text, std::int64_t vocab) {
    const std::size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string::npos || text[first] != '[') {
        const Result<std::vector<std::int64_t>> tokens = read_token_array(text, vocab);
        if (!tokens) return fail(tokens.error());
        return std::vector<std::int32_t>(tokens->begin(), tokens->end());
    }
    const Result<Json> list = parse_json(text, "tokens");
    if (!list) return fail(list.error());
    std::vector<std::int32_t> tokens;
    Diagnostics problems;
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < list->size() && problems.size() < shown; ++i) {
        const Json& token = (*list)[i];
        if (token.is_number_unsigned() && token.get<std::uint64_t>() < std::uint64_t(vocab))
            tokens.push_back(token.get<std::int32_t>());
        else
            problems.push_back({.path = "tokens[" + std::to_string(i) + "]",
                                .rule = "must be a token from 0 to " + std::to_string(vocab - 1),
                                .found = token.dump()});
    }
    if (list->empty())
        problems.push_back({.path = "tokens", .rule = "must have at least one token", .found = "[]"});
    if (!problems.empty()) return fail(to_error(problems));
    return tokens;
}

Result<CaptureText> text_of(const CaptureRequest& request, const MeasureInput& input, bool imported) {
    if (!request.tokens.empty()) {
        Result<std::vector<std::int32_t>> tokens = given_tokens(request.tokens, input.architecture.vocab);
        if (!tokens) return fail(std::move(tokens.error()));
        return token_text(std::move(*tokens), input.tokenizer.get());
    }
    if (!request.prompt && request.prompt_file.empty())
        return needle_text(input, request.sample.value_or(0), request.depth.value_or(depth_of_itself));
    if (input.plan && input.plan->data.kind != corpus_kind)
        return fail(to_error({{.path = "prompt",
                               .rule = "must not be given to a model of the task " + input.plan->data.kind +
                                       ", which reads no text; give tokens or a sample",
                               .found = {}}}));
    if (Result<void> known = check_tokenizer(input); !known) return fail(std::move(known.error()));
    std::string prompt = request.prompt.value_or(std::string());
    if (!request.prompt_file.empty()) {
        Result<std::string> file = read_file(request.prompt_file, most_prompt_bytes);
        if (!file) return fail(std::move(file.error()));
        prompt = std::move(*file);
    }
    // As generate has it: other people's models know only a real BOS.
    const TokenizerInfo& info = input.tokenizer->info();
    return prompt_text(*input.tokenizer, prompt, imported ? info.bos : info.document_token());
}

// The last change of the weights in a folder; that of a folder without is yet to come.
std::filesystem::file_time_type weights_written(const std::string& folder) {
    auto last = std::filesystem::file_time_type::min();
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
        if (at->path().extension() != ".safetensors") continue;
        const auto written = at->last_write_time(error);
        if (error) break;
        last = std::max(last, written);
    }
    const bool none = error || last == std::filesystem::file_time_type::min();
    return none ? std::filesystem::file_time_type::max() : last;
}

}  // namespace

std::string captures_folder(const CheckpointChoice& choice) {
    return choice.run ? choice.run->captures_folder() : choice.origin.folder + "/captures";
}

std::string capture_command(const CaptureRequest& request, const CheckpointChoice& choice) {
    std::string command = "braid-engine capture ";
    command.append(shell_word(choice.run ? choice.origin.run + "@" + std::to_string(choice.origin.step.value)
                                         : choice.origin.folder));
    const auto add = [&](const char* name, const std::string& value) {
        command.append(" --").append(name).append(" ").append(shell_word(value));
    };
    if (request.prompt && request.prompt->size() <= longest_word)
        add("prompt", *request.prompt);
    else if (request.prompt || !request.prompt_file.empty())
        add("prompt-file", request.prompt_file.empty() ? "PROMPT.txt" : request.prompt_file);
    else if (!request.tokens.empty())
        add("tokens", request.tokens.size() <= longest_word ? request.tokens : "TOKENS.npy");
    else
        add("sample", std::to_string(request.sample.value_or(0)));
    if (request.depth) add("depth", shortest(*request.depth));
    if (request.context) add("context", std::to_string(*request.context));
    if (request.seed) add("seed", std::to_string(*request.seed));
    if (!request.heads.empty()) add("heads", request.heads);
    if (!request.target.tokenizer.empty()) add("tokenizer", request.target.tokenizer);
    if (request.target.device != "auto") add("device", request.target.device);
    if (request.allow_long) command.append(" --allow-long");
    return command;
}

Result<CaptureAnswer> make_capture(const CaptureRequest& request, const OpenModel& open,
                                   const CaptureProgress& progress, const std::atomic<bool>* stop,
                                   RememberedPass* remembered) {
    if (const Diagnostics problems = check(request); !problems.empty()) return fail(to_error(problems));
    const EvalTarget& target = request.target;
    const Result<CheckpointChoice> choice = find_checkpoint(target.checkpoint, target.project);
    if (!choice) return fail(choice.error());
    ParameterValues values;
    if (request.context) values.set("context", *request.context);
    if (request.seed) values.set("seed", *request.seed);
    Result<MeasureInput> measured =
        measure_input(target, *choice, *find_measurement("attention"), std::move(values));
    if (!measured) return fail(std::move(measured.error()));
    measured->allow_long = request.allow_long;
    measured->progress = progress;
    Result<CaptureText> text = text_of(request, *measured, !choice->run);
    if (!text) return fail(std::move(text.error()));
    CaptureInput input{.measured = *measured,
                       .text = std::move(*text),
                       .heads = request.heads,
                       .folder = captures_folder(*choice),
                       .command = capture_command(request, *choice),
                       .open = [&] { return open(target, choice->origin.folder); },
                       .stop = stop,
                       .weights_written = weights_written(choice->origin.folder),
                       .remembered = remembered};
    if (const Result<CheckpointState> state = read_checkpoint_state(choice->origin.folder))
        input.tokens_seen = state->tokens.value;
    return capture_attention(input);
}

}  // namespace braid::cli
