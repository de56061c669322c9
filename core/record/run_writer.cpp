#include "core/record/run_writer.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "core/base/clock.h"
#include "core/record/commit_batch.h"
#include "core/record/database.h"
#include "core/record/migrations.h"
#include "core/record/run_lock.h"
#include "core/record/store_file.h"

namespace braid {

using Clock = std::chrono::steady_clock;

// Callers add to pending_ under the mutex; the writer thread alone touches the database after open().
struct RunWriter::Impl {
    Impl(RunFolder folder_, WriterOptions options_, RunLock lock_, StoreFile store_,
         SQLite::Database database_)
        : folder(std::move(folder_)),
          options(std::move(options_)),
          lock(std::move(lock_)),
          store(std::move(store_)),
          database(std::move(database_)) {}

    // What the callers share with the thread.
    mutable std::mutex mutex;
    std::condition_variable wake;       // the thread: there is something to commit, or the end
    std::condition_variable committed;  // callers in flush(): a commit was tried
    CommitBatch pending;
    bool urgent = false;
    bool stopping = false;
    std::uint64_t tries_begun = 0;
    std::uint64_t tries_done = 0;
    std::optional<Error> problem;  // of that try
    std::int64_t committed_rows = 0;
    std::int64_t refused_rows = 0;
    bool open_attempt = false;
    AttemptNumber attempt;
    Step from{-1};
    std::map<std::string, std::int64_t, std::less<>> metric_ids;
    std::map<std::int64_t, std::int64_t> last_step;  // by metric, in this attempt
    std::optional<CheckpointRecord> checkpoint;

    // Of the thread.
    const RunFolder folder;
    const WriterOptions options;
    RunLock lock;
    StoreFile store;
    SQLite::Database database;
    CommitBatch unwritten;      // what could not be committed yet
    bool unpublished = false;   // committed, but not in a published snapshot yet
    bool publish_soon = false;  // somebody waits for it
    Clock::time_point published = Clock::now();
    Clock::duration publishing{};  // how long the last one took
    std::thread thread;

    Result<void> load();
    void run();
    void try_commit(CommitBatch batch);
    Clock::time_point publish_due() const;
    void publish_if_due();
    void stop_thread();
    Result<void> wait_for_commit(std::unique_lock<std::mutex>& held);
    std::int64_t metric_id(std::string_view name);

    void add(Change change, bool at_once) {
        const bool was_empty = pending.empty();
        pending.changes.push_back(std::move(change));
        urgent = urgent || at_once;
        if (at_once || was_empty) wake.notify_one();
    }
};

Result<void> RunWriter::Impl::load() {
    if (Result<void> migrated = migrate(database, store.working_file()); !migrated) return migrated;
    return guarded(store.working_file(), [&]() -> Result<void> {
        attempt =
            AttemptNumber(database.execAndGet("SELECT coalesce(max(number), 0) FROM attempts").getInt64());
        SQLite::Statement metrics(database, "SELECT id, name FROM metrics");
        while (metrics.executeStep())
            metric_ids[metrics.getColumn(1).getString()] = metrics.getColumn(0).getInt64();
        SQLite::Statement last(
            database,
            "SELECT attempt, step, folder, bytes, time FROM checkpoints c WHERE NOT EXISTS "
            "(SELECT 1 FROM attempts b WHERE b.number > c.attempt AND b.from_step < c.step) "
            "ORDER BY step DESC LIMIT 1");
        if (last.executeStep())
            checkpoint = CheckpointRecord{.attempt = AttemptNumber(last.getColumn(0).getInt64()),
                                          .step = Step(last.getColumn(1).getInt64()),
                                          .folder = last.getColumn(2).getString(),
                                          .bytes = last.getColumn(3).getInt64(),
                                          .time = last.getColumn(4).getString()};
        return {};
    });
}

void RunWriter::Impl::run() {
    std::unique_lock held(mutex);
    const auto called = [&] { return stopping || urgent; };
    const auto something = [&] { return called() || !pending.empty(); };
    while (true) {
        if (unwritten.empty() && !unpublished)
            wake.wait(held, something);
        else if (unwritten.empty())
            wake.wait_until(held, publish_due(), something);
        if (!pending.empty() || !unwritten.empty()) wake.wait_for(held, options.commit_interval, called);
        const bool last_round = stopping;
        publish_soon = publish_soon || called();
        urgent = false;
        CommitBatch batch = std::exchange(pending, {});
        ++tries_begun;
        held.unlock();
        try_commit(std::move(batch));
        publish_if_due();
        held.lock();
        if (last_round && pending.empty()) return;
    }
}

void RunWriter::Impl::try_commit(CommitBatch batch) {
    unwritten.add(std::move(batch), options.max_pending_rows);
    Result<void> result = {};
    if (!unwritten.empty()) {
        result = guarded(store.working_file(), [&]() -> Result<void> {
            commit(database, unwritten);
            return {};
        });
        unpublished = store.is_published();
    }
    const std::scoped_lock held(mutex);
    if (result) {
        committed_rows += static_cast<std::int64_t>(unwritten.rows.size());
        unwritten = {};
        problem.reset();
    } else {
        problem = std::move(result.error());
    }
    tries_done = tries_begun;
    committed.notify_all();
}

// What cannot wait (an acknowledgement, a checkpoint) still leaves nine tenths of the time to other work.
Clock::time_point RunWriter::Impl::publish_due() const {
    return published + (publish_soon ? 9 * publishing : Clock::duration(options.publish_interval));
}

void RunWriter::Impl::publish_if_due() {
    const Clock::time_point start = Clock::now();
    if (!unpublished || start < publish_due()) return;
    const Result<void> result = store.publish(database);
    published = Clock::now();
    publishing = published - start;
    publish_soon = false;
    unpublished = !result;
    if (result) return;
    const std::scoped_lock held(mutex);
    problem = result.error();
}

void RunWriter::Impl::stop_thread() {
    if (!thread.joinable()) return;
    {
        const std::scoped_lock held(mutex);
        stopping = true;
    }
    wake.notify_one();
    thread.join();
}

Result<void> RunWriter::Impl::wait_for_commit(std::unique_lock<std::mutex>& held) {
    if (!thread.joinable()) return fail(ErrorKind::internal, "the run's record is closed", folder.path());
    // A try that has begun took what there was then; only the next one has everything.
    const std::uint64_t wanted = tries_begun + 1;
    urgent = true;
    wake.notify_one();
    committed.wait(held, [&] { return tries_done >= wanted; });
    if (problem) return fail(*problem);
    return {};
}

std::int64_t RunWriter::Impl::metric_id(std::string_view name) {
    if (const auto found = metric_ids.find(name); found != metric_ids.end()) return found->second;
    const auto id = static_cast<std::int64_t>(metric_ids.size()) + 1;
    metric_ids.emplace(name, id);
    pending.changes.push_back(NewMetric{id, std::string(name)});
    return id;
}

Result<std::unique_ptr<RunWriter>> RunWriter::open(const RunFolder& folder, WriterOptions options) {
    if (!folder.exists())
        return fail(ErrorKind::not_found, "there is no run here (no plan.json)", folder.path());
    Result<RunLock> lock = RunLock::take(folder);
    if (!lock) return fail(std::move(lock.error()));
    Result<StoreFile> store = StoreFile::prepare(folder, options.local_folder);
    if (!store) return fail(std::move(store.error()));
    return guarded(store->working_file(), [&]() -> Result<std::unique_ptr<RunWriter>> {
        auto impl = std::make_unique<Impl>(folder, std::move(options), std::move(*lock), *store,
                                           open_for_writing(store->working_file()));
        if (Result<void> loaded = impl->load(); !loaded) return fail(std::move(loaded.error()));
        impl->database.setBusyTimeout(1'000);  // a commit that fails is tried again anyway
        impl->thread = std::thread([raw = impl.get()] { raw->run(); });
        return std::unique_ptr<RunWriter>(new RunWriter(std::move(impl)));
    });
}

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RunWriter::~RunWriter() { impl_->stop_thread(); }

const RunFolder& RunWriter::folder() const { return impl_->folder; }

std::optional<CheckpointRecord> RunWriter::last_checkpoint() const {
    const std::scoped_lock held(impl_->mutex);
    return impl_->checkpoint;
}

AttemptNumber RunWriter::last_attempt() const {
    const std::scoped_lock held(impl_->mutex);
    return impl_->attempt;
}

Result<AttemptNumber> RunWriter::begin_attempt(std::optional<Step> resumed_from) {
    Impl& self = *impl_;
    std::unique_lock held(self.mutex);
    const Attempt attempt{.number = AttemptNumber(self.attempt.value + 1),
                          .from = resumed_from.value_or(Step(-1)),
                          .process = this_process(),
                          .started = utc_now_ms()};
    self.add(NewAttempt{attempt}, true);
    self.add(NewState{RunState::running, {}}, true);
    self.attempt = attempt.number;
    self.from = attempt.from;
    self.open_attempt = true;
    self.last_step.clear();
    if (Result<void> done = self.wait_for_commit(held); !done) return fail(std::move(done.error()));
    return attempt.number;
}

void RunWriter::append(Step step, std::span<const MetricValue> values) {
    Impl& self = *impl_;
    const std::scoped_lock held(self.mutex);
    const bool was_empty = self.pending.empty();
    for (const MetricValue& value : values) {
        const std::int64_t metric = self.metric_id(value.metric);
        const auto [last, first_time] = self.last_step.try_emplace(metric, self.from.value);
        if (step.value <= last->second || value.metric.empty()) {
            ++self.refused_rows;
            continue;
        }
        last->second = step.value;
        self.pending.rows.push_back({self.attempt.value, step.value, metric, value.value});
    }
    if (was_empty) self.wake.notify_one();
}

void RunWriter::event(Step step, LogLevel level, std::string kind, std::string message, Json details) {
    const std::scoped_lock held(impl_->mutex);
    impl_->add(RunEvent{.attempt = impl_->attempt,
                        .step = step,
                        .time = utc_now_ms(),
                        .level = level,
                        .kind = std::move(kind),
                        .message = std::move(message),
                        .details = std::move(details)},
               level == LogLevel::error);
}

Result<void> RunWriter::checkpoint(Step step, const std::string& folder_in_run, std::int64_t bytes) {
    std::unique_lock held(impl_->mutex);
    impl_->checkpoint = CheckpointRecord{.attempt = impl_->attempt,
                                         .step = step,
                                         .folder = folder_in_run,
                                         .bytes = bytes,
                                         .time = utc_now_ms()};
    impl_->add(*impl_->checkpoint, true);
    return impl_->wait_for_commit(held);
}

Result<void> RunWriter::forget_checkpoint(Step step) {
    std::unique_lock held(impl_->mutex);
    if (impl_->checkpoint && impl_->checkpoint->step == step) impl_->checkpoint.reset();
    impl_->add(ForgottenCheckpoint{step}, true);
    return impl_->wait_for_commit(held);
}

void RunWriter::set_state(RunState state, std::string message) {
    const std::scoped_lock held(impl_->mutex);
    impl_->add(NewState{state, std::move(message)}, true);
}

void RunWriter::command_received(const InboxCommand& command) {
    const std::scoped_lock held(impl_->mutex);
    impl_->add(NewCommand{{.id = command.id,
                           .kind = command.kind,
                           .arguments = command.arguments,
                           .received = utc_now_ms()}},
               true);
}

void RunWriter::command_acknowledged(const std::string& id, std::string answer) {
    const std::scoped_lock held(impl_->mutex);
    impl_->add(CommandProgress{.id = id, .time = utc_now_ms(), .answer = std::move(answer)}, true);
}

void RunWriter::command_done(const std::string& id, std::string answer) {
    const std::scoped_lock held(impl_->mutex);
    impl_->add(CommandProgress{.id = id, .time = utc_now_ms(), .answer = std::move(answer), .done = true},
               true);
}

Result<void> RunWriter::flush() {
    std::unique_lock held(impl_->mutex);
    return impl_->wait_for_commit(held);
}

Result<void> RunWriter::close(RunState state, std::string message) {
    Impl& self = *impl_;
    {
        std::unique_lock held(self.mutex);
        if (self.open_attempt) self.add(EndOfAttempt{self.attempt, utc_now_ms()}, true);
        self.add(NewState{state, std::move(message)}, true);
        if (Result<void> done = self.wait_for_commit(held); !done) return done;
    }
    self.stop_thread();
    const std::string file = self.store.working_file();
    if (Result<void> published = self.store.publish(self.database); !published) return published;
    return guarded(file, [&]() -> Result<void> {
        self.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        // With nobody watching, the folder becomes one plain file that opens anywhere, also on read-only
        // media.
        self.database.setBusyTimeout(0);
        self.database.tryExec("PRAGMA journal_mode = DELETE");
        self.database = SQLite::Database(":memory:");
        self.store.remove_working();
        return {};
    });
}

std::optional<Error> RunWriter::problem() const {
    const std::scoped_lock held(impl_->mutex);
    return impl_->problem;
}

std::int64_t RunWriter::committed_rows() const {
    const std::scoped_lock held(impl_->mutex);
    return impl_->committed_rows;
}

std::int64_t RunWriter::refused_rows() const {
    const std::scoped_lock held(impl_->mutex);
    return impl_->refused_rows;
}

}  // namespace braid
