#include "core/record/measured_speed.h"

#include <algorithm>
#include <map>

#include "core/record/run_reader.h"
#include "core/spec/cost.h"

namespace braid {
namespace {

constexpr std::size_t most_runs = 64;
constexpr std::string_view device_words = "trains on ";

// The device of its last attempt; empty where it is not known.
std::string device_of(const RunSnapshot& run) {
    std::string device;
    for (const RunEvent& event : run.events)
        if (event.kind == "device" && event.message.starts_with(device_words))
            device = event.message.substr(device_words.size());
    return device;
}

}  // namespace

std::vector<MeasuredSpeed> measured_speeds(std::span<const StudyRun> runs, const MixerCatalog& catalog) {
    std::map<std::string, std::vector<double>> speeds;
    std::size_t looked_at = 0;
    for (std::size_t i = runs.size(); i-- > 0 && looked_at < most_runs;) {
        const StudyRun& run = runs[i];
        const auto found = run.entry.status.latest.find("tokens_per_s");
        if (found == run.entry.status.latest.end() || !(found->second > 0)) continue;
        ++looked_at;
        const std::string device = device_of(*RunReader(run.entry.folder, {.series = false}).poll());
        if (device.empty()) continue;
        speeds[device].push_back(
            found->second *
            cost(run.plan->architecture, catalog, run.plan->training.context).training_flops_per_token);
    }
    std::vector<MeasuredSpeed> all;
    for (auto& [device, values] : speeds) {
        std::sort(values.begin(), values.end());
        all.push_back({.device = device, .flops_per_s = values[values.size() / 2], .runs = values.size()});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const MeasuredSpeed& a, const MeasuredSpeed& b) { return a.runs > b.runs; });
    return all;
}

}  // namespace braid
