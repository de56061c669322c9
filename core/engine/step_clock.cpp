#include "core/engine/step_clock.h"

#include <algorithm>
#include <limits>

namespace braid {
namespace {

constexpr double recent_seconds = 5;
constexpr double shortest_step = 1e-9;

}  // namespace

void StepClock::begin_step() {
    step_began_ = Clock::now();
    if (steps_ == 0) first_began_ = step_began_;
    held_in_step_ = 0;
}

void StepClock::end_step(std::int64_t tokens) {
    const Clock::time_point now = Clock::now();
    const double spent = std::max(shortest_step, seconds_between(step_began_, now) - held_in_step_);
    seconds_ += spent;
    tokens_ += tokens;
    ++steps_;
    step_speed_ = static_cast<double>(tokens) / spent;
    recent_.push_back({.at = now, .seconds = spent, .tokens = tokens});
    while (recent_.size() > 1 && seconds_between(recent_.front().at, now) > recent_seconds)
        recent_.pop_front();
}

void StepClock::hold() { hold_began_ = Clock::now(); }

void StepClock::release() {
    const double held = seconds_between(hold_began_, Clock::now());
    held_in_step_ += held;
    held_ += held;
}

double StepClock::recent_tokens_per_s() const {
    double spent = 0;
    std::int64_t tokens = 0;
    for (const Done& done : recent_) {
        spent += done.seconds;
        tokens += done.tokens;
    }
    return spent > 0 ? static_cast<double>(tokens) / spent : 0;
}

double StepClock::attempt_tokens_per_s() const {
    const double spent = seconds_ - earlier_seconds_;
    return spent > 0 ? static_cast<double>(tokens_) / spent : 0;
}

double StepClock::seconds_left(std::int64_t steps) const {
    if (steps_ < 3) return std::numeric_limits<double>::quiet_NaN();
    const double spent = seconds_between(first_began_, Clock::now()) - held_;
    return spent / static_cast<double>(steps_) * static_cast<double>(steps);
}

}  // namespace braid
