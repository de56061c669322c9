#include "core/record/commit_batch.h"

#include <SQLiteCpp/VariadicBind.h>
#include <sqlite3.h>

#include <iterator>
#include <map>
#include <memory>

#include "core/base/clock.h"
#include "core/record/database.h"

namespace braid {
namespace {

std::string text_of(const Json& json) {
    return json.is_null() ? std::string() : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class ChangeWriter {
public:
    explicit ChangeWriter(SQLite::Database& database) : database_(database) {}

    void operator()(const NewMetric& metric) {
        SQLite::Statement insert(database_, "INSERT INTO metrics VALUES (?, ?)");
        SQLite::bind(insert, metric.id, metric.name);
        insert.exec();
    }

    void operator()(const NewState& state) {
        SQLite::Statement update(database_, "UPDATE state SET state = ?, message = ?");
        SQLite::bind(update, std::string(to_text(state.state)), state.message);
        update.exec();
    }

    void operator()(const NewAttempt& change) {
        const Attempt& attempt = change.attempt;
        SQLite::Statement insert(database_, "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)");
        SQLite::bind(insert, attempt.number.value, attempt.from.value, attempt.process.host,
                     attempt.process.boot_id, static_cast<std::int64_t>(attempt.process.pid_namespace),
                     attempt.process.pid, static_cast<std::int64_t>(attempt.process.start_time),
                     attempt.started);
        insert.exec();
        // Rows after `from` count no more, so the last values are others now.
        database_.exec("DELETE FROM latest");
        database_.exec(
            "INSERT INTO latest SELECT metric, max(step), value FROM samples s WHERE NOT EXISTS "
            "(SELECT 1 FROM attempts b WHERE b.number > s.attempt AND b.from_step < s.step) GROUP BY metric");
        SQLite::Statement step(database_, "UPDATE state SET step = max(0, ?)");
        step.bind(1, attempt.from.value);
        step.exec();
    }

    void operator()(const EndOfAttempt& end) {
        SQLite::Statement update(database_, "UPDATE attempts SET ended = ? WHERE number = ?");
        SQLite::bind(update, end.time, end.number.value);
        update.exec();
    }

    void operator()(const RunEvent& event) {
        SQLite::Statement insert(database_,
                                 "INSERT INTO events (attempt, step, time, level, kind, message, details) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?)");
        SQLite::bind(insert, event.attempt.value, event.step.value, event.time, static_cast<int>(event.level),
                     event.kind, event.message);
        if (event.details.is_null())
            insert.bind(7);
        else
            insert.bind(7, text_of(event.details));
        insert.exec();
    }

    void operator()(const CheckpointRecord& checkpoint) {
        SQLite::Statement insert(database_,
                                 "INSERT INTO checkpoints (attempt, step, folder, bytes, time) "
                                 "VALUES (?, ?, ?, ?, ?)");
        SQLite::bind(insert, checkpoint.attempt.value, checkpoint.step.value, checkpoint.folder,
                     checkpoint.bytes, checkpoint.time);
        insert.exec();
    }

    void operator()(const ForgottenCheckpoint& checkpoint) {
        SQLite::Statement remove(database_, "DELETE FROM checkpoints WHERE step = ?");
        remove.bind(1, checkpoint.step.value);
        remove.exec();
    }

    void operator()(const NewCommand& change) {
        const CommandRecord& command = change.command;
        SQLite::Statement insert(database_,
                                 "INSERT OR IGNORE INTO commands (id, kind, arguments, received) "
                                 "VALUES (?, ?, ?, ?)");
        SQLite::bind(insert, command.id, command.kind, text_of(command.arguments), command.received);
        insert.exec();
    }

    void operator()(const CommandProgress& progress) {
        SQLite::Statement update(
            database_, progress.done
                           ? "UPDATE commands SET done = ?1, acknowledged = coalesce(acknowledged, ?1), "
                             "answer = ?2 WHERE id = ?3"
                           : "UPDATE commands SET acknowledged = ?1, answer = ?2 WHERE id = ?3");
        SQLite::bind(update, progress.time, progress.answer, progress.id);
        update.exec();
    }

private:
    SQLite::Database& database_;
};

void insert_samples(SQLite::Database& database, const std::vector<SampleRow>& rows) {
    // SQLite's own calls: the wrapper's checks would cost as much again as the row.
    sqlite3* handle = database.getHandle();
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle, "INSERT INTO samples (attempt, step, metric, value) VALUES (?, ?, ?, ?)",
                           -1, &raw, nullptr) != SQLITE_OK)
        throw SQLite::Exception(handle);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> insert(raw, sqlite3_finalize);
    for (const SampleRow& row : rows) {
        sqlite3_bind_int64(raw, 1, row.attempt);
        sqlite3_bind_int64(raw, 2, row.step);
        sqlite3_bind_int64(raw, 3, row.metric);
        sqlite3_bind_double(raw, 4, row.value);  // SQLite makes NULL of a NaN
        if (const int code = sqlite3_step(raw); code != SQLITE_DONE) throw SQLite::Exception(handle, code);
        sqlite3_reset(raw);
    }
}

void write_rows(SQLite::Database& database, const std::vector<SampleRow>& rows) {
    insert_samples(database, rows);
    std::map<std::int64_t, const SampleRow*> latest;
    for (const SampleRow& row : rows) latest[row.metric] = &row;
    SQLite::Statement replace(database, "INSERT OR REPLACE INTO latest VALUES (?, ?, ?)");
    for (const auto& [metric, row] : latest) {
        replace.bind(1, metric);
        replace.bind(2, row->step);
        bind_real(replace, 3, row->value);
        replace.exec();
        replace.reset();
    }
    SQLite::Statement step(database, "UPDATE state SET step = max(step, ?)");
    step.bind(1, rows.back().step);
    step.exec();
}

}  // namespace

void CommitBatch::add(CommitBatch later, std::int64_t max_rows) {
    changes.insert(changes.end(), std::make_move_iterator(later.changes.begin()),
                   std::make_move_iterator(later.changes.end()));
    if (rows.empty())
        rows = std::move(later.rows);
    else
        rows.insert(rows.end(), later.rows.begin(), later.rows.end());
    dropped_rows += later.dropped_rows;
    const std::int64_t too_many = static_cast<std::int64_t>(rows.size()) - max_rows;
    if (too_many > 0) {
        rows.erase(rows.begin(), rows.begin() + too_many);
        dropped_rows += too_many;
    }
}

void commit(SQLite::Database& database, const CommitBatch& batch) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    ChangeWriter writer(database);
    for (const Change& change : batch.changes) std::visit(writer, change);
    if (!batch.rows.empty()) write_rows(database, batch.rows);
    if (batch.dropped_rows > 0)
        writer(RunEvent{.time = utc_now_ms(),
                        .level = LogLevel::error,
                        .kind = "warning/rows_dropped",
                        .message = std::to_string(batch.dropped_rows) +
                                   " values were lost: the disk was full for too long"});
    SQLite::Statement updated(database, "UPDATE state SET updated = ?");
    updated.bind(1, utc_now_ms());
    updated.exec();
    transaction.commit();
}

}  // namespace braid
