// SQLite as Braid uses it: opened carefully, its exceptions turned into errors that say what to do.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace braid {

// "BRAI"; a SQLite file with another application id is not ours.
inline constexpr int run_application_id = 0x42524149;

Error to_error(const SQLite::Exception& exception, const std::string& file);

// Runs work(), which returns a Result and may throw; what is thrown becomes the error.
template <class Work>
auto guarded(const std::string& file, Work&& work) -> decltype(work()) {
    try {
        errno = 0;
        return work();
    } catch (const SQLite::Exception& exception) {
        return fail(to_error(exception, file));
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::out_of_memory, "not enough memory for the database", file);
    } catch (const std::exception& exception) {
        return fail(ErrorKind::internal, exception.what(), file);
    }
}

// For the one writer: created when missing, WAL, synchronous NORMAL, waits 5 s for readers that hold it up.
// Throws SQLite::Exception.
SQLite::Database open_for_writing(const std::string& file);

// Read-only and distrustful: nothing in the file can make it run code or write. Works on a folder that cannot
// be written to, too. Throws SQLite::Exception.
SQLite::Database open_for_reading(const std::string& file);

// Copies what is committed, as of one commit, into a file that nobody else looks at; without a write-ahead
// log there, so that it is one file. Throws SQLite::Exception.
Result<void> copy_database(SQLite::Database& source, const std::string& file);

// SQLite stores NaN as NULL.
inline void bind_real(SQLite::Statement& statement, int index, double value) {
    if (std::isnan(value))
        statement.bind(index);
    else
        statement.bind(index, value);
}
inline double real_at(const SQLite::Statement& statement, int index) {
    const SQLite::Column column = const_cast<SQLite::Statement&>(statement).getColumn(index);
    return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

// The file lies on NFS, Lustre, SMB or the like, where WAL's shared memory does not work.
bool on_network_file_system(const std::string& path);

}  // namespace braid
