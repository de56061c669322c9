#include "core/data/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>

#include "core/base/regular_file.h"

namespace braid {

Result<MappedFile> MappedFile::open(const std::string& path) {
    const Result<RegularFile> file = RegularFile::open(path);
    if (!file) return fail(file.error());
    const std::size_t size = file->size();
    void* data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file->descriptor(), 0);
    if (data == MAP_FAILED) return fail(error_from_errno(errno, "cannot map into memory", path));
    return MappedFile(data, size);
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<void*>(data_), size_);
}

}  // namespace braid
