#include "app/engine/verbs/bench_growth.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/cli/spec_argument.h"
#include "app/engine/cli/training_text.h"
#include "app/engine/cli/version.h"
#include "core/base/clock.h"
#include "core/engine/device.h"
#include "core/engine/ops.h"
#include "core/mixers/builtin.h"
#include "core/record/growth.h"
#include "core/spec/cost.h"

namespace braid::cli {
namespace {

struct Cell {
    ArchitectureSpec architecture;
    GrowthRow row;
};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : ",").append(word);
    return text;
}

std::string command_of(const BenchOptions& options) {
    std::string command = "braid-engine bench step";
    const auto add = [&command](const char* flag, const std::string& value) {
        if (!value.empty()) command.append(" ").append(flag).append(" ").append(shell_word(value));
    };
    for (const std::string& spec : options.specs) command.append(" ").append(shell_word(spec));
    std::vector<std::string> contexts;
    for (const std::int64_t context : options.contexts) contexts.push_back(std::to_string(context));
    add("--scale", options.scale);
    add("--context", std::to_string(options.shape.context));
    add("--batch", std::to_string(options.shape.batch));
    add("--contexts", joined(contexts));
    add("--scales", joined(options.scales));
    if (options.vocab > 0) add("--vocab", std::to_string(options.vocab));
    add("--rounds", std::to_string(options.shape.rounds));
    add("--device", options.device);
    if (options.threads != 1) add("--threads", std::to_string(options.threads));
    add("--project", options.project);
    for (const std::string& setting : options.settings) add("--set", setting);
    return command;
}

Result<std::vector<Cell>> cells_of(const BenchOptions& options) {
    const std::int64_t tokens = options.shape.batch * options.shape.context;
    Diagnostics problems;
    for (const std::int64_t context : options.contexts)
        if (context < 1 || tokens % context != 0)
            problems.push_back(
                {.path = "--contexts",
                 .rule = "must divide " + std::to_string(tokens) + ", the tokens of --batch x --context",
                 .found = std::to_string(context)});
    if (options.shape.accumulate != 1)
        problems.push_back({.path = "--accumulate",
                            .rule = "must be 1 with --contexts, --scales or --out",
                            .found = std::to_string(options.shape.accumulate)});
    if (!problems.empty()) return fail(to_error(problems));
    std::vector<Cell> cells;
    const auto add = [&](const std::string& spec, const std::string& scale,
                         std::int64_t context) -> Result<void> {
        const bool known = std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
            return cell.row.spec == spec && cell.row.scale == scale && cell.row.context == context;
        });
        if (known) return {};
        Result<ArchitectureSpec> architecture = resolve_spec(
            {.text = spec, .scale = scale, .vocab = options.vocab, .project_folder = options.project});
        if (!architecture) return fail(architecture.error());
        const ArchitectureCost costs = cost(*architecture, builtin_mixers(), context);
        cells.push_back({.architecture = std::move(*architecture),
                         .row = {.spec = spec,
                                 .scale = scale,
                                 .context = context,
                                 .batch = tokens / context,
                                 .parameters = costs.total_parameters,
                                 .flops_per_token = costs.training_flops_per_token}});
        return {};
    };
    std::vector<std::int64_t> contexts = options.contexts;
    if (contexts.empty() && options.scales.empty()) contexts.push_back(options.shape.context);
    for (const std::string& spec : options.specs) {
        for (const std::int64_t context : contexts)
            if (Result<void> added = add(spec, options.scale, context); !added) return fail(added.error());
        for (const std::string& scale : options.scales)
            if (Result<void> added = add(spec, scale, options.shape.context); !added)
                return fail(added.error());
    }
    return cells;
}

GrowthRecord record_of(const BenchOptions& options, const Ops& ops) {
    GrowthRecord record{.device = ops.name(),
                        .threads = at::get_num_threads(),
                        .rounds = options.shape.rounds,
                        .braid = braid_version() + " (" + braid_commit() + ")",
                        .created = utc_now(),
                        .command = command_of(options)};
    for (const DeviceInfo& device : list_devices(!ops.device().is_cpu(), nullptr))
        if (device.name == record.device || device.name.starts_with(record.device + ":")) {
            record.title = device.title;
            break;
        }
    return record;
}

std::string table_of(const GrowthRecord& record) {
    Table table({{"SPEC"},
                 {"SCALE"},
                 {"CONTEXT", true},
                 {"BATCH", true},
                 {"FORWARD+BACKWARD", true},
                 {"UPDATE", true},
                 {"STEP MS", true},
                 {"TOKENS/S", true}});
    for (const GrowthRow& row : record.rows) {
        std::vector<std::string> cells{row.spec, row.scale, with_commas(row.context),
                                       std::to_string(row.batch)};
        if (row.measured())
            cells.insert(cells.end(),
                         {milliseconds(row.forward_backward_ms), milliseconds(row.update_ms),
                          milliseconds(row.step_ms()), with_commas(std::llround(row.tokens_per_s()))});
        else
            cells.insert(cells.end(), {"", "", "", row.problem});
        table.add(std::move(cells));
    }
    std::string text = record.title;
    if (record.device == "cpu")
        text.append(", ").append(std::to_string(record.threads)).append(" threads in use");
    text.append("; median of ").append(std::to_string(record.rounds)).append(" rounds\n");
    return text.append(table.text());
}

}  // namespace

Result<void> bench_growth(const BenchOptions& options) {
    Result<std::vector<Cell>> cells = cells_of(options);
    if (!cells) return fail(cells.error());
    const Checked<TrainingSpec> training = timed_training(options);
    if (!training) return fail(to_error(training.error()));
    const Result<std::shared_ptr<Ops>> ops = open_device(options.device, options.threads);
    if (!ops) return fail(ops.error());
    GrowthRecord record = record_of(options, **ops);
    if (!options.out.empty())  // before minutes of work, not after
        if (Result<void> written = write_growth(options.out, record); !written) return written;
    Progress bar;
    for (Cell& cell : *cells) {
        GrowthRow& row = cell.row;
        std::string what = row.spec;
        what.append(" ").append(row.scale).append(", ").append(std::to_string(row.batch));
        what.append(" x ").append(with_commas(row.context)).append(" tokens");
        bar.update(double(record.rows.size()) / double(cells->size()), what);
        BenchShape shape = options.shape;
        shape.batch = row.batch;
        shape.context = row.context;
        shape.plain = false;
        const Result<StepComparison> time =
            time_step(cell.architecture, *training, *ops, shape, [] { return !stop_requested().load(); });
        if (time) {
            row.forward_ms = time->forward_ms;
            // What is left of the whole: the parts, measured apart, wait for the device between them.
            row.forward_backward_ms = time->engine.step_ms - time->engine.update_ms;
            row.update_ms = time->engine.update_ms;
        } else if (time.error().kind == ErrorKind::out_of_memory) {
            row.problem = "not enough memory";
        } else if (time.error().kind == ErrorKind::invalid_input) {  // a kernel that was asked for cannot
            row.problem = time.error().message;
        } else {
            return fail(time.error());
        }
        record.rows.push_back(row);
        if (options.out.empty()) continue;
        if (Result<void> written = write_growth(options.out, record); !written) return written;
    }
    if (options.json)
        print(to_json(record));
    else
        print(table_of(record));
    return {};
}

}  // namespace braid::cli
