// The options that `fit` and `study fit` have in common.
#pragma once

#include <CLI/CLI.hpp>

#include "core/analysis/scaling_fit.h"

namespace braid::cli {

struct CommonFitOptions {
    std::string form, baseline;
    std::vector<std::string> held_out, excluded;
    double level = 0.9;
    int resamples = 1000;
    std::uint64_t seed = 0;
    int threads = 0;
    bool json = false, latex = false, quiet = false;

    // The fit that they ask for, of a law of this form.
    ScalingFitOptions fit(const std::string& law) const;
};

// `rows`: what a rule picks, "Rows" or "Points". --form, --held-out, --exclude, --resamples, --level, --seed,
// --threads, --latex, --json, --quiet; --baseline is described by each verb.
void add_common_fit_options(CLI::App& verb, CommonFitOptions& options, const std::string& rows);

}  // namespace braid::cli
