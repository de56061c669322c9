#include "core/data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace braid {

Result<MappedFile> MappedFile::open(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot open", path));
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
        const int error = errno;
        ::close(descriptor);
        return fail(error_from_errno(error, "cannot read", path));
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return fail(ErrorKind::invalid_input, "is a pipe or a device, a file is needed", path);
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    const int error = errno;
    ::close(descriptor);
    if (data == MAP_FAILED) return fail(error_from_errno(error, "cannot map into memory", path));
    return MappedFile(data, size);
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<void*>(data_), size_);
}

}  // namespace braid
