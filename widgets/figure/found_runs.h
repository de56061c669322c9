// The runs that a figure's description names, on their way into it: what every kind of figure reads first.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/record/project.h"
#include "widgets/common/run_view.h"
#include "widgets/figure/figure_data.h"

namespace braid::ui {

struct FoundRun {
    RunView view;
    std::string series;     // label: the variant of a study, or the run's name
    std::size_t order = 0;  // of its series
};

// Runs of a study, newest of each point, in the order of its variants; or those that are named. They are
// described in data.runs, in the same order; what is missing or cannot be read goes into the notes. `axes`:
// those of the curves that are wanted.
std::vector<FoundRun> find_runs(const Project& project, const FigureSpec& spec, const std::set<XAxis>& axes,
                                FigureData& data);

// Where no run has what is to be drawn: the notes say why of each, `hint` what to do.
tl::unexpected<Error> nothing_to_draw(const FigureData& data, const std::string& project_folder,
                                      const std::string& hint);

// The run's score of this kind that the panel means: of its step and its settings, where it says which, else
// the last; null where none `fits`.
const ScoreRecord* find_score(const FoundRun& run, const FigurePanel& panel, const std::string& kind,
                              const std::function<bool(const ScoreRecord&)>& fits);

}  // namespace braid::ui
