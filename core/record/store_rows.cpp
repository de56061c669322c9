#include "core/record/store_rows.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/record/database.h"

namespace braid {
namespace {

// The rows of a large table: SQLite's own calls, because a Column object a value would cost more than the
// value.
class Rows {
public:
    Rows(SQLite::Database& database, const char* query, std::int64_t parameter) : database_(database) {
        sqlite3_stmt* raw = nullptr;
        if (sqlite3_prepare_v2(database.getHandle(), query, -1, &raw, nullptr) != SQLITE_OK)
            throw SQLite::Exception(database.getHandle());
        statement_.reset(raw);
        sqlite3_bind_int64(raw, 1, parameter);
    }
    bool next() {
        const int code = sqlite3_step(statement_.get());
        if (code == SQLITE_ROW) return true;
        if (code == SQLITE_DONE) return false;
        throw SQLite::Exception(database_.getHandle(), code);
    }
    std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
    double real(int column) const {
        return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL
                   ? std::numeric_limits<double>::quiet_NaN()
                   : sqlite3_column_double(statement_.get(), column);
    }
    std::string text(int column) const {
        const auto* bytes = sqlite3_column_text(statement_.get(), column);
        if (bytes == nullptr) return {};
        return {reinterpret_cast<const char*>(bytes),
                static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
    }

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    SQLite::Database& database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// A damaged file can lead in circles; sequences that grow are the way out.
void must_grow(std::int64_t sequence, std::int64_t last) {
    if (sequence <= last) throw SQLite::Exception("rows out of order", SQLITE_CORRUPT);
}

Json json_of(const std::string& text) {
    if (text.empty()) return nullptr;
    Result<Json> json = parse_json(text);
    return json ? std::move(*json) : Json(nullptr);
}

}  // namespace

StateRow read_state(SQLite::Database& database) {
    Rows rows(database, "SELECT state, message, step, updated FROM state WHERE one = ?", 1);
    if (!rows.next()) return {};
    return {.state = run_state_from_text(rows.text(0)).value_or(RunState::failed),
            .message = rows.text(1),
            .step = Step(rows.integer(2)),
            .updated = rows.text(3)};
}

std::vector<Attempt> read_attempts(SQLite::Database& database) {
    Rows rows(database,
              "SELECT number, from_step, host, boot_id, pid_namespace, pid, start_time, started, ended "
              "FROM attempts WHERE number > ? ORDER BY number",
              0);
    std::vector<Attempt> attempts;
    while (rows.next()) {
        must_grow(rows.integer(0), attempts.empty() ? 0 : attempts.back().number.value);
        attempts.push_back({.number = AttemptNumber(rows.integer(0)),
                            .from = Step(rows.integer(1)),
                            .process = {.host = rows.text(2),
                                        .boot_id = rows.text(3),
                                        .pid_namespace = static_cast<std::uint64_t>(rows.integer(4)),
                                        .pid = rows.integer(5),
                                        .start_time = static_cast<std::uint64_t>(rows.integer(6))},
                            .started = rows.text(7),
                            .ended = rows.text(8)});
    }
    return attempts;
}

std::vector<CheckpointRecord> read_checkpoints(SQLite::Database& database) {
    Rows rows(
        database,
        "SELECT seq, attempt, step, folder, bytes, time FROM checkpoints c WHERE seq > ? AND NOT EXISTS "
        "(SELECT 1 FROM attempts b WHERE b.number > c.attempt AND b.from_step < c.step) ORDER BY seq",
        0);
    std::vector<CheckpointRecord> checkpoints;
    std::int64_t last = 0;
    while (rows.next()) {
        must_grow(rows.integer(0), last);
        last = rows.integer(0);
        checkpoints.push_back({.attempt = AttemptNumber(rows.integer(1)),
                               .step = Step(rows.integer(2)),
                               .folder = rows.text(3),
                               .bytes = rows.integer(4),
                               .time = rows.text(5)});
    }
    std::stable_sort(checkpoints.begin(), checkpoints.end(),
                     [](const auto& a, const auto& b) { return a.step < b.step; });
    return checkpoints;
}

std::vector<CommandRecord> read_commands(SQLite::Database& database, int latest) {
    Rows rows(database,
              "SELECT id, kind, arguments, received, acknowledged, done, answer FROM commands "
              "ORDER BY id DESC LIMIT ?",
              latest);
    std::vector<CommandRecord> commands;
    while (rows.next())
        commands.push_back({.id = rows.text(0),
                            .kind = rows.text(1),
                            .arguments = json_of(rows.text(2)),
                            .received = rows.text(3),
                            .acknowledged = rows.text(4),
                            .done = rows.text(5),
                            .answer = rows.text(6)});
    std::reverse(commands.begin(), commands.end());
    return commands;
}

std::map<std::int64_t, std::string> read_metrics(SQLite::Database& database) {
    Rows rows(database, "SELECT id, name FROM metrics WHERE id > ? ORDER BY id", 0);
    std::map<std::int64_t, std::string> metrics;
    while (rows.next()) {
        must_grow(rows.integer(0), metrics.empty() ? 0 : metrics.rbegin()->first);
        metrics.emplace(rows.integer(0), rows.text(1));
    }
    return metrics;
}

std::map<std::string, double> read_latest(SQLite::Database& database) {
    Rows rows(database,
              "SELECT l.metric, m.name, l.value FROM latest l JOIN metrics m ON m.id = l.metric "
              "WHERE l.metric > ? ORDER BY l.metric",
              0);
    std::map<std::string, double> latest;
    std::int64_t last = 0;
    while (rows.next()) {
        must_grow(rows.integer(0), last);
        last = rows.integer(0);
        latest[rows.text(1)] = rows.real(2);
    }
    return latest;
}

void read_samples(SQLite::Database& database, std::int64_t since,
                  const std::function<void(const SampleView&)>& row) {
    Rows rows(database, "SELECT seq, attempt, step, metric, value FROM samples WHERE seq > ? ORDER BY seq",
              since);
    std::int64_t last = since;
    while (rows.next()) {
        const SampleView sample{rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3),
                                rows.real(4)};
        must_grow(sample.sequence, last);
        last = sample.sequence;
        row(sample);
    }
}

void read_events(SQLite::Database& database, std::int64_t since, const std::function<void(RunEvent)>& row) {
    Rows rows(database,
              "SELECT seq, attempt, step, time, level, kind, message, details FROM events WHERE seq > ? "
              "ORDER BY seq",
              since);
    std::int64_t last = since;
    while (rows.next()) {
        must_grow(rows.integer(0), last);
        last = rows.integer(0);
        row({.sequence = last,
             .attempt = AttemptNumber(rows.integer(1)),
             .step = Step(rows.integer(2)),
             .time = rows.text(3),
             .level = static_cast<LogLevel>(std::clamp<std::int64_t>(rows.integer(4), 0, 3)),
             .kind = rows.text(5),
             .message = rows.text(6),
             .details = json_of(rows.text(7))});
    }
}

Supersession::Supersession(const std::vector<Attempt>& attempts) {
    std::int64_t limit = std::numeric_limits<std::int64_t>::max();
    for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
        last_step_[attempt->number.value] = limit;
        limit = std::min(limit, attempt->from.value);
    }
}

bool Supersession::counts(std::int64_t attempt, std::int64_t step) const {
    const auto found = last_step_.find(attempt);
    return found == last_step_.end() || step <= found->second;
}

}  // namespace braid
