// One training step of the example study's model, by the engine and by plain ATen calls with autograd: the
// same weights, batch and threads, in one process, taking turns. CPU time of the process, so that a busy
// machine disturbs both alike. step_bench [PATTERN] [THREADS] [ROUNDS] [CONTEXT] [BATCH]
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/engine/init.h"
#include "core/engine/optimizer.h"
#include "core/mixers/builtin.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "tests/engine/plain_model.h"

namespace {

using namespace braid;

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

at::Tensor random_tokens(std::int64_t batch, std::int64_t tokens, std::int64_t vocab) {
    at::Tensor x = at::empty({batch, tokens}, at::kLong);
    Random random(1, "bench/tokens");
    for (std::int64_t i = 0; i < x.numel(); ++i)
        x.mutable_data_ptr<std::int64_t>()[i] = std::int64_t(random.below(std::uint64_t(vocab)));
    return x;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
    const auto argument = [&](int i, const char* otherwise) { return count > i ? arguments[i] : otherwise; };
    const std::string pattern = argument(1, "(FS[w=16])x2");
    at::set_num_threads(std::atoi(argument(2, "1")));
    const int rounds = std::atoi(argument(3, "15"));
    const std::int64_t context = std::atoll(argument(4, "128")), sequences = std::atoll(argument(5, "32"));

    const auto parsed = parse_pattern(pattern, builtin_mixers());
    if (!parsed) return std::puts(parsed.error().front().message().c_str()), 2;
    const ArchitectureSpec spec = instantiate(*parsed, *find_scale("tiny"));
    auto model = Model::create(spec, make_cpu_ops());
    if (!model) return std::puts(describe(model.error()).c_str()), 1;
    ParameterStore& store = (*model)->parameters();
    initialise(store, "fan_in", 1);
    const TrainingSpec training;
    Optimizer optimizer(training, store, (*model)->ops());
    test::PlainModel plain(spec, store);
    test::PlainOptimizer plain_optimizer(training, store);
    const at::Tensor tokens = random_tokens(sequences, context, spec.vocab);
    const at::Tensor targets = random_tokens(sequences, context, spec.vocab);
    const double scale = 1.0 / double(tokens.numel());

    std::vector<double> forward_backward, update, plain_forward_backward, plain_update, forward;
    const auto timed = [](std::vector<double>& times, const std::function<void()>& work) {
        const double start = cpu_seconds();
        work();
        times.push_back(1e3 * (cpu_seconds() - start));
    };
    for (int round = 0; round < rounds + 2; ++round) {
        timed(forward_backward, [&] {
            (*model)->zero_gradients();
            (*model)->forward_backward(tokens, targets, scale);
        });
        timed(update, [&] { optimizer.step(1e-3); });
        timed(forward, [&] { (*model)->evaluate(tokens, targets); });
        timed(plain_forward_backward, [&] {
            plain.zero_gradients();
            (plain.loss_sum(tokens, targets) * scale).backward();
        });
        timed(plain_update, [&] { plain_optimizer.step(plain, 1e-3); });
        if (round < 2)
            forward_backward.clear(), update.clear(), plain_forward_backward.clear(), plain_update.clear();
    }
    const double ours = median(forward_backward) + median(update);
    const double theirs = median(plain_forward_backward) + median(plain_update);
    std::printf("%s, %ld x %ld tokens, %d thread(s); median CPU ms of %d steps\n", pattern.c_str(),
                long(sequences), long(context), at::get_num_threads(), rounds);
    std::printf("  engine   forward+backward %7.1f  update %6.1f  step %7.1f   (forward alone %.1f)\n",
                median(forward_backward), median(update), ours, median(forward));
    std::printf("  plain    forward+backward %7.1f  update %6.1f  step %7.1f\n",
                median(plain_forward_backward), median(plain_update), theirs);
    std::printf("  ratio    %.2fx\n", theirs / ours);
}
