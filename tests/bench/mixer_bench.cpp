// One forward and backward pass of every mixer beside full attention: the same dimensions and batch, in one
// process, taking turns. mixer_bench [SCALE] [CONTEXT] [BATCH] [THREADS] [ROUNDS]. Exits with 1 where a mixer
// takes more than 2.5 times as long as full attention.
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/engine/init.h"
#include "core/engine/model.h"
#include "core/engine/ops.h"
#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"

namespace {

using namespace braid;

// CPU time of the process, so that a busy machine disturbs all alike.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

at::Tensor random_tokens(std::int64_t batch, std::int64_t tokens, std::int64_t vocab) {
    at::Tensor x = at::empty({batch, tokens}, at::kLong);
    Random random(1, "bench/tokens");
    for (std::int64_t i = 0; i < x.numel(); ++i)
        x.mutable_data_ptr<std::int64_t>()[i] = std::int64_t(random.below(std::uint64_t(vocab)));
    return x;
}

struct Entry {
    std::string pattern;
    std::unique_ptr<Model> model;
    std::vector<double> times;
};

}  // namespace

int main(int count, char** arguments) {
    const auto argument = [&](int i, const char* otherwise) { return count > i ? arguments[i] : otherwise; };
    Scale scale = *find_scale(argument(1, "tiny"));
    const std::int64_t context = std::atoll(argument(2, "1024")), batch = std::atoll(argument(3, "4"));
    at::set_num_threads(std::atoi(argument(4, "1")));
    const int rounds = std::atoi(argument(5, "7"));
    scale.vocab = 64;  // the head is the same for all
    std::vector<Entry> entries;
    for (const auto& kind : builtin_mixers().all()) {
        const std::string pattern = std::string(1, kind->description().letter) + " x2";
        auto made =
            Model::create(instantiate(*parse_pattern(pattern, builtin_mixers()), scale), make_cpu_ops());
        if (!made) return std::puts(describe(made.error()).c_str()), 1;
        initialise((*made)->parameters(), "fan_in", 1);
        entries.push_back({pattern, std::move(*made), {}});
    }
    const at::Tensor tokens = random_tokens(batch, context, scale.vocab);
    for (int round = 0; round < rounds + 1; ++round)
        for (Entry& entry : entries) {
            const double start = cpu_seconds();
            entry.model->forward_backward(tokens, tokens, 1e-3);
            if (round > 0) entry.times.push_back(1e3 * (cpu_seconds() - start));
        }
    int slow = 0;
    double full = 0;
    std::printf("%s, T %lld, B %lld: forward and backward of two layers, CPU ms\n", scale.name.c_str(),
                static_cast<long long>(context), static_cast<long long>(batch));
    for (Entry& entry : entries) {
        std::sort(entry.times.begin(), entry.times.end());
        const double median = entry.times[entry.times.size() / 2];
        if (full == 0) full = median;  // the first of mixers.def
        std::printf("  %-6s %9.1f   %.2f of full\n", entry.pattern.c_str(), median, median / full);
        slow += median > 2.5 * full ? 1 : 0;
    }
    return slow > 0 ? 1 : 0;
}
