#include "core/record/measurement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/record/run_copy.h"
#include "core/spec/measurement_kind.h"
#include "tests/record/run_fixture.h"

namespace braid {
namespace {

MeasurementRecord small_measurement(std::int64_t step = 400) {
    return {.kind = "heads",
            .created = "2026-02-03T04:05:06Z",
            .command = "braid-engine measure heads a91f --samples 8",
            .checkpoint = {.folder = "runs/a91f/checkpoints/step-00000400",
                           .run = "a91f",
                           .step = Step(step),
                           .architecture_hash = "00ff"},
            .settings = {{"seed", 42}, {"samples", 8}},
            .arrays = {{.name = "mass",
                        .axes = {{.name = "layer", .ticks = {0.0, 1.0}},
                                 {.name = "head", .ticks = {std::string("a"), std::string("b,c")}}},
                        .values = {0.25, 0.5, std::nan(""), std::nan("")},
                        .low = {0.2, 0.4, std::nan(""), std::nan("")},
                        .high = {0.3, 0.6, std::nan(""), std::nan("")},
                        .samples = {8},
                        .missing = "no attention"}},
            .summary = {{.name = "strongest head", .value = 0.5, .unit = ""}},
            .notes = {"The context is longer than that of the training."}};
}

TEST(Measurement, RoundTripOnDisk) {
    const TemporaryFolder folder;
    const Result<std::string> file = write_measurement(folder / "measurements", small_measurement());
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(std::filesystem::path(*file).filename().string().substr(0, 20), "step-00000400.heads-");
    const Result<MeasurementRecord> read = read_measurement(*file);
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(to_json(*read), to_json(small_measurement()));
    ASSERT_NE(read->find("mass"), nullptr);
    EXPECT_EQ(read->find("mass")->values[read->find("mass")->at(0, 1)], 0.5);
    EXPECT_TRUE(std::isnan(read->find("mass")->values[2]));
    EXPECT_EQ(read->find("entropy"), nullptr);
    ASSERT_TRUE(write_measurement(folder / "measurements", small_measurement()));
    ASSERT_TRUE(write_measurement(folder / "measurements", small_measurement(200)));
    std::ofstream(folder / "measurements/broken.json") << "{";
    const MeasurementList list = read_measurements(folder / "measurements");
    ASSERT_EQ(list.records.size(), 2U) << "the same settings replace the file";
    EXPECT_EQ(list.records[0].checkpoint.step.value, 200);
    EXPECT_EQ(list.problems.size(), 1U);
    EXPECT_TRUE(read_measurements(folder / "nowhere").problems.empty());
}

TEST(Measurement, FilesOfTheFirstSchemaStillOpen) {
    const std::string source = std::getenv("BRAID_SOURCE_DIR");
    const auto read = read_measurement(source + "/tests/golden/measurement_v1.json");
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(to_json(*read), to_json(small_measurement()));
}

TEST(Measurement, AllProblemsAtOnce) {
    Json json = to_json(small_measurement());
    json["kind"] = "horoscope";
    json["colour"] = 1;
    json["arrays"][0]["values"].push_back("high");
    json["arrays"][0]["axes"][0]["ticks"][1] = nullptr;
    json["arrays"].push_back(to_json(small_measurement())["arrays"][0]);
    json["arrays"][1]["low"].push_back(1);
    json["arrays"][1]["samples"] = {1, 2};
    json["notes"][0] = 7;
    json["checkpoint"]["step"] = -1;
    const auto read = measurement_from_json(json);
    ASSERT_FALSE(read);
    std::string all;
    for (const Diagnostic& problem : read.error()) all += problem.message() + "\n";
    for (const char* place :
         {"kind: must be one of restrict, probe", "colour: is not a known key",
          "arrays[0].values[4]: must be a number or null", "arrays[0].axes[0].ticks[1]: must be a number",
          "arrays[1].low: must have as many entries as the axes give (4), got 5",
          "arrays[1].samples: must have as many", "arrays[1].name: must be different", "notes[0]: must be a",
          "checkpoint.step: must be at least 0"})
        EXPECT_NE(all.find(place), std::string::npos) << place << "\n" << all;
    EXPECT_EQ(read.error().size(), 9U) << all;
}

// Every value of a record replaced by every kind of value: an answer or problems, never a crash.
TEST(Measurement, HostileFilesGiveProblems) {
    const Json good = to_json(small_measurement());
    const std::vector<Json> evil = {
        nullptr,   true, -1, 1e300, "\xff", Json::array({Json::object()}), Json::object({{"a", 1}}),
        UINT64_MAX};
    const Json places = good.flatten();
    for (const auto& [place, ignored] : places.items())
        for (const Json& value : evil) {
            Json bad = good;
            bad[Json::json_pointer(place)] = value;
            const auto read = measurement_from_json(bad);
            if (!read) {
                EXPECT_FALSE(read.error().empty()) << place;
            }
        }
}

TEST(Measurement, CsvHasARowForEachValue) {
    EXPECT_EQ(csv(small_measurement().arrays[0]),
              "layer,head,mass,low,high,samples\n"
              "0,a,0.25,0.2,0.3,8\n"
              "0,\"b,c\",0.5,0.4,0.6,8\n"
              "1,a,,,,8\n"
              "1,\"b,c\",,,,8\n");
}

TEST(MeasurementKinds, AreDescribedOnce) {
    ASSERT_EQ(measurements().size(), 11U);
    for (const MeasurementKind* kind : measurements()) {
        EXPECT_EQ(find_measurement(kind->id), kind);
        EXPECT_FALSE(kind->title.empty() || kind->help.empty() || kind->citation.empty() ||
                     kind->figure.empty())
            << kind->id;
        for (const ParameterDescription& parameter : kind->parameters)
            EXPECT_FALSE(check_parameter(parameter, parameter.default_value, parameter.key))
                << kind->id << "." << parameter.key;
    }
    EXPECT_EQ(find_measurement("horoscope"), nullptr);
}

TEST_F(RunTest, ACopyOfARunTakesItsMeasurementsAlong) {
    ASSERT_TRUE(write_measurement(folder_.measurements_folder(), small_measurement()));
    const auto copy = copy_run(folder_, temporary_ / "copy", false);
    ASSERT_TRUE(copy) << describe(copy.error());
    EXPECT_EQ(read_measurements(*copy).records.size(), 1U);
}

}  // namespace
}  // namespace braid
