// What a project remembers of jobs that it has submitted.
#include "core/record/study_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As version 1 wrote it; must be readable for ever.
constexpr const char* version_1 = R"({"schema_version": 1, "submissions": [
    {"number": 1, "scheduler": "slurm", "name": "braid-main-1-0a1b2c", "job": "4711", "device": "cuda",
     "submitted": "2026-11-30T12:00:00Z", "over": true, "tasks": [["full/seed=1/d=20", "full/seed=1/d=50"]]},
    {"number": 2, "scheduler": "slurm", "name": "braid-main-2-d3e4f5", "job": "", "device": "cpu",
     "submitted": "2026-11-30T13:00:00Z", "over": false, "tasks": [["swa/seed=1"], ["swa/seed=2"]]}]})";

std::string problems_of(const std::string& text) {
    const Checked<StudyJobs> jobs = study_jobs_from_json(Json::parse(text));
    EXPECT_FALSE(jobs.has_value()) << text;
    std::string all;
    if (!jobs)
        for (const Diagnostic& problem : jobs.error()) all += problem.message() + "\n";
    return all;
}

TEST(StudyJobs, ReadsWhatVersion1Wrote) {
    const Checked<StudyJobs> jobs = study_jobs_from_json(Json::parse(version_1));
    ASSERT_TRUE(jobs) << to_error(jobs.error()).message;
    ASSERT_EQ(jobs->submissions.size(), 2U);
    EXPECT_EQ(jobs->find(1)->job, "4711");
    EXPECT_THAT(jobs->find(1)->tasks, ElementsAre(ElementsAre("full/seed=1/d=20", "full/seed=1/d=50")));
    EXPECT_EQ(jobs->open().size(), 1U);
    EXPECT_EQ(jobs->open()[0]->number, 2);
    EXPECT_EQ(jobs->find(3), nullptr);
    EXPECT_EQ(study_jobs_from_json(to_json(*jobs)).value(), *jobs);
}

TEST(StudyJobs, NamesEveryProblem) {
    const std::string problems = problems_of(
        R"({"schema_version": 1, "submissions": [{"number": 0, "name": 3, "tasks": [[], ["a", "a"], 7], "x": 1},
            5, {"number": 1, "name": "n", "tasks": "t"}]})");
    for (const char* part :
         {"submissions[0].number: must be at least 1", "submissions[0].name: must be a text",
          "submissions[0].tasks[0]: must be a list of points",
          "submissions[0].tasks[1]: must not repeat a point", "submissions[0].tasks[2]",
          "submissions[0].x: is not a known key", "submissions[1]: must be an object",
          "submissions[2].tasks: must be a list of lists"})
        EXPECT_THAT(problems, HasSubstr(part));
    EXPECT_THAT(problems_of(R"({"schema_version": 2, "submissions": 5})"), HasSubstr("newer Braid"));
    EXPECT_THAT(problems_of("[]"), HasSubstr("must be an object"));
    EXPECT_THAT(
        problems_of(R"({"schema_version": 1, "submissions": [{"number": 1, "name": "a", "tasks": [["k"]]},
                                {"number": 1, "name": "b", "tasks": [["k"]]}]})"),
        HasSubstr("must differ"));
}

TEST(StudyJobs, KeepsTheOpenOnesAndTheLastThatAreOver) {
    const TemporaryFolder place;
    EXPECT_TRUE(read_study_jobs(place.path(), "main").value().submissions.empty())
        << "no file: nothing submitted";
    StudyJobs jobs;
    for (std::int64_t i = 1; i <= 60; ++i)
        jobs.submissions.push_back(
            {.number = i, .scheduler = "slurm", .name = "n", .over = i != 3, .tasks = {{"a"}}});
    ASSERT_TRUE(write_study_jobs(place.path(), "main", jobs));
    const StudyJobs read = read_study_jobs(place.path(), "main").value();
    EXPECT_EQ(read.submissions.size(), 21U);
    EXPECT_NE(read.find(3), nullptr) << "open";
    EXPECT_EQ(read.find(4), nullptr);
    EXPECT_NE(read.find(60), nullptr);
    std::ofstream(jobs_file(place.path(), "main")) << "{";
    const auto broken = read_study_jobs(place.path(), "main");
    ASSERT_FALSE(broken);
    EXPECT_THAT(describe(broken.error()), HasSubstr("main.json"));
}

}  // namespace
}  // namespace braid
