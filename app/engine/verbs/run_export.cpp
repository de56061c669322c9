// run export
#include "app/engine/cli/output.h"
#include "app/engine/cli/project_argument.h"
#include "app/engine/cli/run_json.h"
#include "app/engine/verbs/run_verbs.h"
#include "core/record/run_copy.h"
#include "core/record/run_reader.h"

namespace braid::cli {
namespace {

struct ExportOptions {
    std::string run, project, out;
    bool no_checkpoints = false;
    bool json = false;
};

Result<void> export_run(const ExportOptions& options) {
    const Result<RunFolder> folder = find_run(options.run, options.project);
    if (!folder) return fail(folder.error());
    if (options.out.ends_with(".db")) {
        if (const Result<void> copied = copy_run_store(*folder, options.out); !copied)
            return fail(copied.error());
        print(options.json ? Json{{"run", folder->name()}, {"file", options.out}}.dump() + "\n"
                           : options.out + "\n");
        return {};
    }
    const Result<RunFolder> copy = copy_run(*folder, options.out, !options.no_checkpoints);
    if (!copy) return fail(copy.error());
    const Result<RunStatus> status = read_run_status(*copy);
    if (!status) return fail(status.error());
    print(options.json
              ? Json{{"run", folder->name()}, {"folder", copy->path()}, {"status", to_json(*status)}}.dump() +
                    "\n"
              : copy->path() + "\n");
    return {};
}

}  // namespace

void add_run_export(CommandLine& line, CLI::App& run) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App& verb = line.verb(run,
                               {.name = "export",
                                .summary = "A whole copy of a run, also while its engine works",
                                .example = "braid-engine run export a91f --out a91f-copy"},
                               [options] { return export_run(*options); });
    verb.add_option("RUN", options->run, run_help)->required();
    verb.add_option("--out", options->out, "New folder of the copy; FILE.db: the record alone")
        ->required()
        ->type_name("DIR");
    verb.add_flag("--no-checkpoints", options->no_checkpoints, "Leave out the checkpoints");
    add_project_option(verb, options->project);
    add_json_option(verb, options->json);
}

}  // namespace braid::cli
