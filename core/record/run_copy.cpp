#include "core/record/run_copy.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/base/file.h"
#include "core/record/database.h"
#include "core/record/store_rows.h"

namespace braid {
namespace {

using Checkpoints = std::vector<CheckpointRecord>;

namespace fs = std::filesystem;

constexpr int most_tries = 20;  // a checkpoint may be dropped between the look at the store and its copying

void mark_stopped(SQLite::Database& copy) {
    const StateRow state = read_state(copy);
    if (state.state != RunState::running && state.state != RunState::paused) return;
    SQLite::Statement ended(copy, "UPDATE attempts SET ended = ? WHERE ended IS NULL");
    ended.bind(1, state.updated);
    ended.exec();
    SQLite::Statement event(
        copy,
        "INSERT INTO events (attempt, step, time, level, kind, message) "
        "SELECT max(number), ?, ?, 1, 'copy', 'copied while the engine worked on it' FROM attempts");
    event.bind(1, state.step.value);
    event.bind(2, state.updated);
    event.exec();
    copy.exec("UPDATE state SET state = 'cancelled'");
}

// The checkpoints that the copied store names.
Result<std::vector<CheckpointRecord>> copy_store(const RunFolder& from, const std::string& file) {
    return guarded(from.database_file(), [&]() -> Result<Checkpoints> {
        SQLite::Database source = open_for_reading(from.database_file());
        return guarded(file, [&]() -> Result<Checkpoints> {  // what fails from here on is the copy
            if (const Result<void> copied = copy_database(source, file); !copied) return fail(copied.error());
            SQLite::Database copy(file, SQLite::OPEN_READWRITE);
            SQLite::Transaction change(copy);
            mark_stopped(copy);
            Checkpoints checkpoints = read_checkpoints(copy);
            change.commit();
            return checkpoints;
        });
    });
}

Result<void> copy_tree(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (!error) fs::copy(from, to, fs::copy_options::recursive, error);
    if (error) return fail(error_from_errno(error.value(), "cannot copy to", to.string()));
    return {};
}

// Into a folder that nobody else looks at. True: whole; false: a checkpoint vanished meanwhile.
Result<bool> copy_parts(const RunFolder& from, const RunFolder& to, bool checkpoints) {
    std::error_code ignored;
    std::vector<CheckpointRecord> named;
    if (fs::exists(from.database_file(), ignored)) {
        Result<std::vector<CheckpointRecord>> copied = copy_store(from, to.database_file());
        if (!copied) return fail(copied.error());
        named = std::move(*copied);
    }
    std::reverse(named.begin(), named.end());  // the newest is what a resume needs
    for (const CheckpointRecord& checkpoint : named) {
        const fs::path source = fs::path(from.path()) / checkpoint.folder;
        if (!checkpoints) break;
        const Result<void> copied = copy_tree(source, fs::path(to.path()) / checkpoint.folder);
        if (!copied && !fs::exists(source, ignored)) return false;
        if (!copied) return fail(copied.error());
    }
    if (checkpoints && !named.empty()) {
        // An engine forgets a checkpoint before it removes its files: what is still named was whole all the
        // time.
        const Result<Checkpoints> still = guarded(from.database_file(), [&]() -> Result<Checkpoints> {
            SQLite::Database source = open_for_reading(from.database_file());
            return read_checkpoints(source);
        });
        if (!still) return fail(still.error());
        for (const CheckpointRecord& checkpoint : named)
            if (std::none_of(still->begin(), still->end(),
                             [&](const CheckpointRecord& one) { return one.step == checkpoint.step; }))
                return false;
    }
    if (!checkpoints && !named.empty()) {
        const Result<void> forgotten = guarded(to.database_file(), [&]() -> Result<void> {
            SQLite::Database(to.database_file(), SQLite::OPEN_READWRITE).exec("DELETE FROM checkpoints");
            return {};
        });
        if (!forgotten) return fail(forgotten.error());
    }
    for (const std::string& folder : {to.inbox_folder(), to.checkpoints_folder()})
        if (const Result<void> made = make_folder(folder); !made) return fail(made.error());
    if (fs::exists(from.log_file(), ignored))
        if (const Result<void> copied = copy_tree(from.log_file(), to.log_file()); !copied)
            return fail(copied.error());
    for (const char* name : {"/evaluations.json", "/evaluations.log"})  // which scores a study has got
        if (fs::exists(from.path() + name, ignored))
            if (const Result<void> copied = copy_tree(from.path() + name, to.path() + name); !copied)
                return fail(copied.error());
    for (const auto& [source, target] : {std::pair(from.scores_folder(), to.scores_folder()),
                                         std::pair(from.measurements_folder(), to.measurements_folder()),
                                         std::pair(from.captures_folder(), to.captures_folder())}) {
        const bool large = source == from.captures_folder();  // as checkpoints are
        if (!fs::exists(source, ignored) || (large && !checkpoints)) continue;
        if (const Result<void> copied = copy_tree(source, target); !copied) return fail(copied.error());
    }
    if (const Result<void> copied = copy_tree(from.plan_file(), to.plan_file()); !copied)
        return fail(copied.error());
    return true;
}

}  // namespace

Result<RunFolder> copy_run(const RunFolder& from, const std::string& to, bool checkpoints) {
    if (const Result<RunPlan> plan = from.plan(); !plan) return fail(plan.error());
    const RunFolder target(to);
    std::error_code ignored;
    if (fs::exists(target.path(), ignored) && !fs::is_empty(target.path(), ignored))
        return fail(ErrorKind::already_exists, "there is something already", target.path(),
                    "Choose another place, or remove it first");
    const RunFolder part(target.path() + ".part-" + std::to_string(::getpid()));
    const auto give_up = [&](Error error) {
        fs::remove_all(part.path(), ignored);
        return fail(std::move(error));
    };
    Result<bool> whole = false;
    for (int tries = 0; tries < most_tries && whole && !*whole; ++tries) {
        fs::remove_all(part.path(), ignored);
        if (const Result<void> made = make_folder(part.path()); !made) return give_up(made.error());
        whole = copy_parts(from, part, checkpoints);
    }
    if (!whole) return give_up(whole.error());
    if (!*whole)
        return give_up({.kind = ErrorKind::busy,
                        .message = "checkpoints vanish while they are copied",
                        .path = from.path(),
                        .hint = "Pause the run and try again"});
    if (std::rename(part.path().c_str(), target.path().c_str()) != 0)
        return give_up(error_from_errno(errno, "cannot make", target.path()));
    return target;
}

Result<void> copy_run_store(const RunFolder& from, const std::string& file) {
    std::error_code ignored;
    if (!fs::exists(from.database_file(), ignored))
        return fail(ErrorKind::not_found, "the run has no store yet", from.database_file());
    const std::string part = file + ".part-" + std::to_string(::getpid());
    const auto give_up = [&](Error error) {
        fs::remove(part, ignored);
        return fail(std::move(error));
    };
    fs::remove(part, ignored);
    if (const auto copied = copy_store(from, part); !copied) return give_up(copied.error());
    if (std::rename(part.c_str(), file.c_str()) != 0)
        return give_up(error_from_errno(errno, "cannot make", file));
    return {};
}

}  // namespace braid
