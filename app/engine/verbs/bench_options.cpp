#include "app/engine/verbs/bench_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/engine/cli/output.h"
#include "app/engine/cli/settings.h"

namespace braid::cli {
namespace {

constexpr std::array<std::string_view, 13> timed_keys = {
    "kernels.attention", "kernels.recurrence", "kernels.step", "activation_memory", "deterministic",
    "learning_rate",     "grad_clip",          "weight_decay", "muon_momentum",     "adam_beta1",
    "adam_beta2",        "adam_eps",           "init"};

}  // namespace

std::string milliseconds(double value) { return real_text(value, value < 10 ? 3 : 1); }

Checked<TrainingSpec> timed_training(const BenchOptions& options) {
    TrainingSpec training;
    DataSpec data;
    Diagnostics problems = apply_settings(options.settings, training, data);
    std::string rule = "changes nothing in the time of a step; what does:";
    for (const std::string_view key : timed_keys) rule.append(" ").append(key);
    for (const std::string& setting : options.settings) {
        const std::string_view key = std::string_view(setting).substr(0, setting.find('='));
        if (std::find(timed_keys.begin(), timed_keys.end(), key) != timed_keys.end()) continue;
        const bool told = std::any_of(problems.begin(), problems.end(), [&](const Diagnostic& problem) {
            return problem.path.find(key) != std::string::npos ||
                   problem.found.find(key) != std::string::npos;
        });
        if (!told) problems.push_back({.path = "--set", .rule = rule, .found = std::string(key)});
    }
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return training;
}

}  // namespace braid::cli
