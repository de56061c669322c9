// doctor: devices, memory, libraries, what is missing and how to get it.
#include <filesystem>

#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/version.h"
#include "app/engine/verbs/verbs.h"
#include "core/engine/device.h"
#include "core/engine/self_check.h"

namespace braid::cli {
namespace {

struct Check {
    std::string name;
    bool good = false;
    bool needed = true;  // false: Braid works without it
    std::string found;
    std::string advice = {};
};

Check data_folder_check() {
    namespace fs = std::filesystem;
    Check check{.name = "data folder", .found = data_home()};
    std::error_code error;
    fs::path existing = data_home();
    while (!fs::exists(existing, error) && existing.has_parent_path() && existing != existing.parent_path())
        existing = existing.parent_path();
    const fs::space_info space = fs::space(existing, error);
    check.good = !error && space.available > (std::uintmax_t{1} << 30);
    check.found +=
        ", " + (error ? "unknown" : bytes_text(static_cast<std::int64_t>(space.available))) + " free";
    if (!check.good) check.advice = "Make room, or set XDG_DATA_HOME to a folder with more than 1 GiB";
    return check;
}

Result<void> examine(bool json) {
    Error no_cuda;
    const std::vector<DeviceInfo> devices = list_devices(true, &no_cuda);
    std::vector<Check> checks;
    const std::string blas = blas_problem();
    checks.push_back({.name = "matrix library",
                      .good = blas.empty(),
                      .found = blas.empty() ? "LibTorch's own (MKL)" : blas,
                      .advice = "Another BLAS came first: start braid-engine without LD_PRELOAD"});
    checks.push_back(
        {.name = "CUDA",
         .good = devices.size() > 1,
         .needed = false,
         .found = devices.size() > 1 ? std::to_string(devices.size() - 1) + " device(s)" : no_cuda.message,
         .advice = no_cuda.hint.empty() ? "Not needed: everything runs on the CPU" : no_cuda.hint});
    checks.push_back(data_folder_check());

    bool all_good = true;
    Json document = {{"version", braid_version()},
                     {"commit", braid_commit()},
                     {"libtorch", torch_version()},
                     {"devices", Json::array()},
                     {"checks", Json::array()}};
    Table device_table({{"DEVICE"}, {"MEMORY", true}, {"WHAT"}});
    Table kernel_table({{"DEVICE"}, {"OPERATION"}, {"KERNEL"}, {"TAKEN FOR (the first that can)"}});
    for (const DeviceInfo& device : devices) {
        device_table.add({device.name, bytes_text(device.memory),
                          device.title + (device.details.empty() ? "" : "; " + device.details)});
        const auto list = [&](const char* operation, const std::vector<KernelInfo>& all) {
            Json kernels = Json::array();
            for (const KernelInfo& kernel : all) {
                kernel_table.add({device.name, operation, kernel.name, kernel.use});
                kernels.push_back({{"name", kernel.name}, {"use", kernel.use}});
            }
            return kernels;
        };
        document["devices"].push_back(
            {{"name", device.name},
             {"title", device.title},
             {"memory", device.memory},
             {"details", device.details},
             {"attention_kernels", list("attention", device.attention_kernels)},
             {"recurrence_kernels", list("recurrence", device.recurrence_kernels)}});
    }
    Table check_table({{"CHECK"}, {"STATE"}, {"FOUND"}, {"ADVICE"}});
    for (const Check& check : checks) {
        all_good = all_good && (check.good || !check.needed);
        check_table.add({check.name,
                         check.good     ? "ok"
                         : check.needed ? "BAD"
                                        : "none",
                         check.found, check.good ? "" : check.advice});
        document["checks"].push_back({{"name", check.name},
                                      {"good", check.good},
                                      {"needed", check.needed},
                                      {"found", check.found},
                                      {"advice", check.good ? "" : check.advice}});
    }
    document["good"] = all_good;
    if (json)
        print(document);
    else
        print(version_text() + "\n\n" + device_table.text() + "\n" + kernel_table.text() + "\n" +
              check_table.text());
    if (!all_good) return fail(ErrorKind::unavailable, "something that is needed is missing; see above");
    return {};
}

}  // namespace

void add_doctor(CommandLine& line) {
    const auto json = std::make_shared<bool>(false);
    CLI::App& verb = line.verb(line.root(),
                               {.name = "doctor",
                                .summary = "Devices, memory, libraries; what is missing and how to get it",
                                .example = "braid-engine doctor"},
                               [json] { return examine(*json); });
    add_json_option(verb, *json);
}

}  // namespace braid::cli
