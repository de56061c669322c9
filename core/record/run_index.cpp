#include "core/record/run_index.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <filesystem>
#include <limits>

#include "core/record/database.h"

namespace braid {
namespace {

constexpr int index_version = 1;

std::string file_of(const std::string& project_folder) { return project_folder + "/index.db"; }

// JSON has no NaN and no infinity: such a value is a text.
Json number_to_json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}
double number_from_json(const Json& json) {
    if (json.is_number()) return json.get<double>();
    if (json == "inf") return std::numeric_limits<double>::infinity();
    if (json == "-inf") return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
}

Json entry_to_json(const RunEntry& entry) {
    Json latest = Json::object();
    for (const auto& [metric, value] : entry.status.latest) latest[metric] = number_to_json(value);
    const RunStatus& status = entry.status;
    Json json = {{"name", entry.name},
                 {"created", entry.created},
                 {"study", entry.study.str()},
                 {"point", entry.point},
                 {"steps", entry.steps},
                 {"state", to_text(status.state)},
                 {"step", status.step.value},
                 {"message", status.message},
                 {"attempt", status.attempt.value},
                 {"host", status.process.host},
                 {"boot_id", status.process.boot_id},
                 {"pid_namespace", status.process.pid_namespace},
                 {"pid", status.process.pid},
                 {"start_time", status.process.start_time},
                 {"started", status.started},
                 {"ended", status.ended},
                 {"updated", status.updated},
                 {"latest", latest}};
    if (status.checkpoint) json["checkpoint"] = status.checkpoint->value;
    return json;
}

// Throws nlohmann's exceptions on a foreign row, which is then as good as absent.
RunEntry entry_from_json(const Json& json) {
    RunEntry entry;
    entry.name = json.at("name").get<std::string>();
    entry.created = json.at("created").get<std::string>();
    entry.study = StudyId(json.at("study").get<std::string>());
    entry.point = json.at("point").get<std::string>();
    entry.steps = json.at("steps").get<std::int64_t>();
    RunStatus& status = entry.status;
    status.state = run_state_from_text(json.at("state").get<std::string>()).value();
    status.step = Step(json.at("step").get<std::int64_t>());
    status.message = json.at("message").get<std::string>();
    status.attempt = AttemptNumber(json.at("attempt").get<std::int64_t>());
    status.process.host = json.at("host").get<std::string>();
    status.process.boot_id = json.at("boot_id").get<std::string>();
    status.process.pid_namespace = json.at("pid_namespace").get<std::uint64_t>();
    status.process.pid = json.at("pid").get<std::int64_t>();
    status.process.start_time = json.at("start_time").get<std::uint64_t>();
    status.started = json.at("started").get<std::string>();
    status.ended = json.at("ended").get<std::string>();
    status.updated = json.at("updated").get<std::string>();
    if (json.contains("checkpoint")) status.checkpoint = Step(json.at("checkpoint").get<std::int64_t>());
    for (const auto& [metric, value] : json.at("latest").items())
        status.latest[metric] = number_from_json(value);
    return entry;
}

// Throws. A file of another version is emptied.
SQLite::Database open_index(const std::string& project_folder) {
    SQLite::Database database(file_of(project_folder), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 200);
    database.exec("PRAGMA synchronous = OFF");
    if (database.execAndGet("PRAGMA user_version").getInt() != index_version) {
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::EXCLUSIVE);
        database.exec("DROP TABLE IF EXISTS runs");
        database.exec(
            "CREATE TABLE runs (folder TEXT PRIMARY KEY, plan_stamp TEXT NOT NULL, store_stamp TEXT NOT "
            "NULL, "
            "entry TEXT NOT NULL) STRICT");
        database.exec("PRAGMA user_version = " + std::to_string(index_version));
        transaction.commit();
    }
    return database;
}

// Whatever is wrong with it, a new one is as good.
void discard(const std::string& project_folder) {
    std::error_code error;
    std::filesystem::remove(file_of(project_folder), error);
    std::filesystem::remove(file_of(project_folder) + "-journal", error);
}

bool is_damage(const std::exception& exception) {
    const auto* sqlite = dynamic_cast<const SQLite::Exception*>(&exception);
    return sqlite != nullptr && to_error(*sqlite, "").kind == ErrorKind::corrupt;
}

template <class Work>
void with_index(const std::string& project_folder, const Work& work) {
    if (on_network_file_system(project_folder)) return;  // locks there may wait for ever
    for (int round = 0; round < 2; ++round) {
        try {
            SQLite::Database database = open_index(project_folder);
            work(database);
            return;
        } catch (const std::exception& exception) {
            if (!is_damage(exception)) return;
            discard(project_folder);
        }
    }
}

}  // namespace

std::map<std::string, IndexedRun> load_index(const std::string& project_folder) {
    std::map<std::string, IndexedRun> runs;
    with_index(project_folder, [&](SQLite::Database& database) {
        runs.clear();
        SQLite::Statement rows(database, "SELECT folder, plan_stamp, store_stamp, entry FROM runs");
        while (rows.executeStep()) {
            const std::string folder = rows.getColumn(0).getString();
            const Result<Json> json = parse_json(rows.getColumn(3).getString());
            if (!json) continue;
            try {
                IndexedRun run{rows.getColumn(1).getString(), rows.getColumn(2).getString(),
                               entry_from_json(*json)};
                run.entry.id = RunId(folder);
                run.entry.folder = RunFolder(project_folder + "/runs/" + folder);
                runs.emplace(folder, std::move(run));
            } catch (const std::exception&) {
                continue;  // not written by us: the run itself is read
            }
        }
    });
    return runs;
}

void save_index(const std::string& project_folder, const std::map<std::string, IndexedRun>& changed,
                const std::vector<std::string>& gone) {
    if (changed.empty() && gone.empty()) return;
    with_index(project_folder, [&](SQLite::Database& database) {
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement replace(database, "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)");
        for (const auto& [folder, run] : changed) {
            SQLite::bind(replace, folder, run.plan_stamp, run.store_stamp,
                         entry_to_json(run.entry).dump(-1, ' ', false, Json::error_handler_t::replace));
            replace.exec();
            replace.reset();
        }
        SQLite::Statement remove(database, "DELETE FROM runs WHERE folder = ?");
        for (const std::string& folder : gone) {
            remove.bind(1, folder);
            remove.exec();
            remove.reset();
        }
        transaction.commit();
    });
}

}  // namespace braid
