#include "core/engine/init.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/base/random.h"

namespace braid {
namespace {

constexpr double embedding_deviation = 0.5;
constexpr double normal_deviation = 0.02;
constexpr double smallest_rate = 1e-4;  // log U(0, 16) has no least value

template <class Draw>
void fill(at::Tensor& host, Draw&& draw) {
    float* to = host.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < host.numel(); ++i) to[i] = float(draw());
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
        Random random(seed, "init/" + parameter.name);
        const bool own = parameter.update == UpdateRule::adamw_without_decay;
        if (parameter.init == Init::log_of_1_to_16) {
            fill(host, [&] { return std::log(random.uniform(1, 16)); });
        } else if (parameter.init == Init::log_of_0_to_16) {
            fill(host, [&] { return std::log(std::max(random.uniform(0, 16), smallest_rate)); });
        } else if (parameter.init == Init::inverse_softplus_dt) {
            fill(host, [&] {
                const double dt = std::exp(random.uniform(std::log(1e-3), std::log(0.1)));
                return dt + std::log(-std::expm1(-dt));
            });
        } else if ((scheme == "normal" && !own) || parameter.init == Init::normal) {
            const double deviation = scheme == "normal" ? normal_deviation : embedding_deviation;
            fill(host, [&] { return deviation * random.normal(); });
        } else {
            const double bound = 1.0 / std::sqrt(double(parameter.shape.back()));
            fill(host, [&] { return random.uniform(-bound, bound); });
        }
        value.copy_(host);
    }
    store.refresh_compute();
}

}  // namespace braid
