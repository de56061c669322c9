#include "core/launch/launcher.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/base/file.h"
#include "core/record/inbox.h"
#include "core/record/run_reader.h"

extern char** environ;

namespace braid {
namespace {

constexpr int engine_niceness = 5;

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr auto between_looks = std::chrono::milliseconds(20);

bool is_program(const std::string& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

class Actions {
public:
    Actions() { posix_spawn_file_actions_init(&actions_); }
    ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;
    posix_spawn_file_actions_t* get() { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

class Attributes {
public:
    Attributes() {
        posix_spawnattr_init(&attributes_);
        // A session of its own; no signal is blocked or ignored, whatever we do with them.
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(&attributes_,
                                 POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~Attributes() { posix_spawnattr_destroy(&attributes_); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    posix_spawnattr_t* get() { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        if (!added.contains(text.substr(0, text.find('=')))) variables.push_back(text);
    }
    for (const auto& [name, value] : added) variables.push_back(name + "=" + value);
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

int shell_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

bool works(const RunStatus& status) {
    return status.state == RunState::running || status.state == RunState::paused;
}

Result<bool> engine_works_on(const RunFolder& folder, bool take_over) {
    const Result<RunStatus> status = read_run_status(folder);
    if (!status) return fail(status.error());
    return works(*status) && !(take_over && status->process_elsewhere);
}

// Polls `done` until it holds or the time is over.
template <class Done>
bool wait_until(std::chrono::milliseconds limit, const Done& done) {
    const Clock::time_point end = Clock::now() + limit;
    while (!done()) {
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(between_looks);
    }
    return true;
}

// At most so many bytes, none of them before `begin`; from the beginning of a line.
std::string end_of_file(const std::string& file, off_t begin, std::size_t max_bytes) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return {};
    const off_t size = ::lseek(descriptor, 0, SEEK_END);
    const off_t start = std::max(begin, size - static_cast<off_t>(max_bytes));
    std::string text(static_cast<std::size_t>(std::max<off_t>(0, size - start)), '\0');
    const ssize_t n = ::pread(descriptor, text.data(), text.size(), start);
    ::close(descriptor);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (start > begin)
        if (const std::size_t line = text.find('\n'); line != std::string::npos) text.erase(0, line + 1);
    return text;
}

}  // namespace

Result<std::string> find_engine() {
    if (const char* given = std::getenv("BRAID_ENGINE"); given != nullptr && *given != '\0') {
        if (is_program(given)) return std::string(given);
        return fail(ErrorKind::unavailable, "BRAID_ENGINE names no program", given, "Correct it or unset it");
    }
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    const std::string beside = (self.parent_path() / "braid-engine").string();
    if (is_program(beside)) return beside;
    return fail(ErrorKind::unavailable, "the engine is missing", beside,
                "Install or build it, or name it in BRAID_ENGINE");
}

Result<EngineProcess> EngineProcess::start(const LaunchRequest& request) {
    std::string program = request.program;
    if (program.empty()) {
        Result<std::string> found = find_engine();
        if (!found) return fail(std::move(found.error()));
        program = std::move(*found);
    }
    const std::string log = request.log_file.empty() ? "/dev/null" : request.log_file;
    // Opened here first, so that a log that cannot be written is an error that names it.
    const int log_descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log_descriptor < 0) return fail(error_from_errno(errno, "cannot open the log", log));
    const off_t log_begin = std::max<off_t>(0, ::lseek(log_descriptor, 0, SEEK_END));  // of a pipe: none

    Actions actions;
    posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(actions.get(), log_descriptor, 1);
    posix_spawn_file_actions_adddup2(actions.get(), log_descriptor, 2);
    posix_spawn_file_actions_addclosefrom_np(actions.get(), 3);
    if (!request.working_folder.empty())
        posix_spawn_file_actions_addchdir_np(actions.get(), request.working_folder.c_str());
    Attributes attributes;
    std::vector<std::string> arguments = {program};
    arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
    std::vector<std::string> environment = environment_with(request.environment);
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(),
                                    pointers_to(arguments).data(), pointers_to(environment).data());
    ::close(log_descriptor);
    if (error != 0) {
        Error reason = error_from_errno(error, "cannot start", program);
        if (reason.kind == ErrorKind::not_found) reason.kind = ErrorKind::unavailable;
        return fail(std::move(reason));
    }
    // Training may take all cores; the window and the shell then still go first.
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), engine_niceness);
    EngineProcess process;
    process.identity_ = identity_of(pid);
    process.log_file_ = log;
    process.log_begin_ = log_begin;
    return process;
}

std::optional<int> EngineProcess::poll() {
    if (exit_code_) return exit_code_;
    int status = 0;
    const pid_t ended = ::waitpid(static_cast<pid_t>(identity_.pid), &status, WNOHANG);
    if (ended == identity_.pid)
        exit_code_ = shell_code(status);
    else if (ended < 0 && errno == ECHILD)
        exit_code_ = 255;  // somebody else has asked for its code before us
    return exit_code_;
}

std::optional<int> EngineProcess::wait(std::chrono::milliseconds limit) {
    wait_until(limit, [this] { return poll().has_value(); });
    return exit_code_;
}

Result<EngineProcess> start_run(const RunFolder& folder,
                                const std::map<std::string, std::string>& environment, bool take_over) {
    const Result<RunPlan> plan = folder.plan();
    if (!plan) return fail(plan.error());
    const Result<bool> working = engine_works_on(folder, take_over);
    if (!working) return fail(working.error());
    if (*working)
        return fail(ErrorKind::busy, "an engine works on this run already", folder.path(),
                    "Watch it or stop it");
    return EngineProcess::start(
        {.arguments = {"train", folder.path()}, .log_file = folder.log_file(), .environment = environment});
}

Result<EngineProcess> start_study(const std::string& project_folder, const std::string& study,
                                  const std::vector<std::string>& options) {
    std::vector<std::string> words = {"study", "run", study, "--project", project_folder};
    words.insert(words.end(), options.begin(), options.end());
    return EngineProcess::start(
        {.arguments = std::move(words), .log_file = project_folder + "/studies/" + study + ".log"});
}

Result<void> stop_run(const RunFolder& folder, const StopOptions& options) {
    Result<RunStatus> status = read_run_status(folder);
    if (!status) return fail(std::move(status.error()));
    if (!works(*status)) return {};
    Result<std::string> id = post_command(folder, "stop");
    if (!id) return fail(std::move(id.error()));
    RunReader reader(folder, {.series = false, .events = false});
    const auto ended = [&] { return !works(reader.poll()->status); };
    const auto acknowledged = [&] {
        for (const CommandRecord& command : reader.latest()->commands)
            if (command.id == *id && !command.acknowledged.empty()) return true;
        return false;
    };
    if (wait_until(options.patience, [&] { return ended() || acknowledged(); })) {
        if (wait_until(options.limit, ended)) return {};
        return fail(ErrorKind::busy, "the engine has understood but not ended yet", folder.path(),
                    "Give it more time, or look at engine.log");
    }
    const ProcessIdentity process = reader.latest()->status.process;
    std::vector<int> signals = {SIGTERM};
    if (options.kill) signals.push_back(SIGKILL);
    for (const int signal_number : signals) {
        if (!signal_process(process, signal_number) && look_up(process) == ProcessState::elsewhere)
            return fail(ErrorKind::unavailable,
                        "the engine works on " + process.host + " and does not answer", folder.path(),
                        "Stop it there");
        if (wait_until(options.patience, ended)) return {};
    }
    return fail(ErrorKind::busy,
                "the engine (process " + std::to_string(process.pid) + ") does not answer and did not end",
                folder.path(), "Look at engine.log, then stop the process by hand");
}

std::string EngineProcess::last_words(std::size_t max_bytes) const {
    return end_of_file(log_file_, log_begin_, max_bytes);
}

std::string log_tail(const RunFolder& folder, std::size_t max_bytes) {
    return end_of_log(folder.log_file(), max_bytes);
}

std::string end_of_log(const std::string& file, std::size_t max_bytes) {
    return end_of_file(file, 0, max_bytes);
}

}  // namespace braid
