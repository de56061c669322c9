// Trains what is missing of a study, some runs at a time.
//
// Each run is a `braid-engine train runs/<id>` of its own, which outlives the runner in any case; the runner
// only starts and watches. So everything that controls a run controls it here too: a run that somebody pauses
// keeps its place, one that somebody stops is left alone until the next `study run`, one that somebody else
// started is waited for, one that is paused when the runner comes goes on. To control the study as a whole:
//   - from the window or another terminal: `study pause|resume|stop NAME`, which send the command to each run
//     (stop also ends the runner, by SIGTERM to the process named in studies/.NAME.lock);
//   - by SIGINT or SIGTERM to the runner: all its runs are stopped with their work saved, exit code 130.
// A runner that is killed loses nothing: the next one finds the runs, finished, working, or lost.
//
// Budgets that share a stable part are branches (core/engine/branch.h): a point waits for the checkpoint of
// the next smaller budget and goes on from it. An engine that dies without a word (killed, out of memory, a
// lost GPU) is started again from its last checkpoint, twice at most. A run for whose checkpoints there is no
// room on the disk is not started.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/engine/study/study_file.h"
#include "core/base/row_rule.h"

namespace braid::cli {

struct StudyRunOptions {
    // Runs at a time; 0: one a core on the CPU, on each GPU as many as its free memory holds, four at most.
    std::int64_t jobs = 0;
    std::string device = {};               // empty: as the study says
    std::vector<RowRule> only = {};        // points that hold any of these; empty: all
    std::vector<RowRule> first = {};       // these before the others
    std::vector<std::string> points = {};  // keys: only these; empty: all
    std::int64_t cores = 0;                // that may be used; 0: those of the machine
    // In a job of a cluster, which alone has its points: a run that says it works on another machine, but
    // that no engine holds, was lost with that machine.
    bool take_over = false;
    std::function<bool()> stop = {};  // whether all runs are to save and end
};

struct RunningPoint {
    std::string label;
    RunStatus status;
    std::int64_t steps = 0;
};

struct StudyProgress {
    std::size_t finished = 0;
    std::size_t points = 0;
    double fraction = 0;      // of all steps
    double seconds_left = 0;  // NaN before it can be told
    bool stopping = false;
    std::string note = {};  // "Slurm: 2 tasks work, 9 wait (Priority)"
    std::vector<RunningPoint> running = {};
};

struct StudyOutcome {
    std::size_t points = 0;  // asked for
    std::size_t finished = 0;
    std::size_t stopped = 0;  // by somebody
    std::vector<std::string> failures;
    bool interrupted = false;
};

// `progress` about five times a second, `message` for what happened. Needs the study's lock.
Result<StudyOutcome> run_study(const OpenedStudy& study, const StudyRunOptions& options,
                               const std::function<void(const StudyProgress&)>& progress,
                               const std::function<void(const std::string&)>& message);

}  // namespace braid::cli
