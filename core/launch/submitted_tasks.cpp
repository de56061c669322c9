#include "core/launch/submitted_tasks.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "core/base/clock.h"

namespace braid {
namespace {

constexpr int most_absences = 3;

bool is_over(TaskPhase phase) { return phase != TaskPhase::waiting && phase != TaskPhase::working; }

std::string random_token() {
    std::random_device random;
    std::string token;
    while (token.size() < 6) token += "0123456789abcdef"[random() % 16];
    return token;
}

// By scheduler: the ids of submissions that may still be at work.
Result<std::map<std::string, std::vector<std::string>>> open_jobs(const std::string& project_folder,
                                                                  const std::string& study) {
    const Result<StudyJobs> jobs = read_study_jobs(project_folder, study);
    if (!jobs) return fail(jobs.error());
    std::map<std::string, std::vector<std::string>> open;
    for (const JobSubmission* submission : jobs->open()) {
        std::string job = submission->job;
        if (job.empty()) {
            const Result<std::unique_ptr<Cluster>> cluster = open_cluster(submission->scheduler);
            if (!cluster) return fail(cluster.error());
            Result<std::string> found = (*cluster)->find(submission->name);
            if (!found) return fail(std::move(found.error()));
            job = *std::move(found);
        }
        if (!job.empty()) open[submission->scheduler].push_back(std::move(job));
    }
    return open;
}

}  // namespace

Result<SubmittedTasks> SubmittedTasks::open(const Cluster& cluster, const std::string& project_folder,
                                            const std::string& study) {
    SubmittedTasks tasks(cluster, project_folder, study);
    Result<StudyJobs> jobs = read_study_jobs(project_folder, study);
    if (!jobs) return fail(std::move(jobs.error()));
    tasks.jobs_ = *std::move(jobs);
    if (tasks.jobs_.open().empty()) return tasks;
    if (Result<void> found = tasks.find_again(); !found) return fail(std::move(found.error()));
    return tasks;
}

Result<void> SubmittedTasks::find_again() {
    std::vector<std::string> ids;
    for (JobSubmission& submission : jobs_.submissions) {
        if (submission.over || submission.scheduler != cluster_->id()) continue;
        if (submission.job.empty()) {
            Result<std::string> found = cluster_->find(submission.name);
            if (!found) return fail(std::move(found.error()));
            submission.job = *std::move(found);
        }
        if (!submission.job.empty()) ids.push_back(submission.job);
    }
    const Result<std::vector<TaskReport>> reports = cluster_->tasks(ids);
    if (!reports) return fail(reports.error());
    for (const JobSubmission* submission : jobs_.open())
        for (const TaskReport& report : *reports) {
            if (submission->job != report.job || is_over(report.phase) ||
                report.task >= static_cast<std::int64_t>(submission->tasks.size()))
                continue;
            tasks_.push_back({.submission = submission->number,
                              .points = submission->tasks[static_cast<std::size_t>(report.task)],
                              .last = report});
        }
    close_submissions();
    return save();
}

std::vector<std::string> SubmittedTasks::jobs() const {
    std::set<std::string> ids;
    for (const SubmittedTask& task : tasks_) ids.insert(task.last.job);
    return {ids.begin(), ids.end()};
}

Result<std::string> SubmittedTasks::submit(const Request& request) {
    JobSubmission submission{.number = 1,
                             .scheduler = cluster_->id(),
                             .device = request.device,
                             .submitted = utc_now(),
                             .tasks = request.tasks};
    for (const JobSubmission& each : jobs_.submissions)
        submission.number = std::max(submission.number, each.number + 1);
    submission.name = "braid-" + study_;
    submission.name.append("-").append(std::to_string(submission.number)).append("-").append(random_token());
    jobs_.submissions.push_back(submission);
    if (Result<void> saved = save(); !saved) return fail(std::move(saved.error()));
    Result<std::string> job = cluster_->submit({.name = submission.name,
                                                .folder = jobs_folder(project_folder_),
                                                .tasks = static_cast<std::int64_t>(request.tasks.size()),
                                                .command = request.command(submission.number),
                                                .settings = request.settings});
    if (!job) {
        jobs_.submissions.pop_back();
        (void)save();  // the refusal is what matters
        return job;
    }
    jobs_.submissions.back().job = *job;
    for (std::size_t i = 0; i < request.tasks.size(); ++i)
        tasks_.push_back({.submission = submission.number,
                          .points = request.tasks[i],
                          .last = {.job = *job, .task = static_cast<std::int64_t>(i)}});
    if (Result<void> saved = save(); !saved) return fail(std::move(saved.error()));
    return job;
}

// Submissions without a task that waits or works.
void SubmittedTasks::close_submissions() {
    for (JobSubmission& submission : jobs_.submissions)
        if (submission.scheduler == cluster_->id())
            submission.over = std::none_of(tasks_.begin(), tasks_.end(), [&](const SubmittedTask& task) {
                return task.submission == submission.number;
            });
}

Result<std::vector<SubmittedTask>> SubmittedTasks::poll() {
    const Result<std::vector<TaskReport>> reports = cluster_->tasks(jobs());
    if (!reports) return fail(reports.error());
    std::map<std::pair<std::string, std::int64_t>, const TaskReport*> known;
    for (const TaskReport& report : *reports) known[{report.job, report.task}] = &report;
    std::vector<SubmittedTask> still, ended;
    for (SubmittedTask& task : tasks_) {
        const auto found = known.find({task.last.job, task.last.task});
        if (found != known.end()) {
            task.absences = 0;
            task.last = *found->second;
        } else if (++task.absences >= most_absences) {
            task.last.phase = TaskPhase::lost;
            task.last.word = cluster_->title() + " does not know it any more";
        }
        (is_over(task.last.phase) ? ended : still).push_back(std::move(task));
    }
    tasks_ = std::move(still);
    if (ended.empty()) return ended;
    close_submissions();
    if (Result<void> saved = save(); !saved) return fail(std::move(saved.error()));
    return ended;
}

std::string SubmittedTasks::log_file(const SubmittedTask& task) const {
    const JobSubmission* submission = jobs_.find(task.submission);
    if (submission == nullptr) return {};
    return log_file_of({.name = submission->name, .folder = jobs_folder(project_folder_)}, task.last.task);
}

Result<std::vector<std::string>> live_jobs(const std::string& project_folder, const std::string& study) {
    const auto open = open_jobs(project_folder, study);
    if (!open) return fail(open.error());
    std::set<std::string> live;
    for (const auto& [scheduler, jobs] : *open) {
        const Result<std::unique_ptr<Cluster>> cluster = open_cluster(scheduler);
        if (!cluster) return fail(cluster.error());
        const Result<std::vector<TaskReport>> reports = (*cluster)->tasks(jobs);
        if (!reports) return fail(reports.error());
        for (const TaskReport& report : *reports)
            if (!is_over(report.phase)) live.insert(report.job);
    }
    return std::vector<std::string>(live.begin(), live.end());
}

Result<std::vector<std::string>> stop_jobs(const std::string& project_folder, const std::string& study) {
    const auto open = open_jobs(project_folder, study);
    if (!open) return fail(open.error());
    std::vector<std::string> stopped;
    for (const auto& [scheduler, jobs] : *open) {
        const Result<std::unique_ptr<Cluster>> cluster = open_cluster(scheduler);
        if (!cluster) return fail(cluster.error());
        if (Result<void> told = (*cluster)->stop(jobs); !told) return fail(std::move(told.error()));
        stopped.insert(stopped.end(), jobs.begin(), jobs.end());
    }
    return stopped;
}

}  // namespace braid
