#include "core/record/store_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/record/database.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

std::string local_base() {
    const char* temporary = std::getenv("TMPDIR");
    const std::string base = temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
    return base + "/braid-" + std::to_string(::getuid());
}

// How much a store holds, to compare a left-over local one with the published one. -1: not readable.
std::int64_t progress_of(const std::string& file) {
    try {
        SQLite::Database database(file, SQLite::OPEN_READWRITE, 2'000);
        return database
            .execAndGet(
                "SELECT (SELECT count(*) FROM attempts) * 1000000000000 + "
                "(SELECT coalesce(max(seq), 0) FROM samples)")
            .getInt64();
    } catch (const std::exception&) {
        return -1;
    }
}

void remove_store(const std::string& file) {
    std::error_code error;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(file + suffix, error);
}

}  // namespace

Result<StoreFile> StoreFile::prepare(const RunFolder& folder, const std::string& local_folder) {
    StoreFile store;
    store.published_ = folder.database_file();
    store.working_ = store.published_;
    if (local_folder.empty() && !on_network_file_system(folder.path())) return store;
    const std::string local = (local_folder.empty() ? local_base() : local_folder) + "/" + folder.name() +
                              "-" + content_hash(std::string_view(folder.path())).substr(0, 12);
    if (Result<void> made = make_folder(local); !made) return fail(std::move(made.error()));
    store.working_ = local + "/run.db";
    std::error_code error;
    if (!fs::exists(store.published_, error)) return store;
    if (fs::exists(store.working_, error) && progress_of(store.working_) >= progress_of(store.published_))
        return store;
    remove_store(store.working_);
    fs::copy_file(store.published_, store.working_, fs::copy_options::overwrite_existing, error);
    if (error) return fail(error_from_errno(error.value(), "cannot copy run.db to", store.working_));
    return store;
}

Result<void> StoreFile::publish(SQLite::Database& working) const {
    if (!is_published()) return {};
    const std::string temporary = published_ + ".new";
    remove_store(temporary);
    const auto give_up = [&](Error error) {
        remove_store(temporary);
        return fail(std::move(error));
    };
    const Result<void> copied =
        guarded(temporary, [&]() -> Result<void> { return copy_database(working, temporary); });
    if (!copied) return give_up(copied.error());
    if (::rename(temporary.c_str(), published_.c_str()) != 0)
        return give_up(error_from_errno(errno, "cannot publish", published_));
    return {};
}

void StoreFile::remove_working() const {
    if (!is_published()) return;
    remove_store(working_);
    std::error_code error;
    fs::remove(fs::path(working_).parent_path(), error);
}

}  // namespace braid
