#include "core/data/recall.h"

#include <algorithm>
#include <numeric>

#include "core/base/json.h"
#include "core/base/random.h"

namespace braid {
namespace {

constexpr int near_group = 0;
constexpr int mid_group = 1;
constexpr int far_group = 2;

// Places (pairs) at which the opening keys are asked again: answer[p] is the key's place + 1, or 0.
std::vector<std::int64_t> place_questions(Random& random, std::int64_t opening, std::int64_t context,
                                          std::int64_t pairs) {
    std::vector<std::int64_t> question(static_cast<std::size_t>(pairs), 0);
    for (std::int64_t i = 0; i < opening; ++i) {
        // 2 n + 1 > T / 2 for the nearest place, 2 n + 1 < T and inside the sequence for the farthest.
        const std::int64_t nearest = context / 4 + (2 * (context / 4) + 1 > context / 2 ? 0 : 1);
        const std::int64_t farthest = std::min((context - 2) / 2, pairs - 1 - i);
        for (;;) {
            const auto n = nearest + static_cast<std::int64_t>(
                                         random.below(static_cast<std::uint64_t>(farthest - nearest + 1)));
            std::int64_t& place = question[static_cast<std::size_t>(i + n)];
            if (place != 0) continue;
            place = i + 1;
            break;
        }
    }
    return question;
}

// Keys of the ordinary draws.
class KeyDraw {
public:
    KeyDraw(Random& random, double new_key, std::vector<std::int32_t> keys)
        : random_(random), new_key_(new_key), unseen_(std::move(keys)) {
        harmonic_.push_back(0);
        for (std::size_t r = 1; r <= unseen_.size(); ++r)
            harmonic_.push_back(harmonic_.back() + 1.0 / static_cast<double>(r));
    }

    std::int32_t next() {
        std::int32_t key = 0;
        if (recent_.empty() || (!unseen_.empty() && random_.chance(new_key_))) {
            const std::size_t at = random_.below(unseen_.size());
            key = unseen_[at];
            unseen_[at] = unseen_.back();
            unseen_.pop_back();
        } else {
            const double u = random_.uniform() * harmonic_[recent_.size()];
            const auto first = harmonic_.begin() + 1;
            const auto end = first + static_cast<std::ptrdiff_t>(recent_.size()) - 1;
            const auto rank = std::upper_bound(first, end, u) - first;  // from 0
            key = recent_[recent_.size() - 1 - static_cast<std::size_t>(rank)];
            recent_.erase(recent_.end() - 1 - rank);
        }
        recent_.push_back(key);
        return key;
    }

private:
    Random& random_;
    double new_key_;
    std::vector<std::int32_t> unseen_;
    std::vector<std::int32_t> recent_;  // the latest last
    std::vector<double> harmonic_;      // harmonic_[n] = 1 + 1/2 + .. + 1/n
};

class RecallSource final : public DataSource {
public:
    RecallSource(const RecallParameters& parameters, std::int64_t context, std::uint64_t seed)
        : DataSource(context), parameters_(parameters), seed_(seed) {}

    std::int64_t vocab() const override { return parameters_.keys + parameters_.values; }

    std::string fingerprint() const override {
        return content_hash(Json{{"task", recall_task.id},
                                 {"version", 1},
                                 {"keys", parameters_.keys},
                                 {"values", parameters_.values},
                                 {"new_key", parameters_.new_key},
                                 {"context", context()},
                                 {"seed", seed_}});
    }

    Result<void> fill(Step step, std::int64_t first_sequence, std::span<std::int32_t> tokens_BT,
                      std::span<std::int32_t> targets_BT) const override {
        const auto length = static_cast<std::size_t>(context());
        std::vector<std::int32_t> tokens(length + 1);
        for (std::size_t at = 0; at + length <= tokens_BT.size(); at += length) {
            const auto sequence = static_cast<std::uint64_t>(first_sequence) + at / length;
            Random random(seed_, "data/recall", static_cast<std::uint64_t>(step.value), sequence);
            draw_recall(parameters_, random, 0, tokens);
            std::copy_n(tokens.begin(), length, tokens_BT.begin() + static_cast<std::ptrdiff_t>(at));
            std::copy_n(tokens.begin() + 1, length, targets_BT.begin() + static_cast<std::ptrdiff_t>(at));
        }
        return {};
    }

    Result<EvaluationSet> evaluation() const override {
        EvaluationSet set;
        set.groups = {"recall/near", "recall/mid", "recall/far"};
        set.batch.sequences = parameters_.evaluation_sequences;
        set.batch.context = context();
        const auto length = static_cast<std::size_t>(context());
        std::vector<std::int32_t> tokens(length + 1);
        for (std::int64_t b = 0; b < parameters_.evaluation_sequences; ++b) {
            Random random(0, "evaluation/recall", 0, static_cast<std::uint64_t>(b));
            for (const RecallQuery& query : draw_recall(parameters_, random, parameters_.asked, tokens)) {
                const int group = query.asked                          ? far_group
                                  : query.distance <= parameters_.near ? near_group
                                                                       : mid_group;
                if (!query.asked && query.distance > context() / 2) continue;
                set.queries.push_back({.sequence = static_cast<std::int32_t>(b),
                                       .position = query.position,
                                       .distance = query.distance,
                                       .group = group});
            }
            set.batch.tokens_BT.insert(set.batch.tokens_BT.end(), tokens.begin(), tokens.end() - 1);
            set.batch.targets_BT.insert(set.batch.targets_BT.end(), tokens.begin() + 1, tokens.end());
        }
        return set;
    }

private:
    RecallParameters parameters_;
    std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<DataSource> make_recall_task(const ParameterValues& values, std::int64_t context,
                                             std::uint64_t seed) {
    return std::make_unique<RecallSource>(recall_parameters(values), context, seed);
}

std::vector<RecallQuery> draw_recall(const RecallParameters& parameters, Random& random, std::int64_t opening,
                                     std::span<std::int32_t> tokens) {
    const auto context = static_cast<std::int64_t>(tokens.size()) - 1;
    const std::int64_t pairs = (context + 1) / 2;  // whose value is a target
    std::vector<std::int32_t> value(static_cast<std::size_t>(parameters.keys));
    for (std::int32_t& v : value)
        v = static_cast<std::int32_t>(parameters.keys) +
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(parameters.values)));
    std::vector<std::int32_t> keys(static_cast<std::size_t>(parameters.keys));
    std::iota(keys.begin(), keys.end(), 0);
    for (std::int64_t i = 0; i < opening; ++i)
        std::swap(
            keys[static_cast<std::size_t>(i)],
            keys[static_cast<std::size_t>(i) + random.below(keys.size() - static_cast<std::size_t>(i))]);
    const std::vector<std::int64_t> question = place_questions(random, opening, context, pairs);
    KeyDraw draw(random, parameters.new_key, {keys.begin() + opening, keys.end()});

    std::vector<RecallQuery> queries;
    std::vector<std::int64_t> last(keys.size(), -1);  // pair at which each key came last
    for (std::int64_t pair = 0; 2 * pair <= context; ++pair) {
        const std::int64_t asked = pair < pairs ? question[static_cast<std::size_t>(pair)] : 0;
        const std::int32_t key = pair < opening ? keys[static_cast<std::size_t>(pair)]
                                 : asked > 0    ? keys[static_cast<std::size_t>(asked - 1)]
                                                : draw.next();
        const auto at = static_cast<std::size_t>(2 * pair);
        tokens[at] = key;
        if (at + 1 >= tokens.size()) break;
        tokens[at + 1] = value[static_cast<std::size_t>(key)];
        std::int64_t& seen = last[static_cast<std::size_t>(key)];
        if (seen >= 0)
            queries.push_back({.position = static_cast<std::int32_t>(at),
                               .distance = static_cast<std::int32_t>(2 * (pair - seen) + 1),
                               .asked = asked > 0});
        seen = pair;
    }
    return queries;
}

}  // namespace braid
