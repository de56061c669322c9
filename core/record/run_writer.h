// The engine's side of run.db: the only writer of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/record/event.h"
#include "core/record/inbox.h"
#include "core/record/run_status.h"

namespace braid {

struct MetricValue {
    std::string_view metric;  // "loss", "recall/far"; any non-empty text
    double value = 0;         // NaN and infinities are kept
};

struct WriterOptions {
    std::chrono::milliseconds commit_interval{200};  // committed rows are at most this old, plus the write
    // Rows kept in memory while the disk is full; after that the oldest uncommitted are dropped and counted
    // in an event.
    std::int64_t max_pending_rows = 4'000'000;
    // Where run.db lies on a network file system, the database is written on node-local disk and a
    // consistent snapshot is published this often, at each checkpoint or command and on close.
    std::chrono::milliseconds publish_interval{10'000};
    std::string local_folder = {};  // empty: below $TMPDIR, on a network file system only
};

// Takes the exclusive lock <run>/lock; a second writer gets ErrorKind::busy with the holder's pid. All calls
// are safe from any thread, return at once unless said otherwise, and never throw. A background thread
// commits what was appended; while it cannot (full disk), rows wait in memory, are tried again at each
// interval, and problem() tells why.
class RunWriter {
public:
    static Result<std::unique_ptr<RunWriter>> open(const RunFolder& folder, WriterOptions options = {});
    // Commits what is left as close() would, but does not change the state: a run whose writer is destroyed
    // without close() reads as lost.
    ~RunWriter();
    RunWriter(const RunWriter&) = delete;
    RunWriter& operator=(const RunWriter&) = delete;

    const RunFolder& folder() const;

    // The rows as they stood before this attempt, for resuming. Waits for the disk.
    std::optional<CheckpointRecord> last_checkpoint() const;
    AttemptNumber last_attempt() const;

    // Starts the next attempt in state running, from the checkpoint after so many steps or from the
    // beginning: earlier rows after that no longer count. Waits for the commit. Everything below needs it
    // first.
    Result<AttemptNumber> begin_attempt(std::optional<Step> resumed_from);

    // One step's values. A metric may be absent in any step. Its steps must grow in an attempt and lie after
    // the step it was resumed from; a value that breaks this is left out and counted (refused_rows), so that
    // no reader ever sees a step twice.
    void append(Step step, std::span<const MetricValue> values);
    void append(Step step, std::initializer_list<MetricValue> values) {
        append(step, std::span<const MetricValue>(values.begin(), values.size()));
    }

    void event(Step step, LogLevel level, std::string kind, std::string message, Json details = nullptr);

    // A checkpoint that is complete on disk. Committed at once; waits for it.
    Result<void> checkpoint(Step step, const std::string& folder_in_run, std::int64_t bytes);
    // The checkpoint's folder is about to be removed. Waits for the commit.
    Result<void> forget_checkpoint(Step step);

    // Committed at once, without waiting.
    void set_state(RunState state, std::string message = {});
    void command_received(const InboxCommand& command);
    void command_acknowledged(const std::string& id, std::string answer = {});
    void command_done(const std::string& id, std::string answer = {});

    // Waits until everything appended so far is committed, or could not be.
    Result<void> flush();

    // State, end of the attempt, last commit; checkpoints and truncates the write-ahead log, so that the
    // folder is complete as it lies there. The writer cannot be used afterwards; only where the last
    // commit failed (full disk) it can be tried again. The lock is given back when the writer is destroyed.
    Result<void> close(RunState state, std::string message = {});

    std::optional<Error> problem() const;  // of the last try to commit; empty when all is well
    std::int64_t committed_rows() const;   // since open()
    std::int64_t refused_rows() const;

private:
    struct Impl;
    explicit RunWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace braid
