// Everybody else's side of run.db: live, finished and copied runs are read the same way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record/column.h"
#include "core/record/event.h"
#include "core/record/run_status.h"

namespace braid {

// One metric of a run: as many values as steps, steps strictly increasing. Values may be NaN or infinite.
struct Series {
    Column<std::int64_t> steps;
    Column<double> values;
    std::size_t size() const { return steps.size(); }
    bool operator==(const Series&) const = default;
};

// A run as it stood at one commit. Immutable: hand the shared_ptr to any thread.
struct RunSnapshot {
    std::uint64_t revision = 0;  // grows with every change
    // Grows when rows that had been shown were superseded (a resume): what is derived from the series (level
    // of detail, smoothing) has to be made again; otherwise it can go on from its old length.
    std::uint64_t generation = 0;
    RunStatus status;
    std::map<std::string, Series> series;
    std::vector<Attempt> attempts;
    std::vector<CheckpointRecord> checkpoints;
    std::vector<CommandRecord> commands;  // the latest 100
    Column<RunEvent> events;              // of all attempts, in order
    // The newest problem in reading; the rest stays as last read. ErrorKind::corrupt says what to do.
    std::optional<Error> problem;
};

struct ReaderOptions {
    bool series = true;  // false: status, events and checkpoints only
    bool events = true;
};

// Not safe for several threads at once: one reader belongs to one (reader) thread; snapshots go anywhere.
class RunReader {
public:
    // Never fails: a missing folder or database is a planned run until it appears, a broken one is the
    // snapshot's problem.
    explicit RunReader(RunFolder folder, ReaderOptions options = {});
    ~RunReader();
    RunReader(RunReader&&) noexcept;
    RunReader& operator=(RunReader&&) noexcept;

    const RunFolder& folder() const;

    // Looks for news: a PRAGMA data_version and a look at /proc when there are none (some microseconds).
    // The same pointer as before where nothing changed. Never null.
    std::shared_ptr<const RunSnapshot> poll();
    std::shared_ptr<const RunSnapshot> latest() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace braid
