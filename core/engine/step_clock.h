// Time spent in training, without pauses, evaluations and checkpoints; speed; time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace braid {

class StepClock {
public:
    // Training seconds of earlier attempts.
    void continue_from(double seconds) { seconds_ = earlier_seconds_ = seconds; }

    void begin_step();
    void end_step(std::int64_t tokens);  // begin_step() .. end_step() counts
    void hold();                         // a pause begins, in or between steps
    void release();

    double seconds() const { return seconds_; }               // training, all attempts
    double step_tokens_per_s() const { return step_speed_; }  // of the last step
    double recent_tokens_per_s() const;                       // of the last five seconds
    double attempt_tokens_per_s() const;
    // From the time that steps took so far, evaluations and checkpoints included; NaN before the third step.
    double seconds_left(std::int64_t steps) const;

private:
    using Clock = std::chrono::steady_clock;
    struct Done {
        Clock::time_point at;
        double seconds = 0;
        std::int64_t tokens = 0;
    };
    static double seconds_between(Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    }

    double earlier_seconds_ = 0;
    double seconds_ = 0;
    double step_speed_ = 0;
    double held_in_step_ = 0;
    double held_ = 0;
    std::int64_t tokens_ = 0;
    std::int64_t steps_ = 0;
    Clock::time_point step_began_{};
    Clock::time_point hold_began_{};
    Clock::time_point first_began_{};
    std::deque<Done> recent_;
};

}  // namespace braid
