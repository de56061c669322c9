// Which file a writer works in. SQLite's WAL needs shared memory, so on a network file system the database is
// written on node-local disk and whole snapshots of it are published as <run>/run.db.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "core/base/error.h"
#include "core/record/run_folder.h"

namespace braid {

class StoreFile {
public:
    // `local_folder` empty: local only where the run lies on a network file system, then below $TMPDIR or
    // /tmp. A local file that a killed engine left there is continued when it is ahead of the published one.
    static Result<StoreFile> prepare(const RunFolder& folder, const std::string& local_folder);

    const std::string& working_file() const { return working_; }
    bool is_published() const { return working_ != published_; }
    // Copies what is committed to a temporary neighbour of run.db and renames it. Nothing to do for a file in
    // place. Throws SQLite::Exception.
    Result<void> publish(SQLite::Database& working) const;
    // After the last publish and close of the working file.
    void remove_working() const;

private:
    std::string working_;
    std::string published_;
};

}  // namespace braid
