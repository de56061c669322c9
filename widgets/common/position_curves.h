// Losses by position in the context as curves: what the score's chart shows on the screen and on paper.
#pragma once

#include <QString>

#include "core/analysis/curve.h"
#include "core/record/score.h"

namespace braid::ui {

// x is the number of tokens that the model has read, from 1: it stands on a log axis. `low` and `high` are
// the 95 % interval, mean -+ 1.96 standard errors over sequences; empty where no error is known.
struct PositionCurves {
    CurvePtr mean = Curve::empty();
    CurvePtr low = Curve::empty();
    CurvePtr high = Curve::empty();
    bool hasBand() const { return !low->is_empty(); }
};

PositionCurves lossByPosition(const LossSeries& series);
// This checkpoint minus the one it was scored against, paired; empty without one.
PositionCurves differenceByPosition(const LossSeries& series);

// The loss of that other one, at the same places; empty without one.
CurvePtr otherByPosition(const LossSeries& series);

inline constexpr double interval_errors = 1.96;  // half the 95 % interval, in standard errors
// "95 % interval over sequences"
QString positionBandText();

// What a score was taken against, as commands name it: "b7c0@2000"; empty: nothing.
std::string scoredAgainst(const ScoreRecord& record);

}  // namespace braid::ui
