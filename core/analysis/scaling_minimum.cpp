#include "core/analysis/scaling_minimum.h"

#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>
#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "core/analysis/parallel.h"

namespace braid {
namespace {

class CostFunction final : public ceres::FirstOrderFunction {
public:
    CostFunction(const ScalingObjective& objective, std::span<const double> weights)
        : objective_(objective), weights_(weights) {}

    bool Evaluate(const double* const theta, double* cost, double* gradient) const override {
        // In units of delta: the sum of the |r| where they are large, so that Ceres' limits mean something.
        const double scale = 1 / objective_.delta();
        *cost = scale * objective_.evaluate(theta, weights_, gradient, room_);
        if (gradient != nullptr)
            for (int i = 0; i < NumParameters(); ++i) gradient[i] *= scale;
        return std::isfinite(*cost);
    }
    int NumParameters() const override { return static_cast<int>(objective_.size()); }

private:
    const ScalingObjective& objective_;
    std::span<const double> weights_;
    mutable ScalingObjective::Workspace room_;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

// Ceres tells of every kink that its line search meets, on stderr, whatever Options::logging_type says.
void silence_ceres() {
    static const bool silent = [] {
        FLAGS_minloglevel = google::GLOG_FATAL;
        return true;
    }();
    (void)silent;
}

}  // namespace

ScalingMinimum minimise(const ScalingObjective& objective, std::span<const double> weights,
                        std::vector<double> start, Effort effort) {
    silence_ceres();
    const ceres::GradientProblem problem(new CostFunction(objective, weights));  // takes it over
    ceres::GradientProblemSolver::Options options;
    options.logging_type = ceres::SILENT;
    options.max_num_iterations = effort == Effort::quick ? 150 : 1000;
    options.function_tolerance = effort == Effort::quick ? 1e-7 : 1e-15;
    options.parameter_tolerance = effort == Effort::quick ? 1e-7 : 1e-13;
    options.gradient_tolerance = 1e-12;
    ScalingMinimum minimum{.theta = std::move(start)};
    // A search that ends at a kink of the function goes on from there with a fresh direction.
    double before = 0;
    for (int round = 0; round < (effort == Effort::quick ? 1 : 6); ++round) {
        ceres::GradientProblemSolver::Summary summary;
        ceres::Solve(options, problem, minimum.theta.data(), &summary);
        minimum.value = summary.final_cost * objective.delta();
        minimum.converged = summary.termination_type == ceres::CONVERGENCE;
        if (round > 0 && minimum.value >= before * (1 - 1e-12)) {
            minimum.converged = true;
            break;
        }
        before = minimum.value;
    }
    return minimum;
}

std::vector<ScalingCurve> start_grid(ScalingForm form, std::optional<double> alpha,
                                     std::optional<double> beta) {
    const std::vector<double> exponents = {0, 0.5, 1, 1.5, 2};
    const std::vector<double> logs = {0, 5, 10, 15, 20, 25};
    const std::vector<double> alphas = alpha ? std::vector<double>{*alpha} : exponents;
    const std::vector<double> betas = beta ? std::vector<double>{*beta} : exponents;
    const std::vector<double> es =
        form == ScalingForm::chinchilla ? std::vector<double>{-1, -0.5, 0, 0.5, 1} : std::vector<double>{0};
    std::vector<ScalingCurve> grid;
    for (const double first : alphas)
        for (const double second : betas)
            for (const double e : es)
                for (const double a : logs)
                    for (const double b : logs)
                        grid.push_back({.log_a = a,
                                        .alpha = first,
                                        .log_b = b,
                                        .beta = second,
                                        .irreducible = form == ScalingForm::chinchilla ? std::exp(e) : 0.0});
    return grid;
}

std::vector<ScalingMinimum> find_minima(const ScalingObjective& objective,
                                        std::span<const std::vector<double>> starts, std::size_t keep,
                                        const FitWatch& watch) {
    std::vector<ScalingMinimum> ends(starts.size());
    std::mutex mutex;
    std::size_t done = 0;
    const bool finished = parallel_for(
        starts.size(), watch.threads,
        [&](std::size_t i, int) {
            ends[i] = minimise(objective, {}, starts[i], Effort::quick);
            if (!watch.progress) return;
            const std::lock_guard lock(mutex);
            watch.progress(static_cast<double>(++done) / static_cast<double>(starts.size()));
        },
        watch.stop);
    if (!finished) return {};
    std::vector<std::size_t> order(ends.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return ends[i].value < ends[j].value; });
    // Ends that lie beside one already taken, or beside where it came from, lead to the same minimum.
    constexpr double same_valley = 0.1;
    constexpr double same_minimum = 1e-3;
    constexpr int most_tries = 16;
    std::vector<ScalingMinimum> minima;
    std::vector<std::vector<double>> seen;
    int tries = 0;
    for (const std::size_t i : order) {
        if (tries == most_tries || watch.stopped()) break;
        const auto near = [&](const std::vector<double>& theta) {
            return distance(theta, ends[i].theta) < same_valley;
        };
        if (!std::isfinite(ends[i].value) || std::any_of(seen.begin(), seen.end(), near)) continue;
        ++tries;
        ScalingMinimum exact = minimise(objective, {}, ends[i].theta, Effort::exact);
        seen.push_back(ends[i].theta);
        seen.push_back(exact.theta);
        const auto same = [&](const ScalingMinimum& other) {
            return distance(other.theta, exact.theta) < same_minimum;
        };
        if (std::none_of(minima.begin(), minima.end(), same)) minima.push_back(std::move(exact));
    }
    std::stable_sort(minima.begin(), minima.end(),
                     [](const ScalingMinimum& a, const ScalingMinimum& b) { return a.value < b.value; });
    if (minima.size() > keep) minima.resize(keep);
    return minima;
}

ScalingMinimum best_minimum(const ScalingObjective& objective, std::span<const double> weights,
                            std::span<const std::vector<double>> starts) {
    ScalingMinimum best;
    for (const std::vector<double>& start : starts) {
        ScalingMinimum end = minimise(objective, weights, start, Effort::exact);
        if (best.theta.empty() || end.value < best.value) best = std::move(end);
    }
    return best;
}

}  // namespace braid
