// The tables of run.db as values. Everything here throws SQLite::Exception.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/record/event.h"
#include "core/record/run_status.h"

namespace SQLite {
class Database;
}

namespace braid {

struct StateRow {
    RunState state = RunState::planned;
    std::string message;
    Step step;
    std::string updated;
};

StateRow read_state(SQLite::Database& database);
std::vector<Attempt> read_attempts(SQLite::Database& database);  // by number
std::vector<CheckpointRecord> read_checkpoints(SQLite::Database& database);
std::vector<CommandRecord> read_commands(SQLite::Database& database, int latest);
std::map<std::int64_t, std::string> read_metrics(SQLite::Database& database);
std::map<std::string, double> read_latest(SQLite::Database& database);

struct SampleView {
    std::int64_t sequence = 0;
    std::int64_t attempt = 0;
    std::int64_t step = 0;
    std::int64_t metric = 0;
    double value = 0;
};
// Rows with sequence > since, in order. A sequence that does not grow is reported as corruption.
void read_samples(SQLite::Database& database, std::int64_t since,
                  const std::function<void(const SampleView&)>& row);
void read_events(SQLite::Database& database, std::int64_t since, const std::function<void(RunEvent)>& row);

// The last step up to which rows of each attempt count: a row counts unless a later attempt began before it.
class Supersession {
public:
    explicit Supersession(const std::vector<Attempt>& attempts);
    bool counts(std::int64_t attempt, std::int64_t step) const;

private:
    std::map<std::int64_t, std::int64_t> last_step_;
};

}  // namespace braid
