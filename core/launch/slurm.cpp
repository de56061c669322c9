#include "core/launch/slurm.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "core/base/file.h"
#include "core/launch/command.h"
#include "core/launch/slurm_script.h"
#include "core/launch/slurm_text.h"

namespace braid {
namespace {

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

// "sbatch: error: Batch job submission failed: Invalid partition": what it said, or that it said nothing.
std::string words_of(const CommandResult& result) {
    std::string words = trimmed(result.err.empty() ? result.out : result.err);
    if (words.size() > 2'000) words.resize(2'000);
    return words.empty() ? "exit code " + std::to_string(result.code) : words;
}

Result<CommandResult> call(const std::vector<std::string>& words) {
    Result<CommandResult> result = run_command(words);
    if (!result && result.error().kind == ErrorKind::unavailable)
        return fail(ErrorKind::unavailable, "there is no " + words[0] + " on this machine", {},
                    "Give the command on a login node of the cluster (`module load slurm` may be needed); "
                    "without --on slurm the runs are trained here");
    return result;
}

tl::unexpected<Error> refusal(const std::vector<std::string>& words, const CommandResult& result) {
    const std::string said = words_of(result);
    return fail(ErrorKind::unavailable, "Slurm refuses. " + command_line(words) + " says:\n" + said, {},
                hint_for_refusal(said));
}

std::string joined(const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& each : texts) text.append(text.empty() ? "" : ",").append(each);
    return text;
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

bool unknown_job(const CommandResult& result) {
    return result.err.find("Invalid job id") != std::string::npos;
}

}  // namespace

Result<void> Slurm::check() const {
    const std::vector<std::string> words = {"squeue", "--noheader", "--me", "--format=%A"};
    const Result<CommandResult> here = call({"sbatch", "--version"});
    if (!here) return fail(here.error());
    const Result<CommandResult> result = call(words);
    if (!result) return fail(result.error());
    if (result->code != 0) return refusal(words, *result);
    return {};
}

Result<std::string> Slurm::submit(const JobArray& array) const {
    const Checked<std::string> script = slurm_script(array);
    if (!script) return fail(to_error(script.error()));
    const std::string file = array.folder + "/" + array.name + ".sh";
    if (Result<void> made = make_folder(array.folder); !made) return fail(std::move(made.error()));
    if (Result<void> written = write_file_atomically(file, *script); !written)
        return fail(std::move(written.error()));
    const std::vector<std::string> words = {"sbatch", "--parsable", file};
    const Result<CommandResult> result = call(words);
    if (!result) return fail(result.error());
    if (result->code != 0) return refusal(words, *result);
    std::optional<std::string> job = parse_sbatch(result->out);
    if (!job)
        return fail(ErrorKind::unavailable, "sbatch names no job. It says:\n" + words_of(*result), file,
                    "Look with squeue --name=" + array.name);
    return *std::move(job);
}

Result<std::vector<TaskReport>> Slurm::tasks(const std::vector<std::string>& jobs) const {
    if (jobs.empty()) return std::vector<TaskReport>{};
    const std::vector<std::string> words = {"squeue",
                                            "--noheader",
                                            "--array",
                                            "--states=all",
                                            "--jobs=" + joined(jobs),
                                            std::string("--format=") + squeue_format};
    const Result<CommandResult> result = call(words);
    if (!result) return fail(result.error());
    if (result->code != 0 && !unknown_job(*result)) return refusal(words, *result);
    std::vector<TaskReport> reports = parse_squeue(result->out);
    std::set<std::string> seen;
    for (const TaskReport& report : reports) seen.insert(report.job);
    if (std::all_of(jobs.begin(), jobs.end(), [&](const std::string& job) { return seen.contains(job); }))
        return reports;
    // The queue forgets what ended a few minutes ago; the accounting, where there is one, does not.
    const Result<CommandResult> account =
        run_command({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs=" + joined(jobs),
                     "--format=JobID,State,NodeList"});
    if (!account || account->code != 0) return reports;
    std::set<std::pair<std::string, std::int64_t>> known;
    for (const TaskReport& report : reports) known.emplace(report.job, report.task);
    for (TaskReport& report : parse_sacct(account->out))
        if (known.emplace(report.job, report.task).second) reports.push_back(std::move(report));
    return reports;
}

Result<std::string> Slurm::find(const std::string& name) const {
    const std::vector<std::string> words = {"squeue", "--noheader", "--me", "--name=" + name, "--format=%F"};
    const Result<CommandResult> result = call(words);
    if (!result) return fail(result.error());
    if (result->code != 0) return refusal(words, *result);
    return parse_sbatch(result->out).value_or(std::string());
}

Result<void> Slurm::stop(const std::vector<std::string>& jobs) const {
    if (jobs.empty()) return {};
    // What waits first, or it would start in place of what ends. scancel alone would give a run that works
    // only Slurm's KillWait (30 s) to save.
    for (const std::vector<std::string>& options : {std::vector<std::string>{"--state=PENDING"},
                                                    std::vector<std::string>{"--batch", "--signal=TERM"}}) {
        const std::vector<std::string> words = with(with({"scancel", "--quiet"}, options), jobs);
        const Result<CommandResult> result = call(words);
        if (!result) return fail(result.error());
        if (result->code != 0 && !unknown_job(*result)) return refusal(words, *result);
    }
    return {};
}

Result<void> Slurm::queue_this_again() const {
    // Not SLURM_JOB_ID: one of the tasks has the number of the whole array there.
    const char* job = std::getenv("SLURM_ARRAY_JOB_ID");
    const char* task = std::getenv("SLURM_ARRAY_TASK_ID");
    if (job == nullptr || task == nullptr)
        return fail(ErrorKind::invalid_input, "this is no job array of Slurm", "SLURM_ARRAY_JOB_ID");
    const std::vector<std::string> words = {"scontrol", "requeue", std::string(job) + "_" + task};
    const Result<CommandResult> result = call(words);
    if (!result) return fail(result.error());
    if (result->code != 0) return refusal(words, *result);
    return {};
}

}  // namespace braid
