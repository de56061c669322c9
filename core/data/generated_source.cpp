#include "core/data/generated_source.h"

#include <algorithm>
#include <numeric>

namespace braid {
namespace {

class GeneratedSource final : public DataSource {
public:
    GeneratedSource(GeneratedTask task, std::int64_t context, std::uint64_t seed)
        : DataSource(context),
          task_(std::move(task)),
          stream_(random_stream("data/" + task_.id)),
          seed_(seed) {}

    std::int64_t vocab() const override { return task_.vocab; }

    std::string fingerprint() const override {
        Json values = Json::object();
        for (const auto& [key, value] : task_.values) values[key] = to_json(value);
        return content_hash(Json{{"task", task_.id},
                                 {"version", 1},
                                 {"values", std::move(values)},
                                 {"context", context()},
                                 {"seed", seed_}});
    }

    Result<void> fill(Step step, std::int64_t first_sequence, std::span<std::int32_t> tokens_BT,
                      std::span<std::int32_t> targets_BT) const override {
        const auto length = static_cast<std::size_t>(context());
        DrawnSequence sequence;
        for (std::size_t at = 0; at + length <= tokens_BT.size(); at += length) {
            Random random(seed_, stream_, static_cast<std::uint64_t>(step.value),
                          static_cast<std::uint64_t>(first_sequence) + at / length);
            draw(random, -1, sequence);
            std::copy_n(sequence.tokens.begin(), length, tokens_BT.begin() + static_cast<std::ptrdiff_t>(at));
            mark_targets(sequence, targets_BT.subspan(at, length));
        }
        return {};
    }

    Result<EvaluationSet> evaluation() const override {
        EvaluationSet set;
        set.groups = task_.groups;
        set.batch.sequences = task_.evaluation_sequences;
        set.batch.context = context();
        const auto length = static_cast<std::size_t>(context());
        set.batch.targets_BT.resize(length * static_cast<std::size_t>(task_.evaluation_sequences));
        const std::uint64_t stream = random_stream("evaluation/" + task_.id);
        DrawnSequence sequence;
        for (std::int64_t b = 0; b < task_.evaluation_sequences; ++b) {
            Random random(0, stream, 0, static_cast<std::uint64_t>(b));
            draw(random, b, sequence);
            set.batch.tokens_BT.insert(set.batch.tokens_BT.end(), sequence.tokens.begin(),
                                       sequence.tokens.end());
            mark_targets(
                sequence,
                std::span(set.batch.targets_BT).subspan(static_cast<std::size_t>(b) * length, length));
            for (const DrawnAnswer& answer : sequence.answers)
                set.queries.push_back({.sequence = static_cast<std::int32_t>(b),
                                       .position = answer.position,
                                       .distance = answer.distance,
                                       .group = answer.group});
        }
        return set;
    }

private:
    void draw(Random& random, std::int64_t number, DrawnSequence& sequence) const {
        sequence.tokens.assign(static_cast<std::size_t>(context()), 0);
        sequence.answers.clear();
        task_.draw(random, number, sequence);
    }
    static void mark_targets(const DrawnSequence& sequence, std::span<std::int32_t> targets) {
        std::fill(targets.begin(), targets.end(), no_target);
        for (const DrawnAnswer& answer : sequence.answers)
            targets[static_cast<std::size_t>(answer.position)] = answer.answer;
    }

    GeneratedTask task_;
    std::uint64_t stream_;
    std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<DataSource> make_generated_source(GeneratedTask task, std::int64_t context,
                                                  std::uint64_t seed) {
    return std::make_unique<GeneratedSource>(std::move(task), context, seed);
}

std::vector<std::string> distance_groups(const std::string& id) {
    return {id + "/near", id + "/mid", id + "/far"};
}

std::int32_t distance_group(std::int64_t distance, std::int64_t context) {
    return 4 * distance <= context ? 0 : 2 * distance <= context ? 1 : 2;
}

std::vector<std::int32_t> draw_distinct(Random& random, std::int64_t n, std::int64_t count) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        std::swap(numbers[i], numbers[i + random.below(numbers.size() - i)]);
    numbers.resize(static_cast<std::size_t>(count));
    return numbers;
}

}  // namespace braid
