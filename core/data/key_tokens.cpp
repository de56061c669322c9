#include "core/data/key_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/data/utf8.h"

namespace braid {
namespace {

constexpr std::int64_t largest_file = std::int64_t{64} << 20;      // read_json() takes no larger one
constexpr std::int64_t bytes_of_a_span = 24;                       // "[4294967295,4294967295],"
constexpr std::int64_t bytes_of_the_rest = std::int64_t{1} << 20;  // rule, reference, tokenizer

// Without the rest of a character that a cut between tokens left at either end.
std::string whole_characters(std::string text) {
    std::size_t begin = 0;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) ++begin;
    text.erase(0, begin);
    if (text.size() - valid_utf8_prefix(text) < 4) text.resize(valid_utf8_prefix(text));
    return text;
}

struct Piece {
    std::int64_t offset = 0;  // of its first token in the validation split
    std::int64_t tokens = 0;
};

}  // namespace

Json to_json(const KeyTokens& keys) {
    return to_json(KeyTokenFile{.rule = keys.rule,
                                .reference = keys.reference,
                                .tokenizer = to_json(keys.tokenizer),
                                .corpus = keys.corpus,
                                .samples = keys.samples});
}

Checked<KeyTokens> key_tokens_from_json(const Json& json) {
    Checked<KeyTokenFile> file = key_token_file_from_json(json);
    Diagnostics problems;
    if (!file) problems = std::move(file.error());
    KeyTokens keys;
    if (json.is_object() && json.contains("tokenizer")) {
        JsonReader reader(json, "", problems);
        reader.take("tokenizer", tokenizer_info_from_json(json["tokenizer"]), keys.tokenizer);
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    keys.rule = file->rule;
    keys.reference = std::move(file->reference);
    keys.corpus = std::move(file->corpus);
    keys.samples = std::move(file->samples);
    return keys;
}

Result<KeyTokens> read_key_tokens(const std::string& file) {
    return read_json(file).and_then([&](const Json& json) -> Result<KeyTokens> {
        Checked<KeyTokens> keys = key_tokens_from_json(json);
        if (!keys) return fail(to_error(keys.error(), file));
        return std::move(*keys);
    });
}

Result<void> write_key_tokens(const std::string& file, const KeyTokens& keys) {
    return write_file_atomically(file,
                                 to_json(keys).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> check_key_file_size(std::span<const KeySample> samples, std::int64_t tokens) {
    std::int64_t bytes = bytes_of_the_rest;
    for (const KeySample& sample : samples)
        bytes += static_cast<std::int64_t>(Json(sample.text).dump().size()) + tokens / 2 * bytes_of_a_span;
    if (bytes <= largest_file) return {};
    std::string found = std::to_string(samples.size());
    found.append(" texts, which can come to ").append(std::to_string(bytes >> 20)).append(" MiB");
    Error error = to_error({{.path = "samples",
                             .rule = "must fit with their key tokens in a file of " +
                                     std::to_string(largest_file >> 20) + " MiB",
                             .found = std::move(found)}});
    error.hint = "Give fewer --samples, or a smaller --context";
    return fail(std::move(error));
}

Result<std::vector<KeySample>> long_texts(const Corpus& corpus, std::int64_t tokens, std::int64_t samples) {
    const Result<std::shared_ptr<const Tokenizer>> tokenizer = corpus.tokenizer();
    if (!tokenizer) return fail(tokenizer.error());
    // The first piece of every document, then the second ones, ..: few pieces come from many documents.
    std::vector<std::vector<Piece>> rounds;
    std::int64_t longest = 0;
    for (const DocumentEntry& document : corpus.documents(Split::validation)) {
        const std::int64_t inside =
            static_cast<std::int64_t>(document.tokens) - 1;  // without the document token
        longest = std::max(longest, inside);
        const auto first = static_cast<std::int64_t>(document.offset) + 1;
        for (std::int64_t piece = 0; (piece + 1) * tokens <= inside; ++piece) {
            if (rounds.size() <= static_cast<std::size_t>(piece)) rounds.emplace_back();
            rounds[static_cast<std::size_t>(piece)].push_back(
                {.offset = first + piece * tokens, .tokens = tokens});
        }
    }
    std::vector<KeySample> texts;
    std::vector<std::int32_t> ids;
    const auto checked = [tokens](std::vector<KeySample> found) -> Result<std::vector<KeySample>> {
        if (const Result<void> fits = check_key_file_size(found, tokens); !fits) return fail(fits.error());
        return found;
    };
    for (const std::vector<Piece>& round : rounds) {
        for (const Piece& piece : round) {
            if (static_cast<std::int64_t>(texts.size()) == samples) return checked(std::move(texts));
            ids.resize(static_cast<std::size_t>(piece.tokens));
            corpus.read(Split::validation, piece.offset, ids);
            std::string text = whole_characters((*tokenizer)->decode(ids));
            if (count_invalid_utf8(text) > 0) continue;  // JSON could not hold it
            texts.push_back({.text = std::move(text), .spans = {}});
        }
    }
    if (!texts.empty()) return checked(std::move(texts));
    if (!rounds.empty())
        return fail(ErrorKind::invalid_input, "no long validation document is valid UTF-8", corpus.folder());
    return fail(to_error({{.path = "context",
                           .rule = "must be at most " + std::to_string(longest) +
                                   ", the tokens of the longest validation document",
                           .found = std::to_string(tokens)}},
                         corpus.folder()));
}

LongTextSet make_long_text_set(const KeyTokens& keys, const Tokenizer& tokenizer, std::int64_t context) {
    LongTextSet set{.batch = {.sequences = static_cast<std::int64_t>(keys.samples.size()),
                              .context = context,
                              .tokens_BT = {},
                              .targets_BT = {}},
                    .fewest = keys.rule.fewest};
    const auto length = static_cast<std::size_t>(context);
    const std::int32_t opening = tokenizer.info().document_token();
    // ids[i] is the target of position `i + shift - 1`: the document token is an input only, the last token
    // of a text a target only.
    const std::size_t shift = opening >= 0 ? 1 : 0;
    const std::size_t fit = length + 1 - shift;
    set.batch.tokens_BT.assign(keys.samples.size() * length, std::max(opening, 0));
    set.batch.targets_BT.assign(keys.samples.size() * length, no_target);
    for (std::size_t b = 0; b < keys.samples.size(); ++b) {
        const KeySample& sample = keys.samples[b];
        const Encoding encoding = tokenizer.encode(sample.text);
        if (encoding.ids.size() > fit) {
            const std::uint32_t end = encoding.spans[fit].begin;
            ++set.cut_texts;
            set.cut_spans += std::count_if(sample.spans.begin(), sample.spans.end(),
                                           [end](const TokenSpan& place) { return place.end > end; });
        }
        set.keys.emplace_back();
        std::size_t span = 0;
        for (std::size_t i = 0; i < encoding.ids.size() && i + shift <= length; ++i) {
            if (i + shift < length) set.batch.tokens_BT[b * length + i + shift] = encoding.ids[i];
            if (i + shift == 0) continue;
            const std::size_t position = i + shift - 1;
            set.batch.targets_BT[b * length + position] = encoding.ids[i];
            const TokenSpan place = encoding.spans[i];
            while (span < sample.spans.size() && sample.spans[span].end <= place.begin) ++span;
            if (span < sample.spans.size() && place.begin < place.end &&
                sample.spans[span].begin <= place.begin && place.end <= sample.spans[span].end)
                set.keys.back().push_back(static_cast<std::int32_t>(position));
        }
    }
    return set;
}

Result<LongTextSet> checked_long_text_set(const KeyTokens& keys, const Tokenizer& tokenizer,
                                          std::int64_t context, const std::string& file) {
    LongTextSet set = make_long_text_set(keys, tokenizer, context);
    const auto kept = std::count_if(set.keys.begin(), set.keys.end(), [&](const auto& positions) {
        return static_cast<std::int64_t>(positions.size()) >= set.fewest;
    });
    if (kept > 0) return set;
    std::size_t most = 0;
    for (const auto& positions : set.keys) most = std::max(most, positions.size());
    return fail(to_error(
        {{.path = "key_tokens",
          .rule = "must hold a sample with at least " + std::to_string(set.fewest) +
                  " key tokens within a context of " + std::to_string(context) +
                  " tokens; they begin after the short context of " + std::to_string(keys.rule.short_context),
          .found = "at most " + std::to_string(most)}},
        file));
}

LongPpl score_longppl(const LongTextSet& set, std::span<const float> loss_BT) {
    LongPpl score{.samples_given = set.batch.sequences};
    double key_sum = 0, all_sum = 0;
    const auto length = static_cast<std::size_t>(set.batch.context);
    for (std::size_t b = 0; b < set.keys.size(); ++b) {
        for (std::size_t t = 0; t < length; ++t)
            if (set.batch.targets_BT[b * length + t] != no_target) {
                all_sum += double(loss_BT[b * length + t]);
                ++score.tokens;
            }
        if (static_cast<std::int64_t>(set.keys[b].size()) < set.fewest) continue;
        ++score.samples;
        score.key_tokens += static_cast<std::int64_t>(set.keys[b].size());
        for (const std::int32_t position : set.keys[b])
            key_sum += double(loss_BT[b * length + static_cast<std::size_t>(position)]);
    }
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    score.log_longppl = score.key_tokens > 0 ? key_sum / static_cast<double>(score.key_tokens) : none;
    score.log_ppl = score.tokens > 0 ? all_sum / static_cast<double>(score.tokens) : none;
    return score;
}

}  // namespace braid
