// Turns what the run store holds into curves to draw: on the reader thread, new points only.
#pragma once

#include <map>
#include <set>
#include <string>

#include "widgets/common/run_view.h"

namespace braid::ui {

// The curves of one run. Belongs to the reader thread; what it hands out is immutable.
class RunCurves {
public:
    // Brings `view.curves` up to its record and its scores: appends, or begins anew where rows were
    // superseded (a resume).
    void update(RunView& view, const std::set<XAxis>& axes);
    // Steps done over seconds of training, for the ETA; null before anything was timed.
    CurvePtr stepOverTime(const RunView& view);

private:
    struct Line {
        CurvePtr curve = Curve::empty();
        std::size_t taken = 0;  // points of the series that were looked at
    };
    void append(Line& line, const RunView& view, const Series& series, XAxis axis) const;
    void forgetSuperseded(const RunView& view);

    std::uint64_t generation_ = 0;
    std::map<std::pair<XAxis, std::string>, Line> lines_;
    Line stepOverTime_;
};

}  // namespace braid::ui
