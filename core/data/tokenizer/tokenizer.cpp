#include "core/data/tokenizer/tokenizer.h"

#include <algorithm>

#include "core/base/json_reader.h"

namespace braid {

Json to_json(const TokenizerOptions& options) {
    Json json = Json::object();
    if (!options.pattern.empty()) json["pattern"] = options.pattern;
    if (!options.bos.empty()) json["bos"] = options.bos;
    if (!options.eos.empty()) json["eos"] = options.eos;
    return json;
}

Checked<TokenizerOptions> tokenizer_options_from_json(const Json& json) {
    Diagnostics problems;
    TokenizerOptions options;
    JsonReader reader(json, "", problems);
    if (reader.is_object()) {
        reader.text("pattern", options.pattern);
        reader.text("bos", options.bos);
        reader.text("eos", options.eos);
        reader.refuse_unknown_keys();
    }
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return options;
}

Json to_json(const TokenizerInfo& info) {
    return {{"kind", info.kind}, {"file", info.file},       {"options", to_json(info.options)},
            {"hash", info.hash}, {"vocab", info.vocab},     {"bos", info.bos},
            {"eos", info.eos},   {"unknown", info.unknown}, {"loss", info.loss}};
}

Checked<TokenizerInfo> tokenizer_info_from_json(const Json& json) {
    Diagnostics problems;
    TokenizerInfo info;
    JsonReader reader(json, "", problems);
    if (reader.is_object()) {
        const auto id = [&](const char* key, std::int32_t& value) {
            std::int64_t wide = value;
            reader.integer(key, wide, -1, 0x7FFFFFFE);
            value = static_cast<std::int32_t>(wide);
        };
        reader.text("kind", info.kind);
        reader.text("file", info.file);
        if (const Json* options = reader.find("options"))
            reader.take("options", tokenizer_options_from_json(*options), info.options);
        reader.text("hash", info.hash);
        reader.integer("vocab", info.vocab, 1, 0x7FFFFFFF);
        id("bos", info.bos);
        id("eos", info.eos);
        id("unknown", info.unknown);
        reader.text("loss", info.loss);
        reader.refuse_unknown_keys();
        if (info.file.find('/') != std::string::npos)
            reader.report(reader.place("file"), "must be a file name without folders", info.file);
    }
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return info;
}

Tokenizer::Tokenizer(TokenizerInfo info) : info_(std::move(info)) {
    if (!info_.file.empty())
        info_.hash = content_hash(Json{{"file", info_.hash}, {"options", to_json(info_.options)}});
}

Encoding Tokenizer::encode(std::string_view text, SpecialText special) const {
    Encoding encoding;
    encode(text, special, encoding.ids, &encoding.spans);
    return encoding;
}

bool Tokenizer::is_special(std::int32_t id) const {
    return std::binary_search(info_.special.begin(), info_.special.end(), id);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool with_special) const {
    std::string text;
    for (const std::int32_t id : ids)
        if (with_special || !is_special(id)) text += bytes(id);
    return text;
}

std::int32_t Tokenizer::find(std::string_view token) const {
    for (std::int64_t id = 0; id < info_.vocab; ++id)
        if (bytes(static_cast<std::int32_t>(id)) == token && !token.empty())
            return static_cast<std::int32_t>(id);
    return -1;
}

Diagnostics check_fit(const TokenizerInfo& tokenizer, std::int64_t model_vocab, const std::string& path) {
    if (tokenizer.vocab <= model_vocab) return {};
    return {{.path = path,
             .rule = "must be at least " + std::to_string(tokenizer.vocab) + ", the vocabulary of the " +
                     tokenizer.kind + " tokenizer" + (tokenizer.file.empty() ? "" : " " + tokenizer.file),
             .found = std::to_string(model_vocab)}};
}

Diagnostics check_same(const TokenizerInfo& tokenizer, const TokenizerInfo& trained_with,
                       const std::string& path) {
    if (tokenizer.hash == trained_with.hash) return {};
    const auto name = [](const TokenizerInfo& info) {
        return info.kind + (info.file.empty() ? "" : " " + info.file) + " (" + info.hash.substr(0, 8) + ")";
    };
    return {{.path = path,
             .rule = "must be the tokenizer the model was trained with, " + name(trained_with),
             .found = name(tokenizer)}};
}

}  // namespace braid
