#include "core/record/study_jobs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/file.h"
#include "core/base/json_reader.h"

namespace braid {
namespace {

constexpr std::size_t kept_over = 20;
constexpr std::int64_t most_submissions = 1'000'000;

std::vector<std::vector<std::string>> read_tasks(JsonReader& reader) {
    std::vector<std::vector<std::string>> tasks;
    const Json* json = reader.require("tasks");
    if (json == nullptr) return tasks;
    if (!json->is_array()) {
        reader.report(reader.place("tasks"), "must be a list of lists of points", *json);
        return tasks;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < json->size(); ++i) {
        const std::string place = reader.place("tasks[") + std::to_string(i) + "]";
        const Json& task = (*json)[i];
        std::vector<std::string> points;
        if (!task.is_array() || task.empty()) {
            reader.report(place, "must be a list of points", task);
            continue;
        }
        for (const Json& point : task) {
            if (!point.is_string() || point.get_ref<const std::string&>().empty())
                reader.report(place, "must hold keys of points", point);
            else if (!seen.insert(point.get<std::string>()).second)
                reader.report(place, "must not repeat a point", point);
            else
                points.push_back(point.get<std::string>());
        }
        tasks.push_back(std::move(points));
    }
    return tasks;
}

JobSubmission read_submission(const Json& json, const std::string& place, Diagnostics& problems) {
    JobSubmission submission;
    JsonReader reader(json, place, problems);
    if (!reader.is_object()) return submission;
    reader.require("number");
    reader.integer("number", submission.number, 1, most_submissions);
    reader.require("name");
    reader.text("name", submission.name);
    reader.text("scheduler", submission.scheduler);
    reader.text("job", submission.job);
    reader.text("device", submission.device);
    reader.text("submitted", submission.submitted);
    reader.flag("over", submission.over);
    submission.tasks = read_tasks(reader);
    reader.refuse_unknown_keys();
    return submission;
}

}  // namespace

const JobSubmission* StudyJobs::find(std::int64_t number) const {
    for (const JobSubmission& submission : submissions)
        if (submission.number == number) return &submission;
    return nullptr;
}

std::vector<const JobSubmission*> StudyJobs::open() const {
    std::vector<const JobSubmission*> found;
    for (const JobSubmission& submission : submissions)
        if (!submission.over) found.push_back(&submission);
    return found;
}

Json to_json(const StudyJobs& jobs) {
    Json submissions = Json::array();
    for (const JobSubmission& each : jobs.submissions)
        submissions.push_back({{"number", each.number},
                               {"scheduler", each.scheduler},
                               {"name", each.name},
                               {"job", each.job},
                               {"device", each.device},
                               {"submitted", each.submitted},
                               {"over", each.over},
                               {"tasks", each.tasks}});
    return {{"schema_version", study_jobs_schema_version}, {"submissions", std::move(submissions)}};
}

Checked<StudyJobs> study_jobs_from_json(const Json& json) {
    StudyJobs jobs;
    Diagnostics problems;
    JsonReader reader(json, "", problems);
    if (!reader.is_object() || !reader.schema_version(study_jobs_schema_version))
        return tl::unexpected(std::move(problems));
    if (const Json* list = reader.require("submissions"); list != nullptr && !list->is_array())
        reader.report("submissions", "must be a list", *list);
    else if (list != nullptr)
        for (std::size_t i = 0; i < list->size(); ++i) {
            const std::string place = "submissions[" + std::to_string(i) + "]";
            JobSubmission submission = read_submission((*list)[i], place, problems);
            if (jobs.find(submission.number) != nullptr)
                problems.push_back({.path = place + ".number",
                                    .rule = "must differ from the others",
                                    .found = std::to_string(submission.number)});
            jobs.submissions.push_back(std::move(submission));
        }
    reader.refuse_unknown_keys();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return jobs;
}

std::string jobs_folder(const std::string& project_folder) { return project_folder + "/jobs"; }

std::string jobs_file(const std::string& project_folder, const std::string& study) {
    return jobs_folder(project_folder) + "/" + study + ".json";
}

Result<StudyJobs> read_study_jobs(const std::string& project_folder, const std::string& study) {
    const std::string file = jobs_file(project_folder, study);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return StudyJobs{};
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    Checked<StudyJobs> jobs = study_jobs_from_json(*json);
    if (!jobs) return fail(to_error(jobs.error(), file));
    return std::move(*jobs);
}

Result<void> write_study_jobs(const std::string& project_folder, const std::string& study, StudyJobs jobs) {
    std::size_t over = 0;
    for (auto each = jobs.submissions.rbegin(); each != jobs.submissions.rend(); ++each)
        if (each->over && ++over > kept_over) each->name.clear();  // marked for the next line
    std::erase_if(jobs.submissions, [](const JobSubmission& each) { return each.over && each.name.empty(); });
    if (Result<void> made = make_folder(jobs_folder(project_folder)); !made) return made;
    return write_json_atomically(jobs_file(project_folder, study), to_json(jobs));
}

}  // namespace braid
