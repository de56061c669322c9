#include "core/record/run_collect.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <random>

#include "core/base/file.h"
#include "core/record/run_copy.h"
#include "core/record/run_lock.h"
#include "core/record/run_reader.h"
#include "core/spec/schedule.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> names = {"added", "updated", "nothing new", "newer here"};

// Below the project, so that a rename is enough; hidden from its list of runs; removed at the end.
class Workshop {
public:
    explicit Workshop(const Project& project) {
        std::random_device random;
        path_ = project.folder() + "/.collect-" + std::to_string(random());
    }
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    ~Workshop() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

bool same_attempt(const Attempt& a, const Attempt& b) {
    return a.number == b.number && a.from == b.from && a.process == b.process && a.started == b.started;
}

bool begins_with(const RunSnapshot& long_one, const RunSnapshot& short_one) {
    return long_one.attempts.size() >= short_one.attempts.size() &&
           std::equal(short_one.attempts.begin(), short_one.attempts.end(), long_one.attempts.begin(),
                      same_attempt);
}

Result<std::shared_ptr<const RunSnapshot>> read(const RunFolder& folder) {
    RunReader reader(folder, {.series = false, .events = false});
    std::shared_ptr<const RunSnapshot> snapshot = reader.poll();
    if (snapshot->problem) return fail(*snapshot->problem);
    return snapshot;
}

// Where and how often it is computed may differ.
bool same_run(const RunPlan& a, const RunPlan& b) {
    return a.id == b.id && a.created == b.created && a.study == b.study && a.point == b.point &&
           a.architecture == b.architecture && a.data == b.data && a.phases == b.phases &&
           a.weights_from == b.weights_from && computed_alike(a.training) == computed_alike(b.training);
}

// Files that only `from` has. A score's name is made of what was asked, so equal names are equal questions.
Result<bool> add_files(const std::string& from, const std::string& to) {
    std::error_code error;
    bool added = false;
    if (!fs::exists(from, error)) return false;
    if (Result<void> made = make_folder(to); !made) return fail(std::move(made.error()));
    for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
        const fs::path target = fs::path(to) / entry.path().filename();
        if (!entry.is_regular_file(error) || fs::exists(target, error)) continue;
        const Result<std::string> text = read_file(entry.path().string());
        if (!text) return fail(text.error());
        if (Result<void> written = write_file_atomically(target.string(), *text); !written)
            return fail(std::move(written.error()));
        added = true;
    }
    return added;
}

Result<bool> add_answers(const RunFolder& from, const RunFolder& to) {
    bool added = false;
    for (const auto& [source, target] : {std::pair(from.scores_folder(), to.scores_folder()),
                                         std::pair(from.measurements_folder(), to.measurements_folder())}) {
        Result<bool> more = add_files(source, target);
        if (!more) return more;
        added = added || *more;
    }
    return added;
}

// Both names change places in one step; where the file system cannot do that, there is a moment without.
Result<void> exchange(const std::string& fresh, const std::string& present) {
    if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, present.c_str(), RENAME_EXCHANGE) == 0) return {};
    const std::string aside = fresh + ".old";
    if (std::rename(present.c_str(), aside.c_str()) != 0)
        return fail(error_from_errno(errno, "cannot replace", present));
    if (std::rename(fresh.c_str(), present.c_str()) == 0) return {};
    const Error error = error_from_errno(errno, "cannot replace", present);
    std::rename(aside.c_str(), present.c_str());
    return fail(error);
}

Result<Collected> replace(const RunFolder& from, const RunFolder& present, const Project& project) {
    const Result<RunLock> lock = RunLock::take(present);
    if (!lock) return fail(lock.error());
    const Workshop workshop(project);
    const Result<RunFolder> fresh = copy_run(from, workshop / present.name());
    if (!fresh) return fail(fresh.error());
    if (const Result<bool> kept = add_answers(present, *fresh); !kept) return fail(kept.error());
    if (Result<void> exchanged = exchange(fresh->path(), present.path()); !exchanged)
        return fail(std::move(exchanged.error()));
    return Collected::updated;
}

std::string step_text(const RunSnapshot& run) { return "step " + std::to_string(run.status.step.value); }

}  // namespace

std::string_view to_text(Collected collected) { return names[static_cast<std::size_t>(collected)]; }

Result<Collected> collect_run(const RunFolder& from, const Project& project) {
    const Result<RunPlan> plan = from.plan();
    if (!plan) return fail(plan.error());
    const std::string id = plan->id.str();
    if (id.empty() || id.front() == '.' || id.find('/') != std::string::npos)
        return fail(ErrorKind::invalid_input, "its plan has no id that could name a folder: \"" + id + "\"",
                    from.plan_file());
    const auto there = read(from);
    if (!there) return fail(there.error());
    const RunFolder present(project.folder() + "/runs/" + id);
    if (!present.exists()) {
        const Workshop workshop(project);
        const Result<RunFolder> fresh = copy_run(from, workshop / id);
        if (!fresh) return fail(fresh.error());
        if (Result<void> made = make_folder(project.folder() + "/runs"); !made)
            return fail(std::move(made.error()));
        if (std::rename(fresh->path().c_str(), present.path().c_str()) != 0)
            return fail(error_from_errno(errno, "cannot make", present.path()));
        return Collected::added;
    }
    const Result<RunPlan> own = present.plan();
    if (!own) return fail(own.error());
    if (!same_run(*own, *plan))
        return fail(ErrorKind::already_exists, "another run has its id here: " + own->name, present.path(),
                    "Give it another folder there, or remove the one here (run rm " + id + ")");
    const auto here = read(present);
    if (!here) return fail(here.error());
    const bool goes_on = begins_with(**there, **here), went_on = begins_with(**here, **there);
    if (goes_on && (!went_on || (*there)->status.step > (*here)->status.step))
        return replace(from, present, project);
    if (goes_on && went_on && (*there)->status.step == (*here)->status.step) {
        const Result<bool> added = add_answers(from, present);
        if (!added) return fail(added.error());
        return *added ? Collected::updated : Collected::same;
    }
    if (went_on) return Collected::newer_here;
    return fail(ErrorKind::already_exists,
                "it went on here (" + step_text(**here) + ") and there (" + step_text(**there) + ")",
                present.path(), "Keep the one here, or remove it (run rm " + id + ") and collect again");
}

}  // namespace braid
