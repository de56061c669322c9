#include "core/record/migrations.h"

#include "core/record/database.h"

namespace braid {
namespace {

int pragma(SQLite::Database& database, const char* name) {
    return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

tl::unexpected<Error> too_new(const std::string& file, int version, std::size_t known) {
    return fail(ErrorKind::invalid_input,
                "was written by a newer Braid: its schema version is " + std::to_string(version) +
                    ", this program knows up to " + std::to_string(known),
                file, "Install the newer Braid to open it");
}

tl::unexpected<Error> foreign(const std::string& file) {
    return fail(ErrorKind::corrupt, "is a SQLite database, but not one of a run", file,
                "Move it aside; the run can be resumed from its checkpoints");
}

}  // namespace

Result<void> migrate(SQLite::Database& database, const std::string& file,
                     const std::vector<std::string_view>& scripts) {
    return guarded(file, [&]() -> Result<void> {
        const int version = pragma(database, "user_version");
        const int application = pragma(database, "application_id");
        const bool empty = pragma(database, "schema_version") == 0;
        if (!empty && application != run_application_id) return foreign(file);
        if (version > static_cast<int>(scripts.size())) return too_new(file, version, scripts.size());
        for (std::size_t n = static_cast<std::size_t>(std::max(version, 0)); n < scripts.size(); ++n) {
            SQLite::Transaction transaction(database);
            database.exec("PRAGMA application_id = " + std::to_string(run_application_id));
            database.exec(std::string(scripts[n]));
            database.exec("PRAGMA user_version = " + std::to_string(n + 1));
            transaction.commit();
        }
        return {};
    });
}

Result<StoreState> check_store(SQLite::Database& database, const std::string& file) {
    return guarded(file, [&]() -> Result<StoreState> {
        if (pragma(database, "schema_version") == 0) return StoreState::empty;
        if (pragma(database, "application_id") != run_application_id) return foreign(file);
        const int version = pragma(database, "user_version");
        const std::size_t known = migration_scripts().size();
        if (version > static_cast<int>(known)) return too_new(file, version, known);
        if (version < 1) return StoreState::empty;
        // Only plain tables: a view of that name could make a reader work without end.
        SQLite::Statement tables(
            database,
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE %' AND "
            "name IN ('attempts', 'metrics', 'samples', 'latest', 'events', 'checkpoints', 'commands', "
            "'state')");
        tables.executeStep();
        if (tables.getColumn(0).getInt() != 8) return foreign(file);
        return StoreState::ready;
    });
}

}  // namespace braid
