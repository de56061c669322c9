// What a cluster's commands print, and the two files that a project keeps about it; the first byte chooses.
#include "core/launch/cluster_settings.h"
#include "core/launch/slurm_script.h"
#include "core/launch/slurm_text.h"
#include "core/record/study_jobs.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (!text.empty() && text[0] != '{') {
        const std::string_view rest = text.substr(1);
        for (const auto& tasks : {braid::parse_squeue(rest), braid::parse_sacct(rest)})
            for (const braid::TaskReport& task : tasks)
                must(task.task >= 0 && !task.job.empty() && !task.word.empty(),
                     "a task has a job and a state");
        if (const auto job = braid::parse_sbatch(rest)) must(!job->empty(), "a job has an id");
        braid::hint_for_refusal(rest);
        return 0;
    }
    const auto json = braid::parse_json(text);
    if (!json) return 0;
    if (const auto jobs = braid::study_jobs_from_json(*json)) {
        const auto again = braid::study_jobs_from_json(braid::to_json(*jobs));
        must(again && *again == *jobs, "jobs and back are the identity");
    }
    if (const auto settings = braid::cluster_settings_from_json(*json)) {
        const auto again = braid::cluster_settings_from_json(braid::to_json(*settings));
        must(again && *again == *settings, "settings and back are the identity");
        const auto script =
            braid::slurm_script({.name = "n", .folder = "/f", .command = {"c"}, .settings = *settings});
        must(script.has_value(), "settings that were read make a script");
    }
    return 0;
}
