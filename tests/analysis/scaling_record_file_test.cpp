#include "core/analysis/scaling_record.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace braid {
namespace {

std::string golden() {
    return std::string(std::getenv("BRAID_SOURCE_DIR")) + "/tests/golden/scaling_record_v1.json";
}

TEST(ScalingRecordFile, FilesOfTheFirstVersionStillOpen) {
    const Result<ScalingRecord> record = read_scaling_record(golden());
    ASSERT_TRUE(record) << describe(record.error());
    EXPECT_EQ(record->study, "grid");
    EXPECT_EQ(record->metric, "loss");
    ASSERT_EQ(record->report.fits.size(), 2u);
    const ScalingFit& fit = record->report.fits.front();
    EXPECT_EQ(fit.group, "Full");
    EXPECT_EQ(fit.fitted, 6u);
    EXPECT_EQ(fit.resampled.size(), 6u);
    ASSERT_EQ(fit.residuals.size(), 6u);
    // What was kept is what the curve says.
    for (const ScalingResidual& row : fit.residuals)
        EXPECT_NEAR(row.predicted, fit.curve.loss(row.point.parameters, row.point.tokens), 1e-12);
    EXPECT_TRUE(predict(fit, 2e5, 2e5).interval);
    EXPECT_EQ(record->report.profiles.size(), 4u);
}

TEST(ScalingRecordFile, OfANewerVersionIsOneSentence) {
    Json json = *read_json(golden());
    for (const char* key : {"schema_version", "version"})
        if (json.contains(key)) json[key] = scaling_record_version + 1;
    const Checked<ScalingRecord> record = scaling_record_from_json(json);
    ASSERT_FALSE(record);
    EXPECT_EQ(record.error().size(), 1u);
}

}  // namespace
}  // namespace braid
