// fit: a scaling law through anybody's table.
#include <cmath>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/verbs/fit_options.h"
#include "app/engine/verbs/fit_output.h"
#include "app/engine/verbs/verbs.h"
#include "core/base/file.h"
#include "core/base/parse_number.h"

namespace braid::cli {
namespace {

struct FitVerbOptions : CommonFitOptions {
    std::string file, group, out;
    std::vector<std::string> columns, predictions;
    std::vector<double> flops;
    std::optional<double> alpha, beta;
};

// Options as values, or everything that is wrong with them.
struct Parsed {
    ScalingTableOptions table = {};
    ScalingReportOptions report = {};
};

Checked<Parsed> parse(const FitVerbOptions& options) {
    Parsed parsed;
    Diagnostics problems;
    parsed.table.group = options.group;
    ScalingFitOptions fit = options.fit(options.form);
    fit.alpha = options.alpha;
    fit.beta = options.beta;
    parsed.report = {
        .fit = fit, .group = options.group, .baseline = options.baseline, .flops = options.flops};
    const auto rules = [&](const std::vector<std::string>& texts, const char* name,
                           std::vector<RowRule>& into) {
        for (const std::string& text : texts) {
            Checked<RowRule> rule = parse_row_rule(text, name);
            if (rule)
                into.push_back(std::move(*rule));
            else
                problems.insert(problems.end(), rule.error().begin(), rule.error().end());
        }
    };
    rules(options.held_out, "--held-out", parsed.table.held_out);
    rules(options.excluded, "--exclude", parsed.table.excluded);
    for (const std::string& text : options.columns) {
        const std::size_t equals = text.find('=');
        const std::string role = text.substr(0, equals);
        std::string* title = role == "parameters" ? &parsed.table.parameters
                             : role == "tokens"   ? &parsed.table.tokens
                             : role == "loss"     ? &parsed.table.loss
                                                  : nullptr;
        if (title == nullptr || equals == std::string::npos || equals + 1 == text.size())
            problems.push_back({.path = "--column",
                                .rule = "must be parameters=TITLE, tokens=TITLE or loss=TITLE",
                                .found = text});
        else
            *title = text.substr(equals + 1);
    }
    for (const std::string& text : options.predictions) {
        const std::size_t comma = text.find(',');
        const auto parameters = parse_number(text.substr(0, comma));
        const auto tokens = comma == std::string::npos ? std::nullopt : parse_number(text.substr(comma + 1));
        if (parameters && tokens && *parameters > 0 && *tokens > 0 && std::isfinite(*parameters) &&
            std::isfinite(*tokens))
            parsed.report.predictions.emplace_back(*parameters, *tokens);
        else
            problems.push_back({.path = "--predict",
                                .rule = "must be two numbers above 0, PARAMETERS,TOKENS",
                                .found = text});
    }
    if (!options.baseline.empty() && options.group.empty())
        problems.push_back({.path = "--baseline", .rule = "needs --group COLUMN", .found = options.baseline});
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return parsed;
}

Result<void> fit(const FitVerbOptions& options) {
    const Checked<Parsed> parsed = parse(options);
    if (!parsed) return fail(to_error(parsed.error()));
    const Result<std::string> text = read_file(options.file);
    if (!text) return fail(text.error());
    Checked<CsvTable> csv = parse_csv(*text);
    if (!csv) return fail(to_error(csv.error(), options.file));
    Checked<ScalingTable> table = scaling_table(std::move(*csv), parsed->table);
    if (!table) return fail(to_error(table.error(), options.file));

    Progress progress(options.quiet);
    std::string stage;
    const Result<ScalingReport> made =
        make_scaling_report(std::move(*table), parsed->report,
                            {.progress = [&](double done) { progress.update(done, stage); },
                             .stop = &stop_requested(),
                             .threads = options.threads},
                            [&](const std::string& now) { stage = now; });
    if (!made) {
        Error error = made.error();
        if (error.kind == ErrorKind::invalid_input) error.path = options.file;
        return fail(std::move(error));
    }
    const ScalingReport& report = *made;

    for (const std::string& warning : warnings_of(report)) progress.say("warning: " + warning);
    for (const auto& [group, one] : report.predictions)
        if (!one.warning.empty())
            progress.say("warning: " + (group.empty() ? "" : group + ": ") + one.warning);
    if (!options.out.empty())
        if (Result<void> written = write_file_atomically(options.out, scaling_csv(report)); !written)
            return fail(written.error());
    if (options.json)
        print(fit_json(report));
    else
        print(options.latex ? scaling_latex(report) : fit_text(report));
    return {};
}

}  // namespace

void add_fit(CommandLine& line) {
    const auto options = std::make_shared<FitVerbOptions>();
    CLI::App& verb = line.verb(
        line.root(),
        {.name = "fit",
         .summary = "Scaling law through a table: parameters, tokens, loss",
         .example = "braid-engine fit losses.csv --held-out largest\n"
                    "braid-engine fit losses.csv --form chinchilla --json\n"
                    "braid-engine fit losses.csv --group architecture --baseline Full --held-out scale=S4 "
                    "--exclude \"scale=S1, tokens_per_parameter<=100: too little training\" --latex",
         .details =
             "FILE has a line of titles and the columns parameters (a number, without embeddings), tokens (a "
             "number, as they were seen) and loss (nats a token, such as validation loss or log LongPPL), in "
             "any order and case; others are kept. Every row that cannot be used is listed.\n\n"
             "power2 is L = a N^-alpha + b D^-beta, chinchilla adds E. The sum of the Huber function (delta "
             "0.001) of the log residuals is minimised from a grid of starts; intervals are percentiles over "
             "resamples of the points. With --group every value of that column gets a curve, and a test "
             "tells "
             "whether they share one. A RULE is COLUMN=VALUE (or != < <= > >=), several parted by commas; it "
             "may also ask for tokens_per_parameter and line, or be: largest."},
        [options] { return fit(*options); });
    verb.add_option("FILE", options->file, "Table with titles (CSV)")->required();
    options->form = "power2";
    add_common_fit_options(verb, *options, "Rows");
    verb.add_option("--group", options->group, "Column with a curve for each of its values")
        ->type_name("COLUMN");
    verb.add_option("--column", options->columns, "Title of a column that has another name: tokens=D")
        ->type_name("ROLE=TITLE")
        ->allow_extra_args(false);
    verb.add_option("--alpha", options->alpha, "Known exponent of the parameters")
        ->check(real_range(-10, 10));
    verb.add_option("--beta", options->beta, "Known exponent of the tokens")->check(real_range(-10, 10));
    verb.add_option("--predict", options->predictions, "Loss at a place; may be given again")
        ->type_name("PARAMETERS,TOKENS")
        ->allow_extra_args(false);
    verb.add_option("--flops", options->flops, "Best parameters and tokens for C = 6 N D; may be given again")
        ->check(real_range(1, 1e60))
        ->allow_extra_args(false);
    verb.add_option("--baseline", options->baseline,
                    "Value of --group: tokens that the others need for its losses")
        ->type_name("NAME");
    verb.add_option("--out", options->out, "The table with predicted, log_residual, use and reason")
        ->type_name("FILE.csv");
}

}  // namespace braid::cli
