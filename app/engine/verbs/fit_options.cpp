#include "app/engine/verbs/fit_options.h"

#include "app/engine/cli/command_line.h"

namespace braid::cli {

ScalingFitOptions CommonFitOptions::fit(const std::string& law) const {
    return {.form = *scaling_form(law), .resamples = resamples, .level = level, .seed = seed};
}

void add_common_fit_options(CLI::App& verb, CommonFitOptions& options, const std::string& rows) {
    verb.add_option("--form", options.form, "Which law")
        ->check(CLI::IsMember({"power2", "chinchilla"}))
        ->capture_default_str();
    verb.add_option("--held-out", options.held_out, rows + " to predict, not to fit; may be given again")
        ->type_name("RULE")
        ->allow_extra_args(false);
    verb.add_option("--exclude", options.excluded, rows + " to leave out, with a reason; may be given again")
        ->type_name("RULE[: REASON]")
        ->allow_extra_args(false);
    verb.add_option("--resamples", options.resamples, "Of the bootstrap; 0: no intervals")
        ->capture_default_str()
        ->check(CLI::Range(0, 1'000'000));
    verb.add_option("--level", options.level, "Of the intervals")
        ->capture_default_str()
        ->check(real_range(0.01, 0.999));
    verb.add_option("--seed", options.seed, "Of the resamples")->capture_default_str();
    verb.add_option("--threads", options.threads, "0: all processors")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    CLI::Option* latex = verb.add_flag("--latex", options.latex, "Print LaTeX tables (booktabs)");
    add_json_option(verb, options.json);
    latex->excludes("--json");
    add_quiet_option(verb, options.quiet);
}

}  // namespace braid::cli
