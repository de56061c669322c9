#include "core/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

#include "core/base/regular_file.h"

namespace braid {
namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }
    // close() may be the call that reports a full disk (NFS), so a writer has to look at it.
    int close_now() {
        const int rc = ::close(number_);
        number_ = -1;
        return rc;
    }

private:
    int number_;
};

Result<void> write_all(int descriptor, std::string_view bytes, const std::string& file) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            return fail(error_from_errno(errno, "cannot write", file));
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

void sync_folder_of(const std::string& file) {
    const std::string folder = std::filesystem::path(file).parent_path().string();
    const Descriptor descriptor(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor.number() >= 0) ::fsync(descriptor.number());
}

}  // namespace

Result<std::string> read_file(const std::string& file, std::size_t max_bytes) {
    const Result<RegularFile> opened = RegularFile::open(file);
    if (!opened) return fail(opened.error());
    if (opened->size() > max_bytes)
        return fail(
            ErrorKind::invalid_input,
            "has " + std::to_string(opened->size()) + " bytes, the limit is " + std::to_string(max_bytes),
            file);
    std::string text;
    std::string block(std::size_t{1} << 16, '\0');
    for (;;) {
        const ssize_t n = ::read(opened->descriptor(), block.data(), block.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            return fail(error_from_errno(errno, "cannot read", file));
        }
        if (n == 0) return text;
        if (text.size() + static_cast<std::size_t>(n) > max_bytes)
            return fail(ErrorKind::invalid_input, "has more than " + std::to_string(max_bytes) + " bytes",
                        file);
        text.append(block.data(), static_cast<std::size_t>(n));
    }
}

Result<void> write_file_atomically(const std::string& file, std::string_view bytes) {
    static std::atomic<unsigned> counter{0};
    const std::string temporary =
        file + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
    Descriptor descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (descriptor.number() < 0) return fail(error_from_errno(errno, "cannot create", file));
    const auto give_up = [&](Error error) {
        ::unlink(temporary.c_str());
        return fail(std::move(error));
    };
    if (Result<void> written = write_all(descriptor.number(), bytes, file); !written)
        return give_up(std::move(written.error()));
    if (::fsync(descriptor.number()) != 0) return give_up(error_from_errno(errno, "cannot write", file));
    if (descriptor.close_now() != 0) return give_up(error_from_errno(errno, "cannot write", file));
    if (::rename(temporary.c_str(), file.c_str()) != 0)
        return give_up(error_from_errno(errno, "cannot rename", file));
    sync_folder_of(file);
    return {};
}

Result<void> make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return fail(error_from_errno(error.value(), "cannot create the folder", folder));
    return {};
}

}  // namespace braid
