#include "core/data/tokenizer/huggingface_tokenizer.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "core/base/json_reader.h"
#include "core/data/tokenizer/bpe_tokenizer.h"
#include "core/data/tokenizer/byte_alphabet.h"
#include "core/spec/parameter.h"

namespace braid {
namespace {

constexpr std::int64_t max_id = 1 << 24;
constexpr std::size_t max_problems = 20;  // of one kind: a foreign vocabulary would have thousands

// Reads one tokenizer.json into BpeParts.
class Loader {
public:
    Loader(const Json& json, TokenizerInfo& info) : json_(json), info_(info) {}

    BpeParts parts;
    Diagnostics problems;

    void read() {
        JsonReader reader(json_, "", problems);
        if (!reader.is_object()) return;
        if (const Json* normalizer = reader.find("normalizer"))
            parts.normalizer = Normalizer::from_json(*normalizer, "normalizer", problems);
        if (const Json* words = reader.find("pre_tokenizer"))
            parts.words = PreTokenizer::from_json(*words, "pre_tokenizer", problems);
        if (const Json* decoder = reader.find("decoder")) read_decoder(*decoder, "decoder");
        if (const Json* model = reader.require("model")) read_model(*model);
        if (const Json* added = reader.find("added_tokens")) read_added(*added);
        if (const Json* post = reader.find("post_processor")) read_post_processor(*post);
        if (!problems.empty()) return;
        info_.vocab = static_cast<std::int64_t>(parts.pieces.size());
        name_document_tokens();
        describe_loss();
        if (parts.words.prefix_space()) parts.normalizer.add_prepend(" ", true);
    }

private:
    void report(std::string path, std::string rule, std::string found = {}) {
        problems.push_back({.path = std::move(path), .rule = std::move(rule), .found = std::move(found)});
    }

    void read_model(const Json& json) {
        JsonReader reader(json, "model", problems);
        if (!reader.is_object()) return;
        std::string type = "BPE";
        reader.text("type", type);
        if (type != "BPE") {
            report("model.type", "must be BPE; other models are not supported", type);
            return;
        }
        for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (const Json* value = reader.find(key);
                value != nullptr && !value->is_null() && *value != Json(""))
                report(std::string("model.") + key, "is not supported", found_in(*value));
        const auto flag = [&](const char* key, bool& value) {
            if (const Json* one = reader.find(key); one != nullptr && !one->is_null())
                reader.flag(key, value);
        };
        flag("ignore_merges", parts.whole_word_first);
        flag("fuse_unk", parts.join_unknown);
        flag("byte_fallback", byte_fallback_);
        if (const Json* unknown = reader.find("unk_token"); unknown != nullptr && unknown->is_string())
            unknown_ = unknown->get<std::string>();
        parts.from_bytes = parts.words.byte_level();
        if (const Json* vocab = reader.require("vocab")) read_vocab(*vocab);
        if (const Json* merges = reader.require("merges"); merges != nullptr && problems.empty())
            read_merges(*merges);
        if (!unknown_.empty() && problems.empty()) {
            const auto found = ids_.find(unknown_);
            if (found == ids_.end())
                report("model.unk_token", "must be in the vocabulary", unknown_);
            else
                info_.unknown = found->second;
        }
    }

    void read_vocab(const Json& vocab) {
        if (!vocab.is_object()) return report("model.vocab", "must be an object of ids by token");
        ids_.reserve(vocab.size());
        for (const auto& [token, id] : vocab.items()) {
            if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > max_id) {
                report("model.vocab." + token.substr(0, 60), "must be a number from 0 to 16777216",
                       found_in(id));
                if (problems.size() > max_problems) return;
                continue;
            }
            const auto number = static_cast<std::size_t>(id.get<std::int64_t>());
            ids_.emplace(token, static_cast<std::int32_t>(number));
            if (number >= parts.pieces.size()) parts.pieces.resize(number + 1);
            parts.pieces[number] = to_bytes(token);
        }
        parts.byte_ids.fill(-1);
        if (parts.from_bytes)
            for (std::size_t id = 0; id < parts.pieces.size(); ++id)
                if (parts.pieces[id].size() == 1)
                    parts.byte_ids[static_cast<unsigned char>(parts.pieces[id][0])] =
                        static_cast<std::int32_t>(id);
        if (!parts.from_bytes && byte_fallback_) read_byte_tokens();
        const auto missing = std::count(parts.byte_ids.begin(), parts.byte_ids.end(), -1);
        if (missing > 0 && parts.from_bytes)
            report("model.vocab", "must have a token for each of the 256 bytes",
                   std::to_string(256 - missing) + " of them");
    }

    // "<0x41>" are bytes, not text.
    void read_byte_tokens() {
        for (unsigned byte = 0; byte < 256; ++byte) {
            char name[8];
            std::snprintf(name, sizeof name, "<0x%02X>", byte);
            const auto found = ids_.find(name);
            if (found == ids_.end()) continue;
            parts.byte_ids[byte] = found->second;
            parts.pieces[static_cast<std::size_t>(found->second)] = std::string(1, static_cast<char>(byte));
        }
    }

    // The bytes that the vocabulary's text stands for. A byte-level vocabulary may hold other text besides
    // (special tokens), which no word ever becomes.
    std::string to_bytes(const std::string& token) const {
        if (!parts.from_bytes) return token;
        return from_byte_alphabet(token).value_or(token);
    }

    void read_merges(const Json& merges) {
        if (!merges.is_array()) return report("model.merges", "must be a list");
        parts.merges = PairTable(merges.size());
        for (std::size_t i = 0; i < merges.size() && problems.size() < max_problems; ++i) {
            std::string left, right;
            const Json& merge = merges[i];
            const std::string place = "model.merges[" + std::to_string(i) + "]";
            if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
                left = merge[0].get<std::string>();
                right = merge[1].get<std::string>();
            } else if (merge.is_string()) {
                const std::string& text = merge.get_ref<const std::string&>();
                const std::size_t space = text.find(' ');
                if (i == 0 && text.starts_with("#version")) continue;
                if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
                    report(place, "must be two tokens with a space between", text.substr(0, 60));
                    continue;
                }
                left = text.substr(0, space);
                right = text.substr(space + 1);
            } else {
                report(place, "must be \"LEFT RIGHT\" or [LEFT, RIGHT]", found_in(merge));
                continue;
            }
            const auto id = [&](const std::string& token) -> std::int32_t {
                const auto found = ids_.find(token);
                if (found != ids_.end()) return found->second;
                report(place, "must be of tokens of the vocabulary", token.substr(0, 60));
                return -1;
            };
            const std::int32_t l = id(left), r = id(right), both = l < 0 || r < 0 ? -1 : id(left + right);
            // Of a pair that is there twice the last counts, as in the library.
            if (both >= 0) parts.merges.set(l, r, {static_cast<std::uint32_t>(i), both});
        }
    }

    void read_added(const Json& list) {
        if (!list.is_array()) return report("added_tokens", "must be a list");
        for (std::size_t i = 0; i < list.size() && problems.size() < max_problems; ++i) {
            JsonReader reader(list[i], "added_tokens[" + std::to_string(i) + "]", problems);
            if (!reader.is_object()) continue;
            AddedToken token;
            std::int64_t id = -1;
            reader.integer("id", id, 0, max_id);
            reader.text("content", token.content);
            reader.flag("special", token.special);
            reader.flag("single_word", token.single_word);
            reader.flag("lstrip", token.left_strip);
            reader.flag("rstrip", token.right_strip);
            reader.flag("normalized", token.normalized);
            if (id < 0 || token.content.empty()) {
                reader.report(reader.place(id < 0 ? "id" : "content"), "is missing or empty");
                continue;
            }
            token.id = static_cast<std::int32_t>(id);
            if (static_cast<std::size_t>(id) >= parts.pieces.size())
                parts.pieces.resize(static_cast<std::size_t>(id) + 1);
            parts.pieces[static_cast<std::size_t>(id)] = token.content;
            parts.added.push_back(std::move(token));
        }
    }

    void read_decoder(const Json& json, const std::string& path) {
        if (json.is_null()) return;
        JsonReader reader(json, path, problems);
        if (!reader.is_object()) return;
        std::string type;
        reader.text("type", type);
        if (type == "Sequence") {
            const Json* list = reader.require("decoders");
            if (list == nullptr) return;
            if (!list->is_array()) return report(path + ".decoders", "must be a list");
            for (std::size_t i = 0; i < list->size(); ++i)
                read_decoder((*list)[i], path + ".decoders[" + std::to_string(i) + "]");
        } else if (type == "Replace") {
            const Json* pattern = reader.require("pattern");
            if (pattern == nullptr) return;
            if (*pattern != Json{{"String", "\u2581"}} || reader.require("content") == nullptr ||
                *reader.require("content") != Json(" "))
                return report(path, "must replace \u2581 by a space; others are not supported");
            underscore_is_space_ = true;
        } else if (type == "Strip") {
            std::int64_t start = 0, stop = 0;
            reader.integer("start", start, 0, 1);
            reader.integer("stop", stop, 0, 0);
            parts.drop_first_space = start == 1;
        } else if (type != "ByteLevel" && type != "ByteFallback" && type != "Fuse") {
            report(path + ".type",
                   "this decoder is not supported; known are ByteLevel, ByteFallback, Fuse, Replace, Strip, "
                   "Sequence",
                   type);
        }
    }

    // {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", ..}}, {"Sequence": ..}]}
    void read_post_processor(const Json& json) {
        if (!json.is_object()) return;
        if (json.contains("processors") && json["processors"].is_array())
            for (const Json& one : json["processors"]) read_post_processor(one);
        if (!json.contains("single") || !json["single"].is_array()) return;
        bool behind = false;
        for (const Json& item : json["single"]) {
            if (!item.is_object()) continue;
            if (item.contains("Sequence")) behind = true;
            if (!item.contains("SpecialToken") || !item["SpecialToken"].is_object()) continue;
            const Json& token = item["SpecialToken"];
            if (token.contains("id") && token["id"].is_string())
                (behind ? template_eos_ : template_bos_) = token["id"].get<std::string>();
        }
    }

    std::int32_t find(const std::string& token) const {
        for (const AddedToken& one : parts.added)
            if (one.content == token) return one.id;
        const auto found = ids_.find(token);
        return found == ids_.end() ? -1 : found->second;
    }

    void name_document_tokens() {
        const auto choose = [&](const char* key, std::string& option, const std::string& from_template,
                                std::initializer_list<const char*> usual, std::int32_t& id) {
            if (!option.empty()) {
                id = find(option);
                if (id < 0) report(std::string("--") + key, "must be a token of the tokenizer", option);
                return;
            }
            if (!from_template.empty()) {
                option = from_template;
            } else {
                for (const char* name : usual)
                    if (option.empty() && find(name) >= 0) option = name;
            }
            if (!option.empty()) id = find(option);
        };
        choose("bos", info_.options.bos, template_bos_, {"<|begin_of_text|>", "<s>", "<bos>", "[BOS]"},
               info_.bos);
        choose("eos", info_.options.eos, template_eos_,
               {"<|end_of_text|>", "<|endoftext|>", "</s>", "<eos>", "[EOS]"}, info_.eos);
    }

    void describe_loss() {
        info_.loss = parts.normalizer.loss();
        const auto also = [&](const char* what) {
            info_.loss += (info_.loss.empty() ? "" : "; ") + std::string(what);
        };
        if (parts.words.removes_text()) also("leaves out text between words");
        if (underscore_is_space_) also("U+2581 becomes a space");
        if (parts.words.prefix_space()) also("puts a space in front");
        if (!parts.from_bytes && std::count(parts.byte_ids.begin(), parts.byte_ids.end(), -1) > 0)
            also("characters outside the vocabulary are unknown");
        if (!underscore_is_space_) return;
        parts.shown = parts.pieces;
        constexpr std::string_view underscore = "\u2581";
        for (std::string& piece : parts.shown)
            for (std::size_t at = 0; (at = piece.find(underscore, at)) != std::string::npos; ++at)
                piece.replace(at, underscore.size(), " ");
    }

    const Json& json_;
    TokenizerInfo& info_;
    std::unordered_map<std::string, std::int32_t> ids_;
    std::string unknown_, template_bos_, template_eos_;
    bool byte_fallback_ = false;
    bool underscore_is_space_ = false;
};

}  // namespace

bool is_tokenizer_json(std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && head[first] == '{';
}

Result<std::shared_ptr<const Tokenizer>> read_tokenizer_json(std::string_view bytes, TokenizerInfo info) {
    const Result<Json> json = parse_json(bytes, info.file);
    if (!json) return fail(json.error());
    Loader loader(*json, info);
    loader.read();
    if (!loader.problems.empty()) return fail(to_error(loader.problems, info.file));
    return std::make_shared<const BpeTokenizer>(std::move(info), std::move(loader.parts));
}

}  // namespace braid
