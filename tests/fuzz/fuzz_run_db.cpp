// A run.db from a stranger: never a crash, a hang or a write; what is shown keeps its promises.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/record/run_reader.h"
#include "tests/fuzz/must.h"

namespace {

// In memory, so that the fuzzer does not wait for a disk.
std::string make_folder() {
    std::string pattern = "/dev/shm/braid-fuzz-XXXXXX";
    must(::mkdtemp(pattern.data()) != nullptr, "a folder in /dev/shm");
    return pattern;
}

void put(const std::string& file, const std::uint8_t* data, std::size_t size) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    must(descriptor >= 0 && ::write(descriptor, data, size) == static_cast<ssize_t>(size),
         "the file is written");
    ::close(descriptor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string path = make_folder();
    const braid::RunFolder folder(path);
    const std::string file = folder.database_file();
    for (const char* suffix : {"-wal", "-shm", "-journal"}) ::unlink((file + suffix).c_str());
    put(file, data, size);
    braid::RunReader reader(folder);
    const auto snapshot = reader.poll();
    for (const auto& [metric, series] : snapshot->series) {
        must(series.steps.size() == series.values.size(), "as many values as steps");
        for (std::size_t i = 1; i < series.size(); ++i)
            must(series.steps[i - 1] < series.steps[i], "steps grow: no step twice");
    }
    for (std::size_t i = 1; i < snapshot->events.size(); ++i)
        must(snapshot->events[i - 1].sequence < snapshot->events[i].sequence, "events in order");
    if (snapshot->problem) must(!snapshot->problem->message.empty(), "a problem says what it is");
    must(reader.poll()->revision >= snapshot->revision, "revisions grow");
    struct stat status {};
    must(::stat(file.c_str(), &status) == 0 && status.st_size == static_cast<off_t>(size),
         "reading writes nothing");
    return 0;
}
