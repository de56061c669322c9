#include "core/base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace braid {

Result<RegularFile> RegularFile::open(const std::string& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail(error_from_errno(errno, "cannot open", file));
    RegularFile opened(descriptor, 0);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return fail(error_from_errno(errno, "cannot read", file));
    if (S_ISDIR(status.st_mode)) return fail(ErrorKind::invalid_input, "is a folder, a file is needed", file);
    if (!S_ISREG(status.st_mode))
        return fail(ErrorKind::invalid_input, "is a pipe or a device, a file is needed", file);
    opened.size_ = static_cast<std::size_t>(status.st_size);
    return opened;
}

RegularFile::~RegularFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace braid
