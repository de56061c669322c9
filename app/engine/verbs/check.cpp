// check mixers: every registered mixer against its promises.
#include <map>

#include "app/engine/cli/output.h"
#include "app/engine/verbs/verbs.h"
#include "core/engine/device.h"
#include "core/engine/guard.h"
#include "core/engine/mixer_check.h"
#include "core/engine/ops.h"

namespace braid::cli {
namespace {

struct CheckOptions {
    std::string device = "auto";
    bool all = false;
    bool json = false;
};

std::string figure(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value == 0 ? "%.0f" : "%.2g", value);
    return text;
}

Json to_json(const MixerCheckResult& result) {
    return {{"mixer", result.mixer},   {"pattern", result.pattern},   {"check", result.check},
            {"detail", result.detail}, {"measured", result.measured}, {"limit", result.limit},
            {"passed", result.passed}};
}

// A line for each mixer and check with its worst measurement; with --all, and for what failed, every line.
Result<void> check_all(const CheckOptions& options) {
    auto opened = open_device(options.device, 0);
    if (!opened) return fail(opened.error());
    std::vector<MixerCheckResult> results;
    const Result<void> ran = guarded("check mixers", [&] {
        check_mixers(*opened, [&](const MixerCheckResult& result) { results.push_back(result); });
    });
    if (!ran) return ran;
    std::size_t failed = 0;
    std::vector<const MixerCheckResult*> shown;
    std::map<std::string, std::size_t> lines;  // by mixer, check and device
    const auto closeness = [](const MixerCheckResult& result) {
        return !result.passed ? 2.0 : result.limit > 0 ? result.measured / result.limit : 0.0;
    };
    for (const MixerCheckResult& result : results) {
        failed += result.passed ? 0 : 1;
        if (options.all || !result.passed) {
            shown.push_back(&result);
            continue;
        }
        const bool device = result.check == "error" && result.detail.ends_with("bf16");
        const auto [at, fresh] =
            lines.try_emplace(result.mixer + "/" + result.check + (device ? "/device" : ""), shown.size());
        if (fresh)
            shown.push_back(&result);
        else if (closeness(result) > closeness(*shown[at->second]))
            shown[at->second] = &result;
    }
    if (options.json) {
        Json json = {{"device", (*opened)->name()},
                     {"checks", results.size()},
                     {"failed", failed},
                     {"results", Json::array()}};
        for (const MixerCheckResult& result : results) json["results"].push_back(to_json(result));
        print(json);
    } else {
        Table table(
            {{"MIXER"}, {"CHECK"}, {"PATTERN"}, {"WORST"}, {"MEASURED", true}, {"LIMIT", true}, {"STATE"}});
        for (const MixerCheckResult* result : shown)
            table.add({result->mixer, result->check, result->pattern, result->detail,
                       figure(result->measured), figure(result->limit), result->passed ? "ok" : "BAD"});
        print(table.text() + "\n" + std::to_string(results.size()) + " checks, " + std::to_string(failed) +
              " failed" +
              ((*opened)->name() == "cpu"
                   ? "; bf16 on CUDA skipped: run with --device cuda on a machine with a GPU\n"
                   : "\n"));
    }
    if (failed > 0)
        return fail(ErrorKind::internal, std::to_string(failed) + " checks of mixers failed; see the table");
    return {};
}

}  // namespace

void add_check(CommandLine& line) {
    CLI::App& check = line.group("check", "Correctness tables against float64 references");
    const auto options = std::make_shared<CheckOptions>();
    CLI::App& verb = line.verb(
        check,
        {.name = "mixers",
         .summary = "Every registered mixer: causality, forms, gradients, cost, JSON, lengths, gates, errors",
         .example = "braid-engine check mixers\nbraid-engine check mixers --device cuda --json",
         .details =
             "Tries each mixer by itself, head-wise beside full attention, and with each of its parameters "
             "changed. A line shows the measurement that comes closest to its limit."},
        [options] { return check_all(*options); });
    verb.add_option("--device", options->device, "Also measure this device's error: auto, cpu, cuda")
        ->type_name("DEVICE")
        ->capture_default_str();
    verb.add_flag("--all", options->all, "Every measurement, not the closest of each check");
    add_json_option(verb, options->json);
}

}  // namespace braid::cli
