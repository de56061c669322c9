#include "core/record/project.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

class ProjectTest : public ::testing::Test {
protected:
    void SetUp() override {
        Result<Project> made = Project::create(temporary_ / "project", "Laziness");
        ASSERT_TRUE(made.has_value()) << describe(made.error());
        project_.emplace(*made);
    }
    RunFolder finished_run(const std::string& name, double value) const {
        RunPlan plan = small_plan();
        plan.name = name;
        const RunFolder folder = project_->add_run(plan).value();
        auto run = RunWriter::open(folder).value();
        EXPECT_TRUE(run->begin_attempt(std::nullopt).has_value());
        run->append(Step(600), {{"recall/far", value}});
        EXPECT_TRUE(run->close(RunState::finished).has_value());
        return folder;
    }
    std::string index() const { return project_->folder() + "/index.db"; }

    TemporaryFolder temporary_;
    std::optional<Project> project_;
};

TEST_F(ProjectTest, IsFoundFromAnyFolderBelow) {
    const std::string deep = project_->folder() + "/runs/x/y";
    std::filesystem::create_directories(deep);
    EXPECT_EQ(Project::find(deep)->folder(), project_->folder());
    EXPECT_EQ(Project::find(deep)->title(), "Laziness");
    const auto none = Project::find(temporary_ / "elsewhere");
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().kind, ErrorKind::not_found);
    EXPECT_EQ(Project::create(project_->folder(), "again").error().kind, ErrorKind::already_exists);
}

TEST_F(ProjectTest, AFutureOrBrokenProjectSaysWhatIsWrong) {
    write_text(project_->folder() + "/project.json", R"({"schema_version": 42, "title": "x"})");
    EXPECT_NE(Project::open(project_->folder()).error().message.find("newer Braid"), std::string::npos);
    write_text(project_->folder() + "/project.json", "{");
    EXPECT_EQ(Project::open(project_->folder()).error().path, project_->folder() + "/project.json");
    write_text(project_->folder() + "/project.json",
               R"({"schema_version": 1, "title": "x", "note": "mine"})");
    EXPECT_TRUE(Project::open(project_->folder()).has_value()) << "notes of its owner are no problem";
}

TEST_F(ProjectTest, ListsItsDocumentsByName) {
    for (const char* name : {"b", "a", ".hidden"})
        write_text(project_->folder() + "/architectures/" + name + ".json", "{}");
    write_text(project_->folder() + "/architectures/notes.txt", "");
    const auto documents = project_->documents(DocumentKind::architecture);
    ASSERT_EQ(documents.size(), 2U);
    EXPECT_EQ(documents[0].name, "a");
    EXPECT_EQ(documents[0].file, project_->document_file(DocumentKind::architecture, "a"));
    EXPECT_TRUE(project_->documents(DocumentKind::figure).empty());
}

TEST_F(ProjectTest, RunsGetShortIdsThatNoToolTakesForANumber) {
    std::set<std::string> ids;
    for (int i = 0; i < 25; ++i) {
        const Result<RunFolder> folder = project_->add_run(small_plan());
        ASSERT_TRUE(folder.has_value()) << describe(folder.error());
        const std::string id = folder->name();
        EXPECT_EQ(id.size(), 4U);
        EXPECT_TRUE(id[0] >= 'a' && id[0] <= 'f') << id;
        EXPECT_EQ(folder->plan()->id.str(), id);
        ids.insert(id);
    }
    EXPECT_EQ(ids.size(), 25U);
    EXPECT_EQ(project_->runs().size(), 25U);
}

// Two processes that add runs at the same time never get the same folder.
TEST_F(ProjectTest, TwoProcessesAddRunsAtOnce) {
    constexpr int each = 12;
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            const Result<Project> project = Project::open(project_->folder());
            for (int k = 0; k < each; ++k)
                if (!project || !project->add_run(small_plan())) ::_exit(1);
            ::_exit(0);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        ::waitpid(pid, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(project_->runs().size(), 3U * each);
}

TEST_F(ProjectTest, TheIndexGivesTheSameAnswersAsTheFolders) {
    for (int i = 0; i < 5; ++i) finished_run("run " + std::to_string(i), i == 3 ? std::nan("") : i / 10.0);
    project_->add_run(small_plan()).value();
    const auto texts = [](const std::vector<RunEntry>& runs) {
        std::vector<std::string> lines;
        for (const RunEntry& run : runs) {
            const auto far = run.status.latest.find("recall/far");
            lines.push_back(run.id.str() + run.name + std::string(to_text(run.status.state)) +
                            std::to_string(run.status.step.value) + run.study.str() + run.status.started +
                            (far == run.status.latest.end() ? "" : std::to_string(far->second)));
        }
        return lines;
    };
    const auto first = texts(project_->runs());
    EXPECT_EQ(first.size(), 6U);
    EXPECT_TRUE(std::filesystem::exists(index()));
    EXPECT_EQ(texts(Project::open(project_->folder())->runs()), first) << "from index.db";
    std::filesystem::remove(index());
    EXPECT_EQ(texts(Project::open(project_->folder())->runs()), first) << "deleted";
    write_text(index(), std::string(10'000, 'x'));
    EXPECT_EQ(texts(Project::open(project_->folder())->runs()), first) << "damaged";
    {
        std::filesystem::remove(index());
        SQLite::Database foreign(index(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        foreign.exec("CREATE TABLE runs (a INTEGER); PRAGMA user_version = 77");
    }
    EXPECT_EQ(texts(Project::open(project_->folder())->runs()), first) << "of another version";
    SQLite::Database good(index());
    EXPECT_EQ(good.execAndGet("SELECT count(*) FROM runs").getInt(), 6) << "made anew";
}

TEST_F(ProjectTest, TheIndexNoticesAResume) {
    const RunFolder folder = finished_run("a", 0.5);
    EXPECT_EQ(project_->runs()[0].status.state, RunState::finished);
    auto run = RunWriter::open(folder).value();
    ASSERT_TRUE(run->begin_attempt(Step(600)).has_value());
    EXPECT_EQ(project_->runs()[0].status.state, RunState::running);
    run->append(Step(601), {{"recall/far", 0.75}});
    ASSERT_TRUE(run->close(RunState::failed, "out of memory").has_value());
    EXPECT_EQ(project_->runs()[0].status.state, RunState::failed);
    EXPECT_EQ(project_->runs()[0].status.latest.at("recall/far"), 0.75);
}

TEST_F(ProjectTest, OneBrokenRunHarmsNoOther) {
    finished_run("good", 0.5);
    const RunFolder bad_store = finished_run("bad store", 0.5);
    write_text(bad_store.database_file(), std::string(5'000, 'y'));
    const RunFolder bad_plan = finished_run("bad plan", 0.5);
    write_text(bad_plan.plan_file(), "{");
    const auto runs = project_->runs();
    ASSERT_EQ(runs.size(), 3U);
    int problems = 0;
    for (const RunEntry& run : runs) problems += run.problem ? 1 : 0;
    EXPECT_EQ(problems, 2);
    EXPECT_EQ(project_->find_run("good")->plan()->name, "good");
}

TEST_F(ProjectTest, RunsAreFoundByIdBeginningNameAndFolder) {
    const RunFolder folder = finished_run("swa-4", 1);
    EXPECT_EQ(project_->find_run(folder.name()).value(), folder);
    EXPECT_EQ(project_->find_run(folder.name().substr(0, 3)).value(), folder);
    EXPECT_EQ(project_->find_run("swa-4").value(), folder);
    EXPECT_EQ(project_->find_run(folder.path()).value(), folder);
    EXPECT_EQ(project_->find_run("zzz").error().kind, ErrorKind::not_found);
    EXPECT_EQ(project_->find_run("").error().kind, ErrorKind::invalid_input);
    for (int i = 0; i < 6; ++i) project_->add_run(small_plan()).value();
    // Seven ids over six first letters: one letter at least is ambiguous.
    bool ambiguous = false;
    for (const char* letter : {"a", "b", "c", "d", "e", "f"}) {
        const auto found = project_->find_run(letter);
        ambiguous = ambiguous || (!found && found.error().kind == ErrorKind::invalid_input);
    }
    EXPECT_TRUE(ambiguous);
}

TEST_F(ProjectTest, ARemovedRunCanBeRestoredAndAWorkingOneStays) {
    const RunFolder folder = finished_run("a", 1);
    {
        const auto run = RunWriter::open(folder).value();
        EXPECT_EQ(project_->remove_run(folder, Project::Removal::forever).error().kind, ErrorKind::busy);
    }
    const std::string trashed = project_->remove_run(folder, Project::Removal::to_trash).value();
    EXPECT_TRUE(project_->runs().empty());
    EXPECT_EQ(project_->restore_run(trashed).value(), folder);
    EXPECT_EQ(project_->runs()[0].status.state, RunState::finished);
    EXPECT_EQ(project_->remove_run(folder, Project::Removal::forever).value(), "");
    EXPECT_FALSE(std::filesystem::exists(folder.path()));
}

TEST_F(ProjectTest, AnExampleIsCopiedOnceWithoutItsRuns) {
    finished_run("a", 1);
    project_->runs();
    write_text(project_->document_file(DocumentKind::study, "laziness"), "{}");
    const std::string target = temporary_ / "data folder/laziness";
    const Result<Project> copy = Project::open_copy(project_->folder(), target);
    ASSERT_TRUE(copy.has_value()) << describe(copy.error());
    EXPECT_EQ(copy->title(), "Laziness");
    EXPECT_TRUE(copy->runs().empty());
    EXPECT_EQ(copy->documents(DocumentKind::study).size(), 1U);
    write_text(copy->document_file(DocumentKind::study, "mine"), "{}");
    EXPECT_EQ(Project::open_copy(project_->folder(), target)->documents(DocumentKind::study).size(), 2U)
        << "an existing copy is opened as it is";
    const std::string occupied = temporary_ / "occupied";
    write_text(occupied + "/thesis.tex", "x");
    EXPECT_EQ(Project::open_copy(project_->folder(), occupied).error().kind, ErrorKind::already_exists);
    EXPECT_EQ(Project::open_copy(temporary_ / "nothing", temporary_ / "n").error().kind,
              ErrorKind::not_found);
    EXPECT_FALSE(std::filesystem::exists(temporary_ / "n"));
}

TEST_F(ProjectTest, FiveHundredRunsAreListedQuickly) {
    const RunFolder first = finished_run("r", 1);
    const std::string store = read_text(first.database_file());
    const std::string plan = read_text(first.plan_file());
    for (int i = 1; i < 500; ++i) {  // as if copied here from a cluster
        const std::string folder = project_->folder() + "/runs/copy" + std::to_string(i);
        write_text(folder + "/plan.json", plan);
        write_text(folder + "/run.db", store);
    }
    const auto timed = [](const Project& project) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(project.runs().size(), 500U);
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    const Project cold = Project::open(project_->folder()).value();
    const double without = timed(cold);
    const double again = timed(cold);
    const double with = timed(Project::open(project_->folder()).value());
    std::printf("500 runs listed: %.0f ms from the folders, %.0f ms from index.db, %.0f ms again\n", without,
                with, again);
    EXPECT_LT(with, without);
}

}  // namespace
}  // namespace braid
