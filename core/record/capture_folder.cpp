#include "core/record/capture_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "core/base/file.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr const char* draft_prefix = ".unfinished-";
constexpr const char* lock_name = "lock";
constexpr auto without_lock = std::chrono::minutes(1);  // a draft that is just being made has none yet

// Whether nobody writes this draft any more.
bool abandoned(const fs::path& draft) {
    const int lock = ::open((draft / lock_name).c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0) {
        std::error_code error;
        const auto written = fs::last_write_time(draft, error);
        return !error && fs::file_time_type::clock::now() - written > without_lock;
    }
    const bool free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
    ::close(lock);
    return free;
}

// A folder in place of another one, at once where the file system can exchange them.
Result<void> put_in_place(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    if (errno != ENOTEMPTY && errno != EEXIST) return fail(error_from_errno(errno, "cannot rename", to));
    std::error_code ignored;
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
        fs::remove_all(from, ignored);
        return {};
    }
    fs::remove_all(to, ignored);
    if (::rename(from.c_str(), to.c_str()) != 0) return fail(error_from_errno(errno, "cannot rename", to));
    return {};
}

}  // namespace

void remove_unfinished_captures(const std::string& folder_of_captures) {
    std::error_code error;
    std::vector<fs::path> drafts;
    for (fs::directory_iterator at(folder_of_captures, error), end; !error && at != end; at.increment(error))
        if (at->path().filename().string().rfind(draft_prefix, 0) == 0) drafts.push_back(at->path());
    for (const fs::path& draft : drafts)
        if (abandoned(draft)) fs::remove_all(draft, error);
}

Result<CaptureDraft> CaptureDraft::begin(const std::string& folder_of_captures) {
    if (Result<void> made = make_folder(folder_of_captures); !made) return fail(std::move(made.error()));
    remove_unfinished_captures(folder_of_captures);
    static std::atomic<unsigned> counter{0};
    std::string folder = folder_of_captures;
    folder.append("/").append(draft_prefix).append(std::to_string(::getpid())).append("-");
    folder.append(std::to_string(std::chrono::steady_clock::now().time_since_epoch().count())).append("-");
    folder.append(std::to_string(counter.fetch_add(1)));
    std::error_code error;
    if (!fs::create_directory(folder, error))
        return fail(error_from_errno(error ? error.value() : EEXIST, "cannot create the folder", folder));
    const std::string file = folder + "/" + lock_name;
    const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    CaptureDraft draft(folder_of_captures, std::move(folder), lock);  // removes it again where it fails
    if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0)
        return fail(error_from_errno(errno, "cannot lock", file));
    return draft;
}

CaptureDraft::CaptureDraft(CaptureDraft&& other) noexcept
    : all_(std::move(other.all_)),
      folder_(std::exchange(other.folder_, std::string())),
      lock_(std::exchange(other.lock_, -1)) {}

CaptureDraft::~CaptureDraft() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
    if (lock_ >= 0) ::close(lock_);
}

Result<std::string> CaptureDraft::finish(const Capture& capture) {
    if (Result<void> written = write_capture_description(folder_, capture); !written)
        return fail(std::move(written.error()));
    std::error_code ignored;
    fs::remove(folder_ + "/" + lock_name, ignored);  // it stays locked until the folder has its name
    const std::string place = all_ + "/" + capture_id(capture);
    if (Result<void> moved = put_in_place(folder_, place); !moved) return fail(std::move(moved.error()));
    folder_.clear();
    return place;
}

Result<std::int64_t> free_bytes(const std::string& folder) {
    std::error_code error;
    fs::path place = fs::absolute(folder, error);
    while (!fs::exists(place, error) && place.has_relative_path()) place = place.parent_path();
    const fs::space_info space = fs::space(place, error);
    if (error)
        return fail(error_from_errno(error.value(), "how much room there is cannot be found out", folder));
    return static_cast<std::int64_t>(space.available);
}

}  // namespace braid
