// The versions of run.db: script n brings version n - 1 to version n (PRAGMA user_version).
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

// The texts of resources/migrations/NNN_*.sql, in order; made by the build.
std::vector<std::string_view> migration_scripts();

// For a writer: brings an empty or older database up to date, each script in a transaction of its own. A
// newer one is refused and left as it is.
Result<void> migrate(SQLite::Database& database, const std::string& file,
                     const std::vector<std::string_view>& scripts = migration_scripts());

enum class StoreState { ready, empty };  // empty: just created, no tables yet

// For a reader: is this a store that we can read? Older versions are read as they are as long as they have
// the tables, a newer one is refused.
Result<StoreState> check_store(SQLite::Database& database, const std::string& file);

}  // namespace braid
