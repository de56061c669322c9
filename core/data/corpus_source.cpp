#include "core/data/corpus_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/data/key_tokens.h"
#include "core/data/permutation.h"

namespace braid {
namespace {

// Documents of the training split, one after the other, as one row of tokens.
class Pool {
public:
    // All of them.
    Pool(const Corpus& corpus, std::string stream)
        : corpus_(corpus), stream_(std::move(stream)), tokens_(corpus.tokens(Split::train)) {}
    // Those of the long or of the short pool.
    Pool(const Corpus& corpus, std::string stream, bool is_long, Split split = Split::train)
        : corpus_(corpus), stream_(std::move(stream)), split_(split) {
        for (const DocumentEntry& document : corpus.documents(split)) {
            if ((document.in_long_pool != 0) != is_long) continue;
            // Neighbours in the corpus stay one part.
            const auto offset = static_cast<std::int64_t>(document.offset);
            const auto tokens = static_cast<std::int64_t>(document.tokens);
            if (parts_.empty() || parts_.back().offset + (tokens_ - parts_.back().begin) != offset)
                parts_.push_back({tokens_, offset});
            tokens_ += tokens;
        }
    }

    std::int64_t tokens() const { return tokens_; }

    void read(std::int64_t at, std::span<std::int32_t> out) const {
        if (parts_.empty()) return corpus_.read(split_, at, out);
        auto part = std::upper_bound(parts_.begin(), parts_.end(), at,
                                     [](std::int64_t place, const Part& one) { return place < one.begin; });
        for (--part; !out.empty(); ++part) {
            const std::int64_t end = part + 1 == parts_.end() ? tokens_ : (part + 1)->begin;
            const std::size_t count = std::min(out.size(), static_cast<std::size_t>(end - at));
            corpus_.read(split_, part->offset + (at - part->begin), out.first(count));
            out = out.subspan(count);
            at += static_cast<std::int64_t>(count);
        }
    }

    // First token of the pool's sequence `number`.
    std::int64_t offset_of(std::int64_t number, std::int64_t context, std::uint64_t seed) const {
        const std::int64_t usable = tokens_ - 1;
        // One piece fewer than fit, so that moving the cuts never leaves the tokens.
        const std::int64_t pieces = std::max<std::int64_t>(1, usable / context - 1);
        const auto epoch = static_cast<std::uint64_t>(number / pieces);
        const std::int64_t slack = usable - pieces * context;
        Random random(seed, "data/" + stream_ + "/shift", epoch);
        const auto shift = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(slack) + 1));
        const Permutation order(static_cast<std::uint64_t>(pieces), seed,
                                random_stream("data/" + stream_ + "/order"), epoch);
        const auto piece = static_cast<std::int64_t>(order(static_cast<std::uint64_t>(number % pieces)));
        return piece * context + shift;
    }

private:
    struct Part {
        std::int64_t begin = 0;   // of its tokens in the pool
        std::int64_t offset = 0;  // likewise, in the split
    };
    Corpus corpus_;
    std::string stream_;
    Split split_ = Split::train;
    std::int64_t tokens_ = 0;
    std::vector<Part> parts_;  // empty: the whole split
};

struct CorpusSettings {
    bool mixed = false;
    double long_share = 0.5;
    std::int64_t evaluation_tokens = 0;
    bool separate = false;  // documents do not see each other
};

CorpusSettings settings_of(const ParameterValues& values) {
    return {.mixed = values.text("pools", corpus_parameters()) == "mixed",
            .long_share = values.real("long_share", corpus_parameters()),
            .evaluation_tokens = values.integer("evaluation_tokens", corpus_parameters()),
            .separate = values.flag("separate", corpus_parameters())};
}

class CorpusSource final : public DataSource {
public:
    CorpusSource(Corpus corpus, const CorpusSettings& settings, const TrainingSpec& training)
        : DataSource(training.context),
          corpus_(std::move(corpus)),
          settings_(settings),
          batch_(training.batch),
          seed_(training.seed) {
        if (settings.mixed) {
            pools_.emplace_back(corpus_, "corpus/short", false);
            pools_.emplace_back(corpus_, "corpus/long", true);
        } else {
            pools_.emplace_back(corpus_, "corpus");
        }
    }

    // Everything that keeps these data from training.
    Diagnostics check() const {
        Diagnostics problems;
        const std::int64_t all = corpus_.tokens(Split::train);
        const std::int64_t step = batch_ * context();
        if (all <= context())
            problems.push_back({.path = "training.context",
                                .rule = "must be less than the training tokens of the corpus (" +
                                        std::to_string(all) + "); use a shorter context or a larger corpus",
                                .found = std::to_string(context())});
        else if (all <= step)
            problems.push_back({.path = "training.batch",
                                .rule = "must be at most " + std::to_string((all - 1) / context()) +
                                        ": a step of " + std::to_string(step) +
                                        " tokens would read the same text twice, the corpus has " +
                                        std::to_string(all) + " training tokens",
                                .found = std::to_string(batch_)});
        if (settings_.separate && document_token() < 0)
            problems.push_back({.path = "data.separate",
                                .rule = "must be off: the tokenizer of the corpus has no token that opens or "
                                        "ends a document",
                                .found = "true"});
        if (!settings_.mixed || !problems.empty()) return problems;
        for (const bool is_long : {true, false}) {
            const double share = is_long ? settings_.long_share : 1 - settings_.long_share;
            const std::int64_t tokens = pools_[is_long ? 1 : 0].tokens();
            if (share > 0 && tokens <= context())
                problems.push_back(
                    {.path = "data.long_share",
                     .rule = "must be " + std::string(is_long ? "0" : "1") + ": the corpus has " +
                             std::to_string(tokens) + " tokens of " + (is_long ? "long" : "short") +
                             " documents (from " + std::to_string(corpus_.manifest().options.long_bytes) +
                             " bytes on they are long), a sequence needs " + std::to_string(context() + 1),
                     .found = to_text(ParameterValue(settings_.long_share))});
        }
        return problems;
    }

    std::vector<std::string> notes() const override {
        std::vector<std::string> notes;
        const CorpusManifest& manifest = corpus_.manifest();
        std::uint64_t longest = 0;
        for (const DocumentEntry& document : corpus_.documents(Split::train))
            longest = std::max(longest, document.tokens);
        if (static_cast<std::int64_t>(longest) < context())
            notes.push_back("No document is as long as the context of " + std::to_string(context()) +
                            " tokens (the longest has " + std::to_string(longest) +
                            "): nothing in the data reaches across it.");
        if (manifest.train.documents + manifest.validation.documents <= 2 &&
            corpus_.documents(Split::train).size() == 1)
            notes.emplace_back(
                "The corpus has one document: validation text, if any, is the end of the text it trains on.");
        if (manifest.validation.tokens < 2)
            notes.emplace_back("The corpus has no validation text: no validation loss is measured.");
        if (long_texts_ && long_texts_->cut_texts > 0)
            notes.push_back(std::to_string(long_texts_->cut_texts) +
                            " texts of the key tokens are longer than the context of " +
                            std::to_string(context()) + " tokens and are cut for log LongPPL; " +
                            std::to_string(long_texts_->cut_spans) + " places with key tokens are left out.");
        return notes;
    }

    std::int64_t vocab() const override { return corpus_.manifest().tokenizer.vocab; }
    std::int32_t document_token() const override { return corpus_.manifest().tokenizer.document_token(); }
    bool separate_documents() const override { return settings_.separate; }

    std::string fingerprint() const override {
        Json content = {{"corpus", corpus_.manifest().hash},
                        {"version", 1},
                        {"context", context()},
                        {"batch", batch_},
                        {"seed", seed_}};
        if (settings_.mixed) content["long_share"] = settings_.long_share;
        return content_hash(content);
    }

    Result<void> fill(Step step, std::int64_t first_sequence, std::span<std::int32_t> tokens_BT,
                      std::span<std::int32_t> targets_BT) const override {
        const auto length = static_cast<std::size_t>(context());
        std::vector<std::int32_t> piece(length + 1);
        for (std::size_t at = 0; at + length <= tokens_BT.size(); at += length) {
            const std::int64_t number =
                step.value * batch_ + first_sequence + static_cast<std::int64_t>(at / length);
            const auto [pool, inside] = place_of(number);
            pool->read(pool->offset_of(inside, context(), seed_), piece);
            std::copy_n(piece.begin(), length, tokens_BT.begin() + static_cast<std::ptrdiff_t>(at));
            std::copy_n(piece.begin() + 1, length, targets_BT.begin() + static_cast<std::ptrdiff_t>(at));
        }
        return {};
    }

    Result<EvaluationSet> evaluation() const override {
        return EvaluationSet{.batch = validation_sequences(corpus_, context(), settings_.evaluation_tokens),
                             .loss_metric = "eval/loss",
                             .long_texts = long_texts_};
    }

    // Key tokens on which each evaluation scores LongPPL, too.
    Result<void> take_key_tokens(const std::string& file) {
        const Result<std::shared_ptr<const Tokenizer>> tokenizer = corpus_.tokenizer();
        if (!tokenizer) return fail(tokenizer.error());
        const Result<KeyTokens> keys = read_key_tokens(file);
        if (!keys) return fail(keys.error());
        Result<LongTextSet> set = checked_long_text_set(*keys, **tokenizer, context(), file);
        if (!set) return fail(std::move(set.error()));
        long_texts_ = std::move(*set);
        return {};
    }

private:
    // The pool of sequence `number` of the run, and which of the pool's it is.
    std::pair<const Pool*, std::int64_t> place_of(std::int64_t number) const {
        if (!settings_.mixed) return {&pools_[0], number};
        const auto long_before = [this](std::int64_t n) {
            return static_cast<std::int64_t>(std::floor(static_cast<double>(n) * settings_.long_share));
        };
        const std::int64_t before = long_before(number);
        if (long_before(number + 1) > before) return {&pools_[1], before};
        return {&pools_[0], number - before};
    }

    Corpus corpus_;
    CorpusSettings settings_;
    std::int64_t batch_;
    std::uint64_t seed_;
    std::vector<Pool> pools_;  // one, or short and long
    std::optional<LongTextSet> long_texts_;
};

}  // namespace

Result<std::unique_ptr<DataSource>> make_corpus_source(Corpus corpus, const DataSpec& data,
                                                       const TrainingSpec& training) {
    auto source = std::make_unique<CorpusSource>(std::move(corpus), settings_of(data.parameters), training);
    if (const Diagnostics problems = source->check(); !problems.empty())
        return fail(to_error(problems, data.corpus));
    if (const std::string keys = data.parameters.text("key_tokens", corpus_parameters()); !keys.empty())
        if (Result<void> taken = source->take_key_tokens(keys); !taken) return fail(std::move(taken.error()));
    return source;
}

Batch validation_sequences(const Corpus& corpus, std::int64_t context, std::int64_t tokens) {
    const Pool short_documents(corpus, {}, false, Split::validation);
    const bool only_short = short_documents.tokens() > 1;
    // Tokens that have a target.
    const std::int64_t available =
        (only_short ? short_documents.tokens() : corpus.tokens(Split::validation)) - 1;
    const std::int64_t count = std::max<std::int64_t>(1, std::min(available, tokens) / context);
    const std::int64_t length = std::min(available, context);
    Batch batch{.sequences = count, .context = context, .tokens_BT = {}, .targets_BT = {}};
    batch.tokens_BT.assign(static_cast<std::size_t>(count * context),
                           std::max(corpus.manifest().tokenizer.document_token(), 0));
    batch.targets_BT.assign(static_cast<std::size_t>(count * context), no_target);
    if (length < 1) return batch;
    std::vector<std::int32_t> piece(static_cast<std::size_t>(length) + 1);
    for (std::int64_t b = 0; b < count; ++b) {
        const std::int64_t offset = count == 1 ? 0 : b * ((available - length) / (count - 1));
        if (only_short)
            short_documents.read(offset, piece);
        else
            corpus.read(Split::validation, offset, piece);
        const auto at = static_cast<std::ptrdiff_t>(b * context);
        std::copy(piece.begin(), piece.end() - 1, batch.tokens_BT.begin() + at);
        std::copy(piece.begin() + 1, piece.end(), batch.targets_BT.begin() + at);
    }
    return batch;
}

Result<Batch> long_validation_sequences(const Corpus& corpus, std::int64_t context, std::int64_t tokens) {
    // The first piece of every document, then the second ones, ..: few pieces come from many documents.
    std::vector<std::vector<std::int64_t>> rounds;
    std::int64_t longest = 0;
    for (const DocumentEntry& document : corpus.documents(Split::validation)) {
        const auto length = static_cast<std::int64_t>(document.tokens);
        longest = std::max(longest, length);
        for (std::int64_t piece = 0; (piece + 1) * context + 1 <= length; ++piece) {
            if (rounds.size() <= static_cast<std::size_t>(piece)) rounds.emplace_back();
            rounds[static_cast<std::size_t>(piece)].push_back(static_cast<std::int64_t>(document.offset) +
                                                              piece * context);
        }
    }
    if (rounds.empty())
        return fail(
            to_error({{.path = "context",
                       .rule = "must be at most " + std::to_string(std::max<std::int64_t>(longest - 1, 0)) +
                               " for long documents: the longest validation document has " +
                               std::to_string(longest) + " tokens",
                       .found = std::to_string(context)}},
                     corpus.folder()));
    const std::int64_t wanted = std::max<std::int64_t>(1, tokens / context);
    Batch batch{.sequences = 0, .context = context, .tokens_BT = {}, .targets_BT = {}};
    std::vector<std::int32_t> piece(static_cast<std::size_t>(context) + 1);
    for (const std::vector<std::int64_t>& round : rounds)
        for (const std::int64_t offset : round) {
            if (batch.sequences == wanted) return batch;
            corpus.read(Split::validation, offset, piece);
            batch.tokens_BT.insert(batch.tokens_BT.end(), piece.begin(), piece.end() - 1);
            batch.targets_BT.insert(batch.targets_BT.end(), piece.begin() + 1, piece.end());
            ++batch.sequences;
        }
    return batch;
}

}  // namespace braid
