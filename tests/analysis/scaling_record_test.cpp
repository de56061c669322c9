// Fits as files of a project: everything comes back, nonsense is refused.
#include "core/analysis/scaling_record.h"

#include <gmock/gmock.h>

#include "tests/analysis/scaling_samples.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

ScalingRecord sample() {
    CsvTable csv{.titles = {"curve", "parameters", "tokens", "loss"}};
    for (const char* group : {"Full", "Window"})
        for (const ScalingPoint& point : testing::sample_points(testing::published_curve(ScalingForm::power2),
                                                                {.noise = 0.01, .seed = 3, .group = group}))
            csv.rows.push_back({.line = csv.rows.size() + 2,
                                .cells = {group, std::to_string(point.parameters),
                                          std::to_string(point.tokens), std::to_string(point.loss)}});
    const ScalingTableOptions columns{.group = "curve",
                                      .held_out = {*parse_row_rule("largest", "")},
                                      .excluded = {*parse_row_rule("tokens<4e8: too early", "")}};
    const Checked<ScalingTable> table = scaling_table(csv, columns);
    EXPECT_TRUE(table);
    Result<ScalingReport> report = make_scaling_report(
        *table, {.fit = {.resamples = 20}, .group = "curve", .baseline = "Full", .profile_points = 5});
    EXPECT_TRUE(report) << describe(report.error());
    return {.study = "grid",
            .metric = "eval/loss",
            .created = "2026-01-01T00:00:00Z",
            .command = "braid-engine study fit grid",
            .left_out = {"Full, S1, 100N, seed 1 is planned"},
            .report = *std::move(report)};
}

TEST(ScalingRecord, EverythingComesBack) {
    const TemporaryFolder folder;
    const ScalingRecord record = sample();
    const std::string file = scaling_record_file(folder.path(), "grid", "eval/loss");
    ASSERT_TRUE(write_scaling_record(file, record));
    const Result<ScalingRecord> read = read_scaling_record(file);
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(to_json(*read).dump(), to_json(record).dump());
    const ScalingReport& a = record.report;
    const ScalingReport& b = read->report;
    EXPECT_EQ(b.table.points, a.table.points);
    ASSERT_EQ(b.gains.size(), a.gains.size());
    EXPECT_FALSE(a.gains.empty());
    EXPECT_EQ(b.gains[0].gain.gain, a.gains[0].gain.gain) << "made again from the curves, bit for bit";
    EXPECT_EQ(predict(b.fits[1], 1e9, 1e11).interval, predict(a.fits[1], 1e9, 1e11).interval);
    EXPECT_EQ(b.profiles, a.profiles);
    EXPECT_EQ(scaling_latex(b), scaling_latex(a));
    EXPECT_EQ(scaling_csv(b), scaling_csv(a));
    EXPECT_EQ(scaling_records(folder.path(), "grid").size(), 1U);
}

TEST(ScalingRecord, ProfilesAreLowestAtTheBestValue) {
    const ScalingRecord record = sample();
    ASSERT_EQ(record.report.profiles.size(), 4U);
    for (const ScalingProfile& profile : record.report.profiles) {
        ASSERT_EQ(profile.values.size(), 5U);
        EXPECT_GT(profile.deviance.front(), profile.deviance[2]);
        EXPECT_GT(profile.deviance.back(), profile.deviance[2]);
    }
}

TEST(ScalingRecord, EveryProblemAtItsPlace) {
    Json json = to_json(sample());
    json["fits"][0]["curve"] = {1, 2};
    json["fits"][1]["residuals"][3]["use"] = "thrown away";
    json["comparison"]["models"].erase(0);
    json["table"]["rows"][0].push_back("one more");
    json["options"]["form"] = "cubic";
    json["colour"] = 1;
    const Checked<ScalingRecord> read = scaling_record_from_json(json);
    ASSERT_FALSE(read);
    std::string all;
    for (const Diagnostic& each : read.error()) all += each.message() + "\n";
    for (const char* place : {"fits[0].curve", "fits[1].residuals[3].use", "comparison.models",
                              "table.rows[0]", "options.form", "colour"})
        EXPECT_THAT(all, ::testing::HasSubstr(place));
    json["schema_version"] = 99;
    EXPECT_EQ(scaling_record_from_json(json).error().size(), 1U);
}

}  // namespace
}  // namespace braid
