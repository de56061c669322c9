#include "core/engine/init.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

#include "core/base/philox.h"

namespace braid {
namespace {

constexpr double embedding_deviation = 0.5;
constexpr double normal_deviation = 0.02;

// FNV-1a: a stream of its own for each name.
std::uint64_t stream_of(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (char c : name) hash = (hash ^ std::uint8_t(c)) * 0x100000001b3;
    return hash;
}

double uniform(std::uint32_t word) { return (double(word) + 0.5) * 0x1p-32; }  // inside (0, 1)

// sample(block) fills four numbers from four random words.
template <class Sample>
void fill_random(float* to, std::int64_t size, const Philox& random, std::uint64_t stream, Sample&& sample) {
    for (std::int64_t i = 0; i < size; i += 4) {
        const std::array<double, 4> values = sample(random.block(std::uint64_t(i / 4), stream));
        for (std::int64_t j = 0; j < 4 && i + j < size; ++j) to[i + j] = float(values[std::size_t(j)]);
    }
}

void fill_uniform(float* to, std::int64_t size, double bound, const Philox& random, std::uint64_t stream) {
    fill_random(to, size, random, stream, [bound](const std::array<std::uint32_t, 4>& words) {
        std::array<double, 4> values{};
        for (std::size_t j = 0; j < 4; ++j) values[j] = bound * (2 * uniform(words[j]) - 1);
        return values;
    });
}

void fill_normal(float* to, std::int64_t size, double deviation, const Philox& random, std::uint64_t stream) {
    fill_random(to, size, random, stream, [deviation](const std::array<std::uint32_t, 4>& words) {
        std::array<double, 4> values{};
        for (std::size_t j = 0; j < 4; j += 2) {  // Box and Muller
            const double radius = deviation * std::sqrt(-2 * std::log(uniform(words[j])));
            const double angle = 2 * std::numbers::pi * uniform(words[j + 1]);
            values[j] = radius * std::cos(angle);
            values[j + 1] = radius * std::sin(angle);
        }
        return values;
    });
}

}  // namespace

void initialise(ParameterStore& store, std::string_view scheme, std::uint64_t seed) {
    if (scheme != "fan_in" && scheme != "normal") {
        std::fprintf(stderr, "initialise: unknown scheme \"%.*s\"\n", int(scheme.size()), scheme.data());
        std::abort();
    }
    const Philox random(seed);
    for (const Parameter& parameter : store.layout().parameters) {
        const at::Tensor value = store.value(parameter);
        if (parameter.init == Init::ones || parameter.init == Init::zeros) {
            value.fill_(parameter.init == Init::ones ? 1 : 0);
            continue;
        }
        const at::Tensor host = at::empty(parameter.shape, at::kFloat);
        float* to = host.mutable_data_ptr<float>();
        const std::uint64_t stream = stream_of(parameter.name);
        if (scheme == "normal")
            fill_normal(to, parameter.size, normal_deviation, random, stream);
        else if (parameter.init == Init::normal)
            fill_normal(to, parameter.size, embedding_deviation, random, stream);
        else
            fill_uniform(to, parameter.size, 1.0 / std::sqrt(double(parameter.shape.back())), random, stream);
        value.copy_(host);
    }
    store.refresh_compute();
}

}  // namespace braid
