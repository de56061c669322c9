#include "core/data/tokenizer/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <array>

#include "core/data/tokenizer/added_tokens.h"
#include "core/data/tokenizer/sentencepiece_model.h"
#include "core/data/utf8.h"

namespace braid {
namespace {

constexpr std::string_view space_mark = "\u2581";

std::string shown(const SentencePieceEntry& entry) {
    if (entry.type == SentencePieceEntry::byte && entry.text.size() == 6)
        return std::string(1, static_cast<char>(std::stoi(entry.text.substr(3, 2), nullptr, 16)));
    if (entry.type != SentencePieceEntry::normal && entry.type != SentencePieceEntry::user_defined)
        return entry.text;
    std::string text = entry.text;
    for (std::size_t at = 0; (at = text.find(space_mark, at)) != std::string::npos; ++at)
        text.replace(at, space_mark.size(), " ");
    return text;
}

bool is_byte_name(const std::string& text) {
    return text.size() == 6 && text.starts_with("<0x") && text.ends_with('>') &&
           text.find_first_not_of("0123456789ABCDEF", 3) == 5;
}

class SentencePieceTokenizer final : public Tokenizer {
public:
    SentencePieceTokenizer(TokenizerInfo info, const SentencePieceModel& model,
                           std::unique_ptr<sentencepiece::SentencePieceProcessor> processor)
        : Tokenizer(std::move(info)),
          processor_(std::move(processor)),
          exact_(info_.loss.empty()),
          drops_first_space_(model.dummy_prefix) {
        byte_ids_.fill(-1);
        for (std::size_t id = 0; id < model.pieces.size(); ++id) {
            const SentencePieceEntry& entry = model.pieces[id];
            const auto number = static_cast<std::int32_t>(id);
            pieces_.push_back(shown(entry));
            is_byte_.push_back(entry.type == SentencePieceEntry::byte);
            if (entry.type == SentencePieceEntry::byte)
                byte_ids_[static_cast<unsigned char>(pieces_.back()[0])] = number;
            if (entry.type == SentencePieceEntry::control) {
                info_.special.push_back(number);
                control_.add({.id = number, .content = entry.text, .special = true});
            }
        }
    }

    void encode(std::string_view text, SpecialText special, std::vector<std::int32_t>& ids,
                std::vector<TokenSpan>* spans) const override {
        std::vector<AddedPart> parts;
        control_.split(text, special, parts);
        for (const AddedPart& part : parts) {
            const std::string_view inside = text.substr(part.begin, part.end - part.begin);
            if (part.id >= 0) {
                ids.push_back(part.id);
                if (spans != nullptr) spans->push_back({part.begin, part.end});
            } else if (exact_) {
                encode_exactly(inside, part.begin, ids, spans);
            } else {
                encode_as_it_is(inside, part.begin, ids, spans);
            }
        }
    }

    std::string_view bytes(std::int32_t id) const override {
        if (id < 0 || static_cast<std::size_t>(id) >= pieces_.size()) return {};
        return pieces_[static_cast<std::size_t>(id)];
    }

    std::string decode(std::span<const std::int32_t> ids, bool with_special) const override {
        std::string text = Tokenizer::decode(ids, with_special);
        if (drops_first_space_ && text.starts_with(' ')) text.erase(0, 1);
        return text;
    }

private:
    void encode_exactly(std::string_view text, std::uint32_t offset, std::vector<std::int32_t>& ids,
                        std::vector<TokenSpan>* spans) const {
        const std::size_t first = ids.size();
        std::vector<int> found;
        while (!text.empty()) {
            std::size_t good = valid_utf8_prefix(text);
            good = std::min(good, text.substr(0, good).find(space_mark));
            if (good > 0) {
                // Fails for a model that was not loaded only.
                if (processor_->Encode(text.substr(0, good), &found).ok())
                    ids.insert(ids.end(), found.begin(), found.end());
                text.remove_prefix(good);
                continue;
            }
            const std::size_t odd = std::max<std::size_t>(1, utf8_character(text, 0));
            for (const char c : text.substr(0, odd)) ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
            text.remove_prefix(odd);
        }
        if (spans == nullptr) return;
        // Nothing is lost, so the tokens lie side by side.
        for (std::size_t i = first; i < ids.size(); ++i) {
            const auto size = static_cast<std::uint32_t>(bytes(ids[i]).size());
            spans->push_back({offset, offset + size});
            offset += size;
        }
    }

    void encode_as_it_is(std::string_view text, std::uint32_t offset, std::vector<std::int32_t>& ids,
                         std::vector<TokenSpan>* spans) const {
        const sentencepiece::ImmutableSentencePieceText result = processor_->EncodeAsImmutableProto(text);
        const std::size_t count = result.pieces_size();
        std::size_t waiting = 0;  // bytes of a character whose span comes with the last of them
        for (std::size_t i = 0; i < count; ++i) {
            const auto piece = result.pieces(static_cast<int>(i));
            ids.push_back(static_cast<std::int32_t>(piece.id()));
            if (spans == nullptr) continue;
            spans->push_back({offset + piece.begin(), offset + piece.end()});
            if (!is_byte_[piece.id()]) {
                waiting = 0;
                continue;
            }
            ++waiting;
            if (piece.end() == piece.begin()) continue;
            std::fill(spans->end() - static_cast<std::ptrdiff_t>(waiting), spans->end(), spans->back());
            waiting = 0;
        }
    }

    std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
    std::vector<std::string> pieces_;
    std::vector<bool> is_byte_;
    std::array<std::int32_t, 256> byte_ids_{};
    AddedTokens control_;
    bool exact_;
    bool drops_first_space_;
};

std::string loss_of(const SentencePieceModel& model, bool all_bytes) {
    std::string loss;
    const auto also = [&](const std::string& what) { loss += (loss.empty() ? "" : "; ") + what; };
    if (model.normalizes)
        also("normalises text" + (model.normalizer.empty() ? "" : " (" + model.normalizer + ")"));
    if (model.remove_extra_whitespaces) also("removes extra white space");
    if (!all_bytes) also("characters outside the vocabulary are unknown");
    if (model.dummy_prefix) also("puts a space in front; U+2581 becomes a space");
    return loss;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> read_sentencepiece(std::string_view bytes, TokenizerInfo info) {
    const Result<SentencePieceModel> model = parse_sentencepiece_model(bytes, info.file);
    if (!model) return fail(model.error());
    Diagnostics problems;
    std::int64_t byte_pieces = 0;
    for (const SentencePieceEntry& entry : model->pieces) {
        if (entry.type != SentencePieceEntry::byte) continue;
        ++byte_pieces;
        if (!is_byte_name(entry.text))
            problems.push_back({.path = "pieces",
                                .rule = "a byte must be written <0x41>",
                                .found = entry.text.substr(0, 20)});
    }
    if (!model->escape_whitespaces)
        problems.push_back({.path = "normalizer_spec.escape_whitespaces",
                            .rule = "must be on; off is not supported",
                            .found = {}});
    if (model->whitespace_as_suffix)
        problems.push_back({.path = "trainer_spec.treat_whitespace_as_suffix",
                            .rule = "must be off; on is not supported",
                            .found = {}});
    const auto choose = [&](const char* key, std::string& name, std::int64_t usual, std::int32_t& id) {
        id = static_cast<std::int32_t>(usual);
        if (!name.empty()) {
            id = -1;
            for (std::size_t i = 0; i < model->pieces.size(); ++i)
                if (model->pieces[i].text == name) id = static_cast<std::int32_t>(i);
            if (id < 0)
                problems.push_back({.path = std::string("--") + key,
                                    .rule = "must be a token of the tokenizer",
                                    .found = name});
        } else if (id >= 0) {
            name = model->pieces[static_cast<std::size_t>(id)].text;
        }
    };
    choose("bos", info.options.bos, model->bos, info.bos);
    choose("eos", info.options.eos, model->eos, info.eos);
    if (!problems.empty()) return fail(to_error(problems, info.file));
    info.unknown = static_cast<std::int32_t>(model->unknown);
    info.vocab = static_cast<std::int64_t>(model->pieces.size());
    info.loss = loss_of(*model, byte_pieces == 256 && model->byte_fallback);
    auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
    if (const auto status = processor->LoadFromSerializedProto({bytes.data(), bytes.size()}); !status.ok())
        return fail(ErrorKind::corrupt, "SentencePiece cannot read it: " + status.ToString(), info.file,
                    "Get the file again");
    return std::make_shared<const SentencePieceTokenizer>(std::move(info), *model, std::move(processor));
}

}  // namespace braid
