#include "core/data/document_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/data/mapped_file.h"

namespace braid {

Result<void> DocumentIndex::save(const std::string& file) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot create", file));
    const auto give_up = [&]() -> Result<void> {
        const int error = errno;
        ::close(descriptor);
        return fail(error_from_errno(error, "cannot write", file));
    };
    const auto* bytes = reinterpret_cast<const char*>(entries_.data());
    const std::size_t size = entries_.size() * sizeof(DocumentEntry);
    for (std::size_t at = saved_ * sizeof(DocumentEntry); at < size;) {
        const ssize_t n = ::pwrite(descriptor, bytes + at, size - at, static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return give_up();
        at += static_cast<std::size_t>(n);
    }
    if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0 || ::fdatasync(descriptor) != 0)
        return give_up();
    ::close(descriptor);
    saved_ = entries_.size();
    return {};
}

Result<void> DocumentIndex::rewrite(const std::string& file) {
    saved_ = 0;
    return save(file);
}

Result<void> DocumentIndex::load(const std::string& file, std::size_t size) {
    if (size == 0) return {};
    const Result<MappedFile> map = MappedFile::open(file);
    if (!map) return fail(map.error());
    const std::span<const DocumentEntry> stored = map->as<DocumentEntry>();
    if (stored.size() < size)
        return fail(ErrorKind::corrupt, "is shorter than the build had come", file,
                    "Delete the corpus folder and build again");
    for (const DocumentEntry& entry : stored.first(size)) add(entry);
    saved_ = size;
    return {};
}

}  // namespace braid
