#include "core/data/corpus_source.h"

#include <algorithm>

#include "core/base/random.h"
#include "core/data/permutation.h"

namespace braid {
namespace {

class CorpusSource final : public DataSource {
public:
    CorpusSource(Corpus corpus, std::int64_t context, std::int64_t batch, std::uint64_t seed,
                 std::int64_t evaluation_tokens)
        : DataSource(context),
          corpus_(std::move(corpus)),
          batch_(batch),
          seed_(seed),
          evaluation_tokens_(evaluation_tokens) {}

    std::int64_t vocab() const override { return corpus_.manifest().vocab; }

    std::string fingerprint() const override {
        return content_hash(Json{{"corpus", corpus_.manifest().hash},
                                 {"version", 1},
                                 {"context", context()},
                                 {"batch", batch_},
                                 {"seed", seed_}});
    }

    Result<void> fill(Step step, std::int64_t first_sequence, std::span<std::int32_t> tokens_BT,
                      std::span<std::int32_t> targets_BT) const override {
        const auto length = static_cast<std::size_t>(context());
        std::vector<std::uint16_t> piece(length + 1);
        for (std::size_t at = 0; at + length <= tokens_BT.size(); at += length) {
            const std::int64_t number =
                step.value * batch_ + first_sequence + static_cast<std::int64_t>(at / length);
            corpus_.read(Split::train, offset_of(number), piece);
            std::copy_n(piece.begin(), length, tokens_BT.begin() + static_cast<std::ptrdiff_t>(at));
            std::copy_n(piece.begin() + 1, length, targets_BT.begin() + static_cast<std::ptrdiff_t>(at));
        }
        return {};
    }

    // Sequences spread evenly over the validation tokens. A split shorter than one sequence is padded.
    Result<EvaluationSet> evaluation() const override {
        EvaluationSet set{.batch = {}, .loss_metric = "eval/loss"};
        const std::int64_t available = corpus_.tokens(Split::validation) - 1;  // tokens that have a target
        const std::int64_t wanted = std::min(available, evaluation_tokens_);
        const std::int64_t count = std::max<std::int64_t>(1, wanted / context());
        const std::int64_t length = std::min(available, context());
        set.batch.sequences = count;
        set.batch.context = context();
        set.batch.tokens_BT.assign(static_cast<std::size_t>(count * context()), byte_bos);
        set.batch.targets_BT.assign(static_cast<std::size_t>(count * context()), no_target);
        if (length < 1) return set;
        std::vector<std::uint16_t> piece(static_cast<std::size_t>(length) + 1);
        for (std::int64_t b = 0; b < count; ++b) {
            const std::int64_t offset = count == 1 ? 0 : b * ((available - length) / (count - 1));
            corpus_.read(Split::validation, offset, piece);
            const auto at = static_cast<std::ptrdiff_t>(b * context());
            std::copy(piece.begin(), piece.end() - 1, set.batch.tokens_BT.begin() + at);
            std::copy(piece.begin() + 1, piece.end(), set.batch.targets_BT.begin() + at);
        }
        return set;
    }

private:
    // First token of sequence `number` of the run.
    std::int64_t offset_of(std::int64_t number) const {
        const std::int64_t usable = corpus_.tokens(Split::train) - 1;
        // One piece fewer than fit, so that moving the cuts never leaves the tokens.
        const std::int64_t pieces = std::max<std::int64_t>(1, usable / context() - 1);
        const auto epoch = static_cast<std::uint64_t>(number / pieces);
        const std::int64_t slack = usable - pieces * context();
        Random random(seed_, "data/corpus/shift", epoch);
        const auto shift = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(slack) + 1));
        const Permutation order(static_cast<std::uint64_t>(pieces), seed_, random_stream("data/corpus/order"),
                                epoch);
        const auto piece = static_cast<std::int64_t>(order(static_cast<std::uint64_t>(number % pieces)));
        return piece * context() + shift;
    }

    Corpus corpus_;
    std::int64_t batch_;
    std::uint64_t seed_;
    std::int64_t evaluation_tokens_;
};

}  // namespace

const std::vector<ParameterDescription>& corpus_parameters() {
    static const std::vector<ParameterDescription> descriptions = {
        {.key = "evaluation_tokens",
         .label = "Validation tokens",
         .unit = "tokens",
         .help = "Tokens of the validation split on which the loss is measured.",
         .default_value = std::int64_t{65'536},
         .minimum = 1,
         .maximum = 1e9},
    };
    return descriptions;
}

Result<std::unique_ptr<DataSource>> make_corpus_source(Corpus corpus, const DataSpec& data,
                                                       const TrainingSpec& training) {
    if (corpus.tokens(Split::train) <= training.context)
        return fail(ErrorKind::invalid_input,
                    "has " + std::to_string(corpus.tokens(Split::train)) + " training tokens; a context of " +
                        std::to_string(training.context) + " needs at least one more than that",
                    corpus.folder(), "Use a shorter context or a larger corpus");
    const std::int64_t evaluation_tokens =
        std::get<std::int64_t>(data.parameters.get("evaluation_tokens", corpus_parameters()));
    return std::make_unique<CorpusSource>(std::move(corpus), training.context, training.batch, training.seed,
                                          evaluation_tokens);
}

}  // namespace braid
