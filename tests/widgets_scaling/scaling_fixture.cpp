#include "tests/widgets_scaling/scaling_fixture.h"

#include <map>

#include "core/analysis/scaling_record.h"

namespace braid::ui {

void ScalingTest::fitStudy(const std::string& metric, int resamples) {
    const std::vector<StudyRun> runs = runs_of_study(fixture_.project(), spec_.name);
    const StudyState state = match_runs(spec_, plannedOf(spec_), runs, builtin_mixers(), true);
    CsvTable table = study_table(spec_, state);
    const std::size_t column = *table.column("state");
    std::erase_if(table.rows, [&](const CsvRow& row) { return row.cells[column] != "finished"; });
    ScalingTableOptions options{.loss = metric, .group = "curve"};
    for (const std::string& rule : spec_.fit.held_out) options.held_out.push_back(*parse_row_rule(rule, ""));
    for (const std::string& rule : spec_.fit.excluded) options.excluded.push_back(*parse_row_rule(rule, ""));
    Checked<ScalingTable> points = scaling_table(std::move(table), options);
    ASSERT_TRUE(points.has_value()) << describe(to_error(points.error()));
    // The same study fits alike in every test; only the ids of its runs differ.
    static std::map<std::string, ScalingReport> known;
    const std::string key = to_json(spec_).dump() + metric + std::to_string(points->points.size());
    if (!known.contains(key)) {
        Result<ScalingReport> made = make_scaling_report(
            *points,
            {.fit = {.resamples = resamples}, .group = "curve", .baseline = "Full", .profile_points = 7});
        ASSERT_TRUE(made.has_value()) << describe(made.error());
        known.emplace(key, *std::move(made));
    }
    ScalingReport report = known.at(key);
    report.table = *std::move(points);
    ScalingRecord record{.study = spec_.name,
                         .metric = metric,
                         .created = "2026-03-05T00:00:00Z",
                         .command = "braid-engine study fit grid"};
    record.report = std::move(report);
    ASSERT_TRUE(
        write_scaling_record(scaling_record_file(fixture_.project().folder(), spec_.name, metric), record)
            .has_value());
}

}  // namespace braid::ui
