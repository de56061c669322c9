// Stands for braid-engine in the tests of launching: `train RUN` works on a run without training.
//   obeys      (default) a step each 5 ms; stop and checkpoint are acknowledged and done
//   deaf       never looks into its inbox; ends at SIGTERM
//   rank       says which of the ranks of a run it is, and waits
//   stubborn   as deaf, and ignores SIGTERM
//   ID         of BRAID_FAKE; BRAID_FAKE_STEPS: finishes after so many (default: never)
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "core/record/run_writer.h"

using namespace braid;

namespace {

std::atomic<bool> terminated{false};

int train(const std::string& path, const std::string& kind, long steps) {
    Result<std::unique_ptr<RunWriter>> opened = RunWriter::open(RunFolder(path));
    if (!opened) {
        std::fprintf(stderr, "%s\n", describe(opened.error()).c_str());
        return 1;
    }
    RunWriter& run = **opened;
    if (!run.begin_attempt(std::nullopt)) return 1;
    std::printf("training\n");
    std::fflush(stdout);
    for (long step = 1; step <= steps && !terminated; ++step) {
        run.append(Step(step), {{"loss", 1.0 / static_cast<double>(step)}});
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (kind != "obeys") continue;
        for (const InboxCommand& command : take_commands(run.folder()).commands) {
            run.command_received(command);
            run.command_acknowledged(command.id);
            if (command.kind != "stop") continue;
            run.command_done(command.id);
            return run.close(RunState::cancelled, "stopped").has_value() ? 0 : 1;
        }
    }
    return run.close(terminated ? RunState::cancelled : RunState::finished).has_value() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const char* kind = std::getenv("BRAID_FAKE");
    const char* steps = std::getenv("BRAID_FAKE_STEPS");
    const std::string what = kind != nullptr ? kind : "obeys";
    if (what == "fails") {
        std::fprintf(stderr, "first line\nno memory for the model\n");
        return 3;
    }
    if (what == "rank") {
        std::printf("rank %s of %s, local %s of %s, at %s:%s\n", std::getenv("RANK"),
                    std::getenv("WORLD_SIZE"), std::getenv("LOCAL_RANK"), std::getenv("LOCAL_WORLD_SIZE"),
                    std::getenv("MASTER_ADDR"), std::getenv("MASTER_PORT"));
        std::fflush(stdout);
        ::pause();
    }
    struct sigaction action {};
    action.sa_handler = [](int) { terminated = true; };
    ::sigaction(SIGTERM, &action, nullptr);
    if (what == "stubborn") ::signal(SIGTERM, SIG_IGN);
    if (count == 3 && std::string(arguments[1]) == "train")
        return train(arguments[2], what, steps != nullptr ? std::atol(steps) : 1'000'000);
    for (int i = 1; i < count; ++i) std::printf("[%s]\n", arguments[i]);
    return 0;
}
