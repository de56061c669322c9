// The text of a capture: a sample of needles, a prompt, or tokens, with what is known of each token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measure/mechanism/measurement.h"
#include "core/record/capture.h"

namespace braid {

struct CaptureText {
    CaptureSource source = CaptureSource::needle;
    std::vector<std::int32_t> tokens = {};
    std::vector<std::string> texts = {};  // one for each token
    std::vector<CaptureNeedle> needles = {};
    std::optional<CaptureSpan> answer = {};
    std::vector<std::int64_t> documents = {};
    Json settings = Json::object();  // what fixes it
};

// Sample number `sample` of the needles of the model's task, or of RULER's in text, at `depth` (0 .. 1) of
// the context that `input` asks for. Errors: those of sample_context() and make_needle_source().
Result<CaptureText> needle_text(const MeasureInput& input, std::int64_t sample, double depth);

// The prompt as the model reads it, behind the token `opening` where that is one (0 or more). Errors:
// invalid_input (no token at all).
Result<CaptureText> prompt_text(const Tokenizer& tokenizer, const std::string& prompt, std::int32_t opening);

// Tokens as they are; at least one, all of the model's vocabulary. Without a tokenizer their numbers are
// their texts.
CaptureText token_text(std::vector<std::int32_t> tokens, const Tokenizer* tokenizer);

// The bytes of a token as UTF-8; a byte that is none as "<0xE2>", a special token by its name.
std::string shown_token(const Tokenizer& tokenizer, std::int32_t token);

}  // namespace braid
