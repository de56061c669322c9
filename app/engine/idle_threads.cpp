// Threads of a parallel region wait for each other by spinning. GNU OpenMP's default is some milliseconds,
// which on cores that are shared keeps the thread waited for from running: two trainings of the tiny scale
// on the same two cores took 852 ms a step, with short waits 68 ms; one alone takes 23 ms either way.
//
// The OpenMP library reads its environment once, while it is loaded, before anything of ours has run. So
// the program starts itself again with the variable set, from .preinit_array: nothing but the loader has
// worked by then, and starting twice costs 5 ms. Whoever sets a policy of their own keeps it.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their runtime is not there so early
namespace {

char spin_count[] = "GOMP_SPINCOUNT=5000";  // about 50 us

bool names(const char* entry, const char* variable) {
    const std::size_t length = std::strlen(variable);
    return std::strncmp(entry, variable, length) == 0 && entry[length] == '=';
}

void wait_shortly(int /*argc*/, char** argv, char** environment) {
    std::vector<char*> with;
    for (char** entry = environment; *entry != nullptr; ++entry) {
        if (names(*entry, "GOMP_SPINCOUNT") || names(*entry, "OMP_WAIT_POLICY")) return;
        with.push_back(*entry);
    }
    with.push_back(spin_count);
    with.push_back(nullptr);
    std::array<char, 4096> self{};  // by its name, which is what ps and pkill show; not as "exe"
    if (::readlink("/proc/self/exe", self.data(), self.size() - 1) > 0)
        ::execve(self.data(), argv, with.data());
    // A program that cannot be started again goes on as it is.
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = wait_shortly;

}  // namespace
#endif
