#include "core/measure/capture/capture_text.h"

#include <cstdio>

#include "core/measure/mechanism/needle_samples.h"

namespace braid {
namespace {

// Bytes of the character that `text` begins with; 0: it begins with none.
std::size_t character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    // Forms that are too long, surrogates, beyond the last character.
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
        (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
        return 0;
    return size;
}

std::string shown(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        std::size_t size = character(bytes);
        if (size > 0) {
            text.append(bytes.substr(0, size));
        } else {
            char hex[8];
            std::snprintf(hex, sizeof hex, "<0x%02X>", static_cast<unsigned char>(bytes[0]));
            text.append(hex);
            size = 1;
        }
        bytes.remove_prefix(size);
    }
    return text;
}

void describe_tokens(CaptureText& text, const Tokenizer* tokenizer) {
    const std::int32_t opening = tokenizer == nullptr ? -1 : tokenizer->info().document_token();
    text.documents = {0};
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
        const std::int32_t token = text.tokens[i];
        if (i > 0 && opening >= 0 && token == opening) text.documents.push_back(std::int64_t(i));
        text.texts.push_back(tokenizer == nullptr ? std::to_string(token) : shown_token(*tokenizer, token));
    }
}

std::string label_of(const CaptureText& text, const TokenRange& range, const Tokenizer* tokenizer) {
    if (tokenizer != nullptr)
        return shown(tokenizer->decode(
            std::span(text.tokens).subspan(std::size_t(range.begin), std::size_t(range.size()))));
    std::string label;
    for (std::int64_t place = range.begin; place < range.end; ++place)
        label.append(label.empty() ? "" : " ").append(text.texts[std::size_t(place)]);
    return label;
}

}  // namespace

std::string shown_token(const Tokenizer& tokenizer, std::int32_t token) {
    return shown(tokenizer.bytes(token));
}

Result<CaptureText> needle_text(const MeasureInput& input, std::int64_t sample, double depth) {
    Measured measured;
    const Result<std::int64_t> context = sample_context(input, measured);
    if (!context) return fail(context.error());
    const auto source = make_needle_source(input, *context, false, measured);
    if (!source) return fail(source.error());
    Result<NeedleSample> needle = (*source)->sample(sample, depth);
    if (!needle) return fail(std::move(needle.error()));
    CaptureText text{.source = CaptureSource::needle,
                     .tokens = std::move(needle->prompt),
                     .settings = std::move(measured.settings)};
    text.settings["sample"] = sample;
    text.settings["depth"] = depth;
    text.settings["seed"] = input.integer("seed");
    describe_tokens(text, input.tokenizer.get());
    text.needles = {{.span = {needle->needle.begin, needle->needle.end},
                     .label = label_of(text, needle->value, input.tokenizer.get())}};
    text.answer = CaptureSpan{needle->value.begin, needle->value.end};
    return text;
}

Result<CaptureText> prompt_text(const Tokenizer& tokenizer, const std::string& prompt, std::int32_t opening) {
    CaptureText text{.source = CaptureSource::prompt};
    if (opening >= 0) text.tokens.push_back(opening);
    const std::size_t before = text.tokens.size();
    tokenizer.encode(prompt, SpecialText::as_text, text.tokens);
    if (text.tokens.size() == before)
        return fail(to_error({{.path = "prompt",
                               .rule = "must have at least one token of text",
                               .found = "\"" + prompt + "\""}}));
    text.settings["tokenizer"] = tokenizer.info().hash;
    describe_tokens(text, &tokenizer);
    return text;
}

CaptureText token_text(std::vector<std::int32_t> tokens, const Tokenizer* tokenizer) {
    CaptureText text{.source = CaptureSource::tokens, .tokens = std::move(tokens)};
    describe_tokens(text, tokenizer);
    return text;
}

}  // namespace braid
