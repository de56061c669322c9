#include "core/data/tokenizer/sentencepiece_model.h"

#include <functional>

namespace braid {
namespace {

// One field of a protocol buffer message: a number, or bytes.
struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;      // of varints
    std::string_view bytes = {};  // of strings and messages
};

bool read_varint(std::string_view& text, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(text[0]);
        text.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

// Calls take() for each field; false where the text is no message.
bool for_each_field(std::string_view text, const std::function<bool(const Field&)>& take) {
    while (!text.empty()) {
        std::uint64_t key = 0;
        if (!read_varint(text, key) || key >> 3U == 0 || key >> 3U > 0x1FFFFFFF) return false;
        Field field{.number = static_cast<std::uint32_t>(key >> 3U)};
        std::uint64_t size = 0;
        switch (key & 7U) {
            case 0:
                if (!read_varint(text, field.value)) return false;
                break;
            case 1:
                size = 8;
                break;
            case 2:
                if (!read_varint(text, size)) return false;
                break;
            case 5:
                size = 4;
                break;
            default:
                return false;
        }
        if (size > text.size()) return false;
        field.bytes = text.substr(0, size);
        text.remove_prefix(size);
        if (!take(field)) return false;
    }
    return true;
}

bool read_piece(std::string_view message, SentencePieceModel& model) {
    SentencePieceEntry entry;
    const bool good = for_each_field(message, [&](const Field& field) {
        if (field.number == 1) entry.text = field.bytes;
        if (field.number == 3) {
            if (field.value < 1 || field.value > 6) return false;
            entry.type = static_cast<SentencePieceEntry::Type>(field.value);
        }
        return true;
    });
    model.pieces.push_back(std::move(entry));
    return good;
}

bool read_trainer(std::string_view message, SentencePieceModel& model) {
    return for_each_field(message, [&](const Field& field) {
        const auto id = [&] { return static_cast<std::int64_t>(static_cast<std::int32_t>(field.value)); };
        constexpr const char* algorithms[] = {"", "unigram", "bpe", "word", "char"};
        if (field.number == 3) {
            if (field.value < 1 || field.value > 4) return false;
            model.algorithm = algorithms[field.value];
        }
        if (field.number == 24) model.whitespace_as_suffix = field.value != 0;
        if (field.number == 35) model.byte_fallback = field.value != 0;
        if (field.number == 40) model.unknown = id();
        if (field.number == 41) model.bos = id();
        if (field.number == 42) model.eos = id();
        return true;
    });
}

bool read_normalizer(std::string_view message, SentencePieceModel& model) {
    return for_each_field(message, [&](const Field& field) {
        if (field.number == 1) model.normalizer = field.bytes;
        if (field.number == 2) model.normalizes = !field.bytes.empty();
        if (field.number == 3) model.dummy_prefix = field.value != 0;
        if (field.number == 4) model.remove_extra_whitespaces = field.value != 0;
        if (field.number == 5) model.escape_whitespaces = field.value != 0;
        return true;
    });
}

}  // namespace

bool is_sentencepiece_model(std::string_view head) {
    // Field 1 (a piece), a message of a few bytes, whose first field is the piece's text.
    return head.size() > 4 && head[0] == '\x0A' && static_cast<unsigned char>(head[1]) < 0x80 &&
           head[2] == '\x0A';
}

Result<SentencePieceModel> parse_sentencepiece_model(std::string_view bytes, const std::string& file) {
    SentencePieceModel model;
    model.bos = 1;  // the defaults of the format
    model.eos = 2;
    bool trainer = false;  // both follow the pieces, so that a file that is cut off lacks one
    bool normalizer = false;
    const bool good = for_each_field(bytes, [&](const Field& field) {
        switch (field.number) {
            case 1:
                return read_piece(field.bytes, model);
            case 2:
                trainer = true;
                return read_trainer(field.bytes, model);
            case 3:
                normalizer = true;
                return read_normalizer(field.bytes, model);
            default:
                return true;
        }
    });
    if (!good || model.pieces.empty() || !trainer || !normalizer)
        return fail(ErrorKind::corrupt, "is no SentencePiece model, or cut off", file, "Get the file again");
    const auto count = static_cast<std::int64_t>(model.pieces.size());
    const auto is_control = [&](std::int64_t id) {
        return id >= 0 && id < count &&
               model.pieces[static_cast<std::size_t>(id)].type == SentencePieceEntry::control;
    };
    if (!is_control(model.bos)) model.bos = -1;
    if (!is_control(model.eos)) model.eos = -1;
    if (model.unknown < 0 || model.unknown >= count) model.unknown = -1;
    return model;
}

}  // namespace braid
