#include <cstdlib>
#include <cstring>

#include "kernels/cpu/cpu.h"

namespace braid::kernels::cpu {

#define BRAID_DECLARE(name)                       \
    namespace name {                              \
    extern const Kernels<float> kernels_float32;  \
    extern const Kernels<double> kernels_float64; \
    }
BRAID_DECLARE(baseline)
#ifdef __x86_64__
BRAID_DECLARE(v3)
BRAID_DECLARE(v4)
#endif

namespace {

const Level all[] = {
#ifdef __x86_64__
    {"x86-64-v4", &v4::kernels_float32, &v4::kernels_float64},
    {"x86-64-v3", &v3::kernels_float32, &v3::kernels_float64},
#endif
    {"baseline", &baseline::kernels_float32, &baseline::kernels_float64},
};
constexpr int level_count = int(sizeof(all) / sizeof(all[0]));

int first_usable() {
#ifdef __x86_64__
    const bool v3 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
    return v4 ? 0 : v3 ? 1 : 2;
#else
    return 0;
#endif
}

const Level& choose() {
    const char* wanted = std::getenv("BRAID_CPU_LEVEL");
    for (int i = first_usable(); wanted && i < level_count; ++i)
        if (std::strcmp(all[i].name, wanted) == 0) return all[i];
    return all[first_usable()];
}

struct Scratch {
    void* memory = nullptr;
    std::int64_t bytes = 0;
    ~Scratch() { std::free(memory); }
};

}  // namespace

Levels levels() { return {all + first_usable(), all + level_count}; }

const Level& level() {
    static const Level& chosen = choose();
    return chosen;
}

void* thread_scratch(std::int64_t bytes) {
    thread_local Scratch scratch;
    if (scratch.bytes < bytes) {
        std::free(scratch.memory);
        scratch.bytes = (bytes + 4095) / 4096 * 4096;
        scratch.memory = std::aligned_alloc(64, std::size_t(scratch.bytes));
        if (!scratch.memory) std::abort();
    }
    return scratch.memory;
}

}  // namespace braid::kernels::cpu
