// What a commit writes: rows and the rest, collected while the last commit was on its way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/record/event.h"
#include "core/record/run_status.h"

namespace SQLite {
class Database;
}

namespace braid {

struct SampleRow {
    std::int64_t attempt = 0;
    std::int64_t step = 0;
    std::int64_t metric = 0;  // row of the table metrics
    double value = 0;
};

struct NewMetric {
    std::int64_t id = 0;
    std::string name;
};
struct NewState {
    RunState state = RunState::planned;
    std::string message;
};
struct NewAttempt {
    Attempt attempt;
};
struct EndOfAttempt {
    AttemptNumber number;
    std::string time;
};
struct ForgottenCheckpoint {
    Step step;
};
struct NewCommand {
    CommandRecord command;
};
struct CommandProgress {
    std::string id;
    std::string time;
    std::string answer;
    bool done = false;  // else acknowledged
};

using Change = std::variant<NewMetric, NewState, NewAttempt, EndOfAttempt, RunEvent, CheckpointRecord,
                            ForgottenCheckpoint, NewCommand, CommandProgress>;

struct CommitBatch {
    std::vector<Change> changes;  // written before the rows
    std::vector<SampleRow> rows;
    std::int64_t dropped_rows = 0;  // that found no room in memory while nothing could be committed

    bool empty() const { return changes.empty() && rows.empty() && dropped_rows == 0; }
    // What came later is put behind; of too many rows the oldest are dropped and counted.
    void add(CommitBatch later, std::int64_t max_rows);
};

// One transaction; all or nothing. Throws SQLite::Exception.
void commit(SQLite::Database& database, const CommitBatch& batch);

}  // namespace braid
