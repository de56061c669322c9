// Several trainers in one process, a thread each, with sums in memory: what does not depend on how ranks are
// started or on what adds for them.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <thread>

#include "core/engine/ops.h"
#include "core/engine/parallel/collective.h"
#include "core/engine/trainer.h"
#include "tests/engine_run/run_fixture.h"

namespace braid::testing {
namespace {

struct Meeting {
    explicit Meeting(int size)
        : barrier(size),
          begun(static_cast<std::size_t>(size)),
          kinds(static_cast<std::size_t>(size)),
          numbers(static_cast<std::size_t>(size)) {}
    std::barrier<> barrier;
    std::vector<std::vector<at::Tensor>> begun;  // by rank
    std::vector<std::vector<bool>> kinds;        // true: a broadcast
    std::vector<std::int64_t> numbers;
};

class ThreadSums final : public Collective {
public:
    ThreadSums(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(meeting_.begun.size()); }
    std::string name() const override { return "threads"; }
    void begin_sum(const at::Tensor& x) override { begin(x, false); }
    void begin_broadcast(const at::Tensor& x) override { begin(x, true); }
    void finish() override {
        meeting_.barrier.arrive_and_wait();
        const auto own = static_cast<std::size_t>(rank_);
        std::vector<at::Tensor> answers;
        for (std::size_t i = 0; i < meeting_.begun[own].size(); ++i) {
            at::Tensor answer = meeting_.begun[0].at(i).clone();
            for (std::size_t rank = 1; rank < meeting_.begun.size() && !meeting_.kinds[own][i]; ++rank)
                answer.add_(meeting_.begun[rank].at(i));
            answers.push_back(answer);
        }
        meeting_.barrier.arrive_and_wait();
        for (std::size_t i = 0; i < answers.size(); ++i) meeting_.begun[own][i].copy_(answers[i]);
        meeting_.begun[own].clear();
        meeting_.kinds[own].clear();
        meeting_.barrier.arrive_and_wait();
    }
    void settle() override {}
    std::int64_t sum_on_host(std::int64_t number) override {
        meeting_.numbers[static_cast<std::size_t>(rank_)] = number;
        meeting_.barrier.arrive_and_wait();
        const std::int64_t total =
            std::accumulate(meeting_.numbers.begin(), meeting_.numbers.end(), std::int64_t{0});
        meeting_.barrier.arrive_and_wait();
        return total;
    }

private:
    void begin(const at::Tensor& x, bool broadcast) {
        meeting_.begun[static_cast<std::size_t>(rank_)].push_back(x);
        meeting_.kinds[static_cast<std::size_t>(rank_)].push_back(broadcast);
    }
    Meeting& meeting_;
    int rank_;
};

struct Trained {
    std::vector<StepResult> steps;
    std::map<std::string, double> metrics;
    at::Tensor values;
    std::int64_t checksum = 0;
};

TrainingSpec training_of(std::int64_t micro_batches) {
    TrainingSpec training = short_training();
    training.batch = 8;
    training.micro_batches = micro_batches;
    training.threads = 1;
    return training;
}

std::vector<Trained> train(int ranks, const TrainingSpec& training, int steps,
                           at::ScalarType type = at::kDouble) {
    at::set_num_threads(1);  // a thread a rank is enough
    Meeting meeting(ranks);
    std::vector<Trained> all(static_cast<std::size_t>(ranks));
    const auto work = [&](int rank) {
        ThreadSums sums(meeting, rank);
        auto trainer = std::move(*Trainer::create(
            {.architecture = tiny_architecture("FS[w=4] x1"), .training = training, .data = {}},
            make_cpu_ops(type), ranks > 1 ? &sums : nullptr));
        Trained& mine = all[static_cast<std::size_t>(rank)];
        for (int i = 0; i < steps; ++i) mine.steps.push_back(**trainer->advance([] { return true; }));
        mine.metrics = *trainer->evaluate();
        mine.values = trainer->model().parameters().values().clone();
        mine.checksum = trainer->weights_checksum();
    };
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank) threads.emplace_back(work, rank);
    work(0);
    for (std::thread& thread : threads) thread.join();
    return all;
}

TEST(RankedTrainer, RanksTrainWhatOneTrains) {
    const Trained one = train(1, training_of(2), 4).front();
    for (const int ranks : {2, 4}) {
        const std::vector<Trained> several = train(ranks, training_of(2), 4);
        double loss = 0, norm = 0;
        for (std::size_t i = 0; i < one.steps.size(); ++i) {
            loss = std::max(loss, std::abs(several[0].steps[i].loss / one.steps[i].loss - 1));
            norm = std::max(norm, std::abs(several[0].steps[i].grad_norm / one.steps[i].grad_norm - 1));
        }
        std::printf("    %d ranks: loss differs by %.1e, gradient norm by %.1e\n", ranks, loss, norm);
        EXPECT_LT(loss, 1e-12);
        EXPECT_LT(norm, 1e-10);
        for (const Trained& each : several) {
            EXPECT_TRUE(at::equal(each.values, several[0].values)) << "all ranks hold the same weights";
            EXPECT_EQ(each.checksum, several[0].checksum);
            EXPECT_EQ(each.metrics, several[0].metrics);
            EXPECT_EQ(each.steps.back().loss, several[0].steps.back().loss);
            EXPECT_EQ(each.steps.front().head_norms, several[0].steps.front().head_norms);
        }
        ASSERT_EQ(one.metrics.size(), several[0].metrics.size());
        for (const auto& [metric, value] : one.metrics)
            EXPECT_NEAR(several[0].metrics.at(metric), value, 1e-2) << metric;
    }
}

TEST(RankedTrainer, WithoutOverlapTheSumsAreTheSame) {
    const std::vector<Trained> with = train(2, training_of(1), 2);
    ::setenv("BRAID_NO_OVERLAP", "1", 1);
    const std::vector<Trained> without = train(2, training_of(1), 2);
    ::unsetenv("BRAID_NO_OVERLAP");
    EXPECT_TRUE(at::equal(with[0].values, without[0].values));
}

TEST(RankedTrainer, LongceWeighsEachRanksTokens) {
    TrainingSpec training = training_of(2);
    training.loss = "longce";
    const Trained one = train(1, training, 2).front();
    const Trained two = train(2, training, 2).front();
    EXPECT_NEAR(two.steps[1].loss / one.steps[1].loss, 1, 1e-12);
}

TEST(RankedTrainer, TheStateOfRank0IsShared) {
    Meeting meeting(2);
    std::array<at::Tensor, 2> values, momentum;
    const auto work = [&](int rank) {
        ThreadSums sums(meeting, rank);
        TrainingSpec training = training_of(1);
        auto trainer = std::move(
            *Trainer::create({.architecture = tiny_architecture("F x1"), .training = training, .data = {}},
                             make_cpu_ops(), &sums));
        trainer->model().parameters().values().fill_(rank == 0 ? -0.5 : 3);
        for (const auto& [name, tensor] : trainer->optimizer().state()) tensor.fill_(rank == 0 ? 2 : 7);
        trainer->share_state();
        const auto index = static_cast<std::size_t>(rank);
        values[index] = trainer->model().parameters().values().clone();
        momentum[index] = trainer->optimizer().state().front().second.clone();
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    EXPECT_TRUE(at::equal(values[0], values[1]));
    EXPECT_TRUE(at::equal(momentum[0], momentum[1]));
    EXPECT_EQ(values[1].mean().item().toDouble(), -0.5);
}

TEST(RankedTrainer, ABatchThatDoesNotDivideIsNamed) {
    Meeting meeting(3);
    ThreadSums sums(meeting, 0);
    TrainingPhase phase;
    phase.set.set("steps", std::int64_t{3});
    const auto made = Trainer::create({.architecture = tiny_architecture("F x1"),
                                       .training = training_of(2),
                                       .data = {},
                                       .phases = {phase}},
                                      make_cpu_ops(), &sums);
    ASSERT_FALSE(made);
    const std::string text = describe(made.error());
    EXPECT_EQ(made.error().kind, ErrorKind::invalid_input);
    for (const char* word : {"training.micro_batches", "phases[0].micro_batches", "3 ranks", "batch of 8"})
        EXPECT_NE(text.find(word), std::string::npos) << text;
}

}  // namespace
}  // namespace braid::testing
