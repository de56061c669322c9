#include "core/record/run_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <unordered_map>

#include "core/record/database.h"
#include "core/record/migrations.h"
#include "core/record/store_rows.h"

namespace braid {
namespace {

constexpr int shown_commands = 100;

// Tells one run.db from another that took its place (a published snapshot, a copy).
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec modified{};
    bool same_file(const FileStamp& other) const { return device == other.device && inode == other.inode; }
    bool unchanged(const FileStamp& other) const {
        return same_file(other) && size == other.size && modified.tv_sec == other.modified.tv_sec &&
               modified.tv_nsec == other.modified.tv_nsec;
    }
};

std::optional<FileStamp> stamp_of(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return std::nullopt;
    return FileStamp{status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

// Adds a point; false where points that had been shown changed.
bool put(Series& series, std::int64_t step, double value) {
    if (series.steps.empty() || step > series.steps.back()) {
        series.steps.append(step);
        series.values.append(value);
        return true;
    }
    // No writer of ours does this; the later value of a step wins, and steps stay in order.
    const std::size_t size = series.size();
    const auto at = static_cast<std::size_t>(
        std::lower_bound(series.steps.begin(), series.steps.end(), step) - series.steps.begin());
    const Series old = series;
    series.steps.cut(at);
    series.values.cut(at);
    series.steps.append(step);
    series.values.append(value);
    for (std::size_t i = old.steps[at] == step ? at + 1 : at; i < size; ++i) {
        series.steps.append(old.steps[i]);
        series.values.append(old.values[i]);
    }
    return false;
}

}  // namespace

struct RunReader::Impl {
    RunFolder folder;
    ReaderOptions options;
    std::optional<SQLite::Database> database;
    FileStamp stamp;  // of the open or of the broken file
    int data_version = -1;
    bool had_rows = false;  // something was read, maybe from an earlier file
    bool broken = false;    // the file of `stamp` can never be read; looked at again when it changes
    std::shared_ptr<const RunSnapshot> latest;

    // What the snapshots are copied from.
    RunSnapshot now;
    StateRow state;
    std::unordered_map<std::int64_t, Series> series;  // by metric id
    std::map<std::int64_t, std::string> metrics;
    std::int64_t last_sample = 0;
    std::int64_t last_event = 0;

    void forget_rows();
    void publish();
    bool derive_status();
    bool goes_on();
    void set_problem(std::optional<Error> problem);
    Result<bool> refresh();
    void read_all();
    void read_new_samples();
    void cut_series(std::int64_t after_step);
};

// The newly opened file holds what we know and maybe more: a published snapshot that took the place of the
// last.
bool RunReader::Impl::goes_on() {
    const std::vector<Attempt> attempts = read_attempts(*database);
    if (attempts.size() < now.attempts.size()) return false;
    for (std::size_t i = 0; i < now.attempts.size(); ++i)
        if (attempts[i].started != now.attempts[i].started || attempts[i].process != now.attempts[i].process)
            return false;
    return database->execAndGet("SELECT coalesce(max(seq), 0) FROM samples").getInt64() >= last_sample &&
           database->execAndGet("SELECT coalesce(max(seq), 0) FROM events").getInt64() >= last_event;
}

void RunReader::Impl::forget_rows() {
    series.clear();
    metrics.clear();
    last_sample = 0;
    last_event = 0;
    now.attempts.clear();
    now.events = {};
    ++now.generation;
}

void RunReader::Impl::publish() {
    ++now.revision;
    now.series.clear();
    for (const auto& [id, curve] : series)
        if (const auto name = metrics.find(id); name != metrics.end() && !curve.steps.empty())
            now.series[name->second] = curve;
    latest = std::make_shared<const RunSnapshot>(now);
}

// The status from the rows and from a look at the process; true where it changed.
bool RunReader::Impl::derive_status() {
    RunStatus status;
    status.state = state.state;
    status.message = state.message;
    status.step = state.step;
    status.updated = state.updated;
    status.latest = now.status.latest;
    if (!now.checkpoints.empty()) status.checkpoint = now.checkpoints.back().step;
    if (!now.attempts.empty()) {
        const Attempt& attempt = now.attempts.back();
        status.attempt = attempt.number;
        status.process = attempt.process;
        status.started = attempt.started;
        status.ended = attempt.ended;
    }
    if (state.state == RunState::running || state.state == RunState::paused) {
        const ProcessState process = look_up(status.process);
        status.process_elsewhere = process == ProcessState::elsewhere;
        if (process == ProcessState::gone) {
            status.state = RunState::lost;
            status.message =
                "the engine (process " + std::to_string(status.process.pid) + ") ended without a word; " +
                (status.checkpoint ? "resume goes on from step " + std::to_string(status.checkpoint->value)
                                   : std::string("there is no checkpoint, resume begins anew"));
        }
    }
    const bool changed = !(status == now.status);
    now.status = std::move(status);
    return changed;
}

void RunReader::Impl::set_problem(std::optional<Error> problem) {
    const bool same = problem.has_value() == now.problem.has_value() &&
                      (!problem || problem->message == now.problem->message);
    now.problem = std::move(problem);
    if (!same) publish();
}

void RunReader::Impl::cut_series(std::int64_t after_step) {
    bool cut = false;
    for (auto& [id, curve] : series) {
        const auto keep = static_cast<std::size_t>(
            std::upper_bound(curve.steps.begin(), curve.steps.end(), after_step) - curve.steps.begin());
        if (keep == curve.size()) continue;
        curve.steps.cut(keep);
        curve.values.cut(keep);
        cut = true;
    }
    if (cut) ++now.generation;
}

void RunReader::Impl::read_new_samples() {
    const Supersession supersession(now.attempts);
    bool rewritten = false;
    std::int64_t metric = 0;
    Series* curve = nullptr;
    read_samples(*database, last_sample, [&](const SampleView& row) {
        last_sample = row.sequence;
        if (!supersession.counts(row.attempt, row.step)) return;
        if (curve == nullptr || row.metric != metric) {
            metric = row.metric;
            curve = &series[metric];
        }
        rewritten = !put(*curve, row.step, row.value) || rewritten;
    });
    if (rewritten) ++now.generation;
}

// One consistent look at everything that is new.
void RunReader::Impl::read_all() {
    SQLite::Transaction transaction(*database);
    state = read_state(*database);
    std::vector<Attempt> attempts = read_attempts(*database);
    for (const Attempt& attempt : attempts)
        if (now.attempts.empty() || attempt.number > now.attempts.back().number)
            cut_series(attempt.from.value);
    now.attempts = std::move(attempts);
    now.checkpoints = read_checkpoints(*database);
    now.commands = read_commands(*database, shown_commands);
    now.status.latest = read_latest(*database);
    if (options.series) {
        metrics = read_metrics(*database);
        read_new_samples();
    }
    if (options.events)
        read_events(*database, last_event, [&](RunEvent event) {
            last_event = event.sequence;
            now.events.append(std::move(event));
        });
    transaction.commit();
}

// True where something was read.
Result<bool> RunReader::Impl::refresh() {
    const std::string file = folder.database_file();
    const std::optional<FileStamp> found = stamp_of(file);
    if (!found) {
        database.reset();
        stamp = {};
        broken = false;
        // Missing where we had one: say so and keep what was read. Else the run has only been planned.
        if (had_rows) return fail(ErrorKind::not_found, "run.db is gone", file);
        return false;
    }
    if (broken && found->unchanged(stamp)) return fail(*now.problem);
    return guarded(file, [&]() -> Result<bool> {
        if (!database || !found->same_file(stamp)) {
            database.reset();
            broken = false;
            stamp = *found;
            database.emplace(open_for_reading(file));
            Result<StoreState> store = check_store(*database, file);
            if (!store) return fail(std::move(store.error()));
            if (*store == StoreState::empty) {
                database.reset();
                return false;
            }
            if (had_rows && !goes_on()) forget_rows();
            data_version = -1;
        }
        const int version = database->execAndGet("PRAGMA data_version").getInt();
        if (version == data_version) return false;
        had_rows = true;
        read_all();
        data_version = version;
        return true;
    });
}

RunReader::RunReader(RunFolder folder, ReaderOptions options) : impl_(std::make_unique<Impl>()) {
    impl_->folder = std::move(folder);
    impl_->options = options;
    impl_->publish();
}

RunReader::~RunReader() = default;
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;

const RunFolder& RunReader::folder() const { return impl_->folder; }

std::shared_ptr<const RunSnapshot> RunReader::latest() const { return impl_->latest; }

std::shared_ptr<const RunSnapshot> RunReader::poll() {
    Impl& self = *impl_;
    // Twice at most: an engine that finished between our look at the rows and our look at its process must
    // not seem lost.
    bool news = false;
    for (int round = 0; round < 2; ++round) {
        Result<bool> read = self.refresh();
        if (!read) {
            const ErrorKind kind = read.error().kind;
            if (kind == ErrorKind::busy) return self.latest;  // the next poll sees it
            self.broken = kind == ErrorKind::corrupt || kind == ErrorKind::invalid_input;
            self.database.reset();
            self.set_problem(std::move(read.error()));
            return self.latest;
        }
        news = *read || self.now.problem || news;
        self.now.problem.reset();
        const bool changed = self.derive_status();
        news = news || changed;
        if (!changed || self.now.status.state != RunState::lost) break;
    }
    if (news) self.publish();
    return self.latest;
}

}  // namespace braid
