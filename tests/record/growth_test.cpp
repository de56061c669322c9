#include "core/record/growth.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

std::string golden() { return std::string(std::getenv("BRAID_SOURCE_DIR")) + "/tests/golden/growth_v1.json"; }

TEST(Growth, FilesOfTheFirstVersionStillOpen) {
    const Result<GrowthRecord> record = read_growth(golden());
    ASSERT_TRUE(record) << describe(record.error());
    EXPECT_EQ(record->title, "NVIDIA H200");
    ASSERT_EQ(record->rows.size(), 3U);
    EXPECT_EQ(record->rows[0].step_ms(), 64);
    EXPECT_EQ(record->rows[0].tokens_per_s(), 1'024'000) << "16 x 4096 tokens in 64 ms";
    EXPECT_TRUE(record->rows[1].measured());
    EXPECT_FALSE(record->rows[2].measured());
    EXPECT_EQ(record->rows[2].tokens_per_s(), 0);
}

TEST(Growth, RoundTripOnDisk) {
    const TemporaryFolder folder;
    const GrowthRecord record = *read_growth(golden());
    ASSERT_TRUE(write_growth(folder / "growth.json", record));
    EXPECT_EQ(*read_growth(folder / "growth.json"), record);
}

TEST(Growth, EveryProblemIsNamed) {
    Json json = *read_json(golden());
    json["rows"][0]["update_ms"] = -1;
    json["rows"][1].erase("context");
    json["rows"][1]["speed"] = 3;
    json["rows"][2]["problem"] = "";
    const Checked<GrowthRecord> record = growth_from_json(json);
    ASSERT_FALSE(record);
    const std::string text = to_error(record.error()).message;
    for (const char* place : {"rows[0].update_ms", "rows[1].context", "rows[1].speed", "rows[2].forward_ms"})
        EXPECT_NE(text.find(place), std::string::npos) << text;
    json["schema_version"] = growth_schema_version + 1;
    EXPECT_EQ(growth_from_json(json).error().size(), 1U);
    EXPECT_FALSE(growth_from_json(Json::array()));
    EXPECT_EQ(read_growth("nowhere.json").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace braid
