#include "core/record/database.h"

#include <SQLiteCpp/Backup.h>
#include <linux/magic.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace braid {
namespace {

// file:/path?query, with what has a meaning in a URI escaped.
std::string uri_of(const std::string& file, const std::string& query) {
    std::string uri = "file:";
    for (const char c : file) {
        if (c == '%')
            uri += "%25";
        else if (c == '?')
            uri += "%3f";
        else if (c == '#')
            uri += "%23";
        else
            uri += c;
    }
    return uri + "?" + query;
}

ErrorKind kind_of(int code, int system_error) {
    switch (code & 0xff) {
        case SQLITE_FULL:
            return ErrorKind::no_space;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT:
            return ErrorKind::corrupt;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return ErrorKind::busy;
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
            return ErrorKind::permission;
        case SQLITE_NOMEM:
            return ErrorKind::out_of_memory;
        case SQLITE_CANTOPEN:
        case SQLITE_IOERR:
            // errno may be left over from a look at a file that need not exist; only these say why.
            switch (system_error) {
                case ENOSPC:
                case EDQUOT:
                case EFBIG:
                    return ErrorKind::no_space;
                case EACCES:
                case EROFS:
                    return ErrorKind::permission;
                default:
                    return ErrorKind::io;
            }
        default:
            return ErrorKind::internal;
    }
}

std::string hint_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::no_space:
            return "Free some space on that file system; what was committed is kept and writing goes on by "
                   "itself";
        case ErrorKind::corrupt:
            return "Put back a copy, or move run.db aside: checkpoints are not affected and the run can be "
                   "resumed";
        case ErrorKind::permission:
            return "Choose a folder that you may write to";
        default:
            return {};
    }
}

}  // namespace

Error to_error(const SQLite::Exception& exception, const std::string& file) {
    const int code =
        exception.getExtendedErrorCode() > 0 ? exception.getExtendedErrorCode() : exception.getErrorCode();
    const int system_error = errno;
    const ErrorKind kind = kind_of(code, system_error);
    std::string message =
        kind == ErrorKind::corrupt
            ? std::string("is damaged or not a database of Braid (") + exception.what() + ")"
            : std::string(exception.what());
    return Error{.kind = kind, .message = std::move(message), .path = file, .hint = hint_of(kind)};
}

// SQLite would wait for the other end of a pipe. Not by RegularFile: a descriptor of the file that is closed
// takes the locks with it that this process holds on it.
void need_file(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throw SQLite::Exception("a folder, a pipe or a device", SQLITE_NOTADB);
}

SQLite::Database open_for_writing(const std::string& file) {
    need_file(file);
    errno = 0;
    SQLite::Database database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5'000);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    return database;
}

SQLite::Database open_for_reading(const std::string& file) {
    need_file(file);
    errno = 0;
    // Where SQLite cannot make the shared-memory file of a WAL database, or locks cannot be relied on, the
    // file is read as it is: nobody changes it in place there (a network file system holds published
    // snapshots).
    const std::string folder = std::filesystem::path(file).parent_path().string();
    const bool as_it_is = ::access(folder.c_str(), W_OK) != 0 || on_network_file_system(file);
    const std::string wal = file + "-wal";
    const bool wal_matters = ::access(wal.c_str(), F_OK) == 0 && ::access(wal.c_str(), R_OK) == 0;
    SQLite::Database database(uri_of(file, as_it_is && !wal_matters ? "immutable=1" : "mode=ro"),
                              SQLite::OPEN_READONLY | SQLite::OPEN_URI, 2'000);
    sqlite3* handle = database.getHandle();
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20);
    database.exec("PRAGMA cell_size_check = ON");
    return database;
}

Result<void> copy_database(SQLite::Database& source, const std::string& file) {
    {
        SQLite::Database copy(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        // A lock on a network file system may not even exist.
        copy.exec("PRAGMA locking_mode = EXCLUSIVE");
        SQLite::Backup backup(copy, source);
        if (backup.executeStep(-1) != SQLITE_DONE)
            return fail(ErrorKind::busy, "the database is locked by another program", file);
    }
    SQLite::Database plain(file, SQLite::OPEN_READWRITE);
    plain.exec("PRAGMA locking_mode = EXCLUSIVE");
    plain.exec("PRAGMA journal_mode = DELETE");
    return {};
}

bool on_network_file_system(const std::string& path) {
    struct statfs status {};
    if (::statfs(path.c_str(), &status) != 0) {
        const std::string folder = std::filesystem::path(path).parent_path().string();
        if (::statfs(folder.c_str(), &status) != 0) return false;
    }
    switch (static_cast<unsigned long>(status.f_type)) {
        case NFS_SUPER_MAGIC:
        case SMB_SUPER_MAGIC:
        case 0xFF534D42UL:  // CIFS
        case 0xFE534D42UL:  // SMB2
        case 0x0BD00BD0UL:  // Lustre
        case 0x47504653UL:  // GPFS
        case 0x19830326UL:  // BeeGFS
        case CEPH_SUPER_MAGIC:
        case AFS_SUPER_MAGIC:
        case V9FS_MAGIC:
            return true;
        default:
            return false;
    }
}

}  // namespace braid
