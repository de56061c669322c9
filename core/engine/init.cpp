#include "core/engine/init.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/base/random.h"
#include "core/engine/cpu_parallel.h"

namespace braid {
namespace {

constexpr double embedding_deviation = 0.5;
constexpr double normal_deviation = 0.02;
constexpr double smallest_rate = 1e-4;  // log U(0, 16) has no least value

// Values that one thread draws in a row; a multiple of the words of a block of the generator.
constexpr std::int64_t piece = 1 << 14;

// Every value is drawn from one word of the stream (a pair of normal ones from two), so threads may share the
// work: a tensor has the same bits with any number of them.
template <class Draw>
void fill(const at::Tensor& host, const Random& stream, const Draw& draw) {
    struct Work {
        float* to;
        std::int64_t values;
        const Random& stream;
        const Draw& draw;
    } work{host.mutable_data_ptr<float>(), host.numel(), stream, draw};
    const auto body = [](void* data, int worker, int workers) {
        const Work& w = *static_cast<const Work*>(data);
        const kernels::Share mine = kernels::share_of((w.values + piece - 1) / piece, worker, workers);
        Random random = w.stream;
        random.skip(std::uint64_t(mine.begin * piece));
        const std::int64_t end = std::min(w.values, mine.end * piece);
        for (std::int64_t i = mine.begin * piece; i < end; ++i) w.to[i] = float(w.draw(random));
    };
    const kernels::Parallel parallel = cpu_parallel();
    parallel.run(body, &work, parallel.workers);
}

}  // namespace

void initialise(ParameterStore& store, std::string_view scheme, std::uint64_t seed) {
    if (scheme != "fan_in" && scheme != "normal") {
        std::fprintf(stderr, "initialise: unknown scheme \"%.*s\"\n", int(scheme.size()), scheme.data());
        std::abort();
    }
    for (const Parameter& parameter : store.layout().parameters) {
        const at::Tensor value = store.value(parameter);
        if (parameter.init == Init::ones || parameter.init == Init::zeros) {
            value.fill_(parameter.init == Init::ones ? 1 : 0);
            continue;
        }
        at::Tensor host = at::empty(parameter.shape, at::kFloat);
        const Random stream(seed, "init/" + parameter.name);
        const bool own = parameter.update == UpdateRule::adamw_without_decay;
        if (parameter.init == Init::log_of_1_to_16) {
            fill(host, stream, [](Random& random) { return std::log(random.uniform(1, 16)); });
        } else if (parameter.init == Init::log_of_0_to_16) {
            fill(host, stream,
                 [&](Random& random) { return std::log(std::max(random.uniform(0, 16), smallest_rate)); });
        } else if (parameter.init == Init::inverse_softplus_dt) {
            fill(host, stream, [&](Random& random) {
                const double dt = std::exp(random.uniform(std::log(1e-3), std::log(0.1)));
                return dt + std::log(-std::expm1(-dt));
            });
        } else if ((scheme == "normal" && !own) || parameter.init == Init::normal) {
            const double deviation = scheme == "normal" ? normal_deviation : embedding_deviation;
            fill(host, stream, [&](Random& random) { return deviation * random.normal(); });
        } else {
            const double bound = 1.0 / std::sqrt(double(parameter.shape.back()));
            fill(host, stream, [&](Random& random) { return random.uniform(-bound, bound); });
        }
        value.copy_(host);
    }
    store.refresh_compute();
}

}  // namespace braid
