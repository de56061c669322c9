#include "core/spec/key_tokens.h"

#include <cmath>

#include "core/base/json_reader.h"

namespace braid {
namespace {

Json rule_to_json(const KeyTokenRule& rule) {
    return {{"context", rule.context}, {"short_context", rule.short_context},
            {"advance", rule.advance}, {"gain", rule.gain},
            {"sure", rule.sure},       {"fewest", rule.fewest}};
}

Checked<KeyTokenRule> rule_from_json(const Json& json) {
    Diagnostics problems;
    KeyTokenRule rule;
    JsonReader reader(json, "", problems);
    reader.integer("context", rule.context);
    reader.integer("short_context", rule.short_context);
    reader.integer("advance", rule.advance);
    reader.number("gain", rule.gain);
    reader.number("sure", rule.sure);
    reader.integer("fewest", rule.fewest);
    reader.refuse_unknown_keys();
    if (problems.empty()) problems = validate(rule);
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return rule;
}

bool is_span(const Json& json, std::size_t after, std::size_t size) {
    return json.is_array() && json.size() == 2 && json[0].is_number_unsigned() &&
           json[1].is_number_unsigned() && json[0].get<std::uint64_t>() >= after &&
           json[0].get<std::uint64_t>() < json[1].get<std::uint64_t>() &&
           json[1].get<std::uint64_t>() <= size;
}

Checked<KeySample> sample_from_json(const Json& json) {
    Diagnostics problems;
    KeySample sample;
    JsonReader reader(json, "", problems);
    reader.require("text");
    reader.text("text", sample.text);
    if (const Json* spans = reader.require("spans")) {
        std::size_t end = 0;
        for (std::size_t i = 0; spans->is_array() && i < spans->size(); ++i) {
            const Json& span = (*spans)[i];
            if (!is_span(span, end, sample.text.size())) {
                reader.report("spans[" + std::to_string(i) + "]",
                              "must be [begin, end] of bytes of the text, in order, not overlapping", span);
                break;
            }
            const TokenSpan place{.begin = span[0].get<std::uint32_t>(), .end = span[1].get<std::uint32_t>()};
            // Spans that touch are one: another tokenizer's token may reach across.
            if (!sample.spans.empty() && sample.spans.back().end == place.begin)
                sample.spans.back().end = place.end;
            else
                sample.spans.push_back(place);
            end = place.end;
        }
        if (!spans->is_array()) reader.report("spans", "must be a list", *spans);
    }
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return sample;
}

}  // namespace

Diagnostics validate(const KeyTokenRule& rule) {
    Diagnostics problems;
    const auto at_least = [&](const char* name, std::int64_t value, std::int64_t minimum) {
        if (value < minimum)
            problems.push_back({.path = name,
                                .rule = "must be at least " + std::to_string(minimum),
                                .found = std::to_string(value)});
    };
    at_least("short_context", rule.short_context, 1);
    at_least("advance", rule.advance, 1);
    at_least("fewest", rule.fewest, 1);
    if (rule.context <= rule.short_context)
        problems.push_back({.path = "context",
                            .rule = "must be more than the short context of " +
                                    std::to_string(rule.short_context) +
                                    " tokens, or no token has a longer one",
                            .found = std::to_string(rule.context)});
    if (rule.context > longest_read_text)
        problems.push_back({.path = "context",
                            .rule = "must be at most " + std::to_string(longest_read_text),
                            .found = std::to_string(rule.context)});
    if (rule.advance > rule.context)
        problems.push_back(
            {.path = "advance",
             .rule = "must be at most the context of " + std::to_string(rule.context) + " tokens",
             .found = std::to_string(rule.advance)});
    if (!std::isfinite(rule.gain))
        problems.push_back(
            {.path = "gain", .rule = "must be a finite number", .found = std::to_string(rule.gain)});
    if (!(rule.sure > 0 && std::isfinite(rule.sure)))
        problems.push_back(
            {.path = "sure", .rule = "must be a finite number above 0", .found = std::to_string(rule.sure)});
    return problems;
}

Json to_json(const KeyTokenFile& file) {
    Json samples = Json::array();
    for (const KeySample& sample : file.samples) {
        Json spans = Json::array();
        for (const TokenSpan span : sample.spans) spans.push_back({span.begin, span.end});
        samples.push_back({{"text", sample.text}, {"spans", std::move(spans)}});
    }
    return {{"schema_version", key_tokens_schema_version},
            {"rule", rule_to_json(file.rule)},
            {"reference", file.reference},
            {"tokenizer", file.tokenizer},
            {"corpus", file.corpus},
            {"samples", std::move(samples)}};
}

Checked<KeyTokenFile> key_token_file_from_json(const Json& json) {
    Diagnostics problems;
    KeyTokenFile file;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(key_tokens_schema_version))
        return tl::unexpected(std::move(problems));
    if (const Json* rule = reader.require("rule")) reader.take("rule", rule_from_json(*rule), file.rule);
    if (const Json* reference = reader.find("reference")) file.reference = *reference;
    if (const Json* tokenizer = reader.require("tokenizer")) file.tokenizer = *tokenizer;
    reader.text("corpus", file.corpus);
    if (const Json* samples = reader.require("samples")) {
        if (!samples->is_array()) reader.report("samples", "must be a list", *samples);
        for (std::size_t i = 0; samples->is_array() && i < samples->size(); ++i) {
            file.samples.emplace_back();
            reader.take("samples[" + std::to_string(i) + "]", sample_from_json((*samples)[i]),
                        file.samples.back());
        }
    }
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return file;
}

Result<KeyTokenFile> read_key_token_file(const std::string& file) {
    return read_json(file).and_then([&](const Json& json) -> Result<KeyTokenFile> {
        Checked<KeyTokenFile> keys = key_token_file_from_json(json);
        if (!keys) return fail(to_error(keys.error(), file));
        return std::move(*keys);
    });
}

}  // namespace braid
