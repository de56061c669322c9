// The run controller with an engine that is a shell script: it starts, outlives, is found again, is missing.
#include <signal.h>
#include <sys/stat.h>

#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "app/workbench/command_text.h"
#include "app/workbench/run_controller.h"
#include "app/workbench/start_project.h"
#include "core/record/inbox.h"
#include "core/spec/paper_recipe.h"
#include "core/spec/phases.h"
#include "tests/widgets_common/project_fixture.h"
#include "widgets/common/run_list_model.h"

namespace braid::ui {
namespace {

class Controller : public testing::Test {
protected:
    void SetUp() override {
        script_ = QString::fromStdString(scripts_ / "braid-engine");
        write_text(script_.toStdString(),
                   "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/calls\"\ntrap 'exit 130' TERM\n"
                   "n=0; while [ $n -lt 300 ] && [ ! -e \"$(dirname \"$0\")/end\" ]; do n=$((n+1)); sleep "
                   "0.05; done\n");
        chmod(script_.toLocal8Bit().constData(), 0755);
        qputenv("BRAID_ENGINE", script_.toLocal8Bit());
        fixture_.addStudy("laziness");
    }
    void TearDown() override {
        write_text(scripts_ / "end", "");
        QTest::qWait(150);
        qunsetenv("BRAID_ENGINE");
    }
    bool open(ProjectSession& session) {
        QSignalSpy opened(&session, &ProjectSession::opened);
        session.open(fixture_.folder());
        return waitFor([&] { return opened.count() > 0; });
    }
    std::string calls() const { return read_text(scripts_ / "calls"); }
    int starts() const {
        const std::string lines = calls();
        return int(std::count(lines.begin(), lines.end(), '\n'));
    }

    TemporaryFolder scripts_;
    QString script_;
    ProjectFixture fixture_;
};

TrainingPlan smallPlan() {
    TrainingPlan plan;
    plan.name = QStringLiteral("my run");
    plan.architecture = architectureOf("FS[w=4] x2", "base");
    plan.training.steps = 40;
    plan.training.warmup_steps = 4;
    return plan;
}

TEST_F(Controller, StartsARunInItsOwnProcessAndQueuesTheNext) {
    ProjectSession session;
    RunController controller(session);
    ASSERT_TRUE(open(session));
    QSignalSpy started(&controller, &RunCommands::started), failed(&controller, &RunCommands::failed);
    controller.startTraining(smallPlan());
    controller.startTraining(smallPlan());
    ASSERT_TRUE(waitFor([&] { return started.count() == 2 && session.runs()->rowCount() == 2; }));
    ASSERT_TRUE(waitFor([&] { return !calls().empty(); }))
        << (failed.empty() ? "" : describe(failed.front().front().value<Error>()));
    QTest::qWait(400);
    EXPECT_EQ(starts(), 1) << "one at a time: " << calls();
    EXPECT_EQ(calls().substr(0, 6), "train ");
    EXPECT_EQ(session.runs()->at(0)->plan->training.steps, 40);
    // The one that waits is taken out of the queue, no engine is asked.
    const std::string first = calls();
    controller.setJobs(2);
    ASSERT_TRUE(waitFor([&] { return starts() == 2; })) << calls();
    EXPECT_EQ(failed.count(), 0);
}

TEST_F(Controller, APlanThatBreaksARuleMakesNoRun) {
    ProjectSession session;
    RunController controller(session);
    ASSERT_TRUE(open(session));
    QSignalSpy failed(&controller, &RunCommands::failed);
    TrainingPlan plan = smallPlan();
    plan.training.warmup_steps = 50;
    plan.architecture.kv_heads = 3;
    controller.startTraining(plan);
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
    const std::string message = failed.front().front().value<Error>().message;
    EXPECT_NE(message.find("warm-up"), std::string::npos) << message;
    EXPECT_NE(message.find("kv_heads"), std::string::npos) << message;
    EXPECT_TRUE(fixture_.project().runs().empty());
}

TEST_F(Controller, CommandsGoToTheInbox) {
    const RunFolder folder = fixture_.addRun("live");
    const auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 10);
    ProjectSession session;
    RunController controller(session);
    ASSERT_TRUE(open(session));
    QSignalSpy done(&controller, &RunCommands::done);
    controller.pause(session.runs()->at(0)->id);
    std::vector<InboxCommand> taken;
    ASSERT_TRUE(waitFor([&] {
        for (const InboxCommand& command : take_commands(folder).commands) taken.push_back(command);
        return !taken.empty();
    }));
    EXPECT_EQ(taken.front().kind, "pause");
    writer->command_received(taken.front());
    writer->command_acknowledged(taken.front().id);
    ASSERT_TRUE(waitFor([&] { return done.count() == 1; }));
    EXPECT_TRUE(done.front().front().toString().contains(QStringLiteral("acknowledged after")));
}

TEST_F(Controller, AStudyOutlivesTheWindowAndTheNextOneStopsIt) {
    {
        ProjectSession session;
        RunController controller(session);
        ASSERT_TRUE(open(session));
        controller.startStudy(QStringLiteral("laziness"));
        ASSERT_TRUE(waitFor(
            [&] { return controller.isStudyRunning(QStringLiteral("laziness")) && !calls().empty(); }));
        EXPECT_TRUE(calls().starts_with("study run laziness"));
    }
    ProjectSession session;
    RunController controller(session);
    QSignalSpy failed(&controller, &RunCommands::failed);
    ASSERT_TRUE(open(session));
    ASSERT_TRUE(waitFor([&] { return controller.isStudyRunning(QStringLiteral("laziness")); }));
    controller.stopStudy(QStringLiteral("laziness"));
    ASSERT_TRUE(waitFor([&] { return !controller.isStudyRunning(QStringLiteral("laziness")); }));
    EXPECT_EQ(failed.count(), 0);
    EXPECT_EQ(starts(), 1) << "not started twice";
}

TEST_F(Controller, AMissingEngineIsAReasonNotACrash) {
    qputenv("BRAID_ENGINE", "/nowhere/braid-engine");
    ProjectSession session;
    RunController controller(session);
    EXPECT_FALSE(controller.unavailableReason().isEmpty());
    ASSERT_TRUE(open(session));
    QSignalSpy failed(&controller, &RunCommands::failed);
    controller.startStudy(QStringLiteral("laziness"));
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
}

// As in a package without LibTorch: nothing but the engine's own words says why.
TEST_F(Controller, AnEngineThatEndsAtOnceIsQuoted) {
    write_text(script_.toStdString(),
               "#!/bin/sh\necho table; echo 'braid-engine: no PyTorch here. Fetch it' >&2\nexit 1\n");
    ProjectSession session;
    RunController controller(session);
    ASSERT_TRUE(open(session));
    QSignalSpy failed(&controller, &RunCommands::failed);
    controller.startStudy(QStringLiteral("laziness"));
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
    EXPECT_EQ(failed.front().front().value<Error>().message, "study laziness: no PyTorch here. Fetch it");
    controller.startTraining(smallPlan());
    ASSERT_TRUE(waitFor([&] { return failed.count() == 2; }));
    const Error error = failed.back().front().value<Error>();
    EXPECT_TRUE(error.message.ends_with(": no PyTorch here. Fetch it")) << error.message;
    EXPECT_TRUE(error.message.starts_with("run ")) << error.message;
    EXPECT_TRUE(error.hint.ends_with("/engine.log")) << error.hint;
    controller.startStudy(QStringLiteral("laziness"));
    ASSERT_TRUE(waitFor([&] { return failed.count() == 3; }));
    EXPECT_EQ(failed.back().front().value<Error>().message, "study laziness: no PyTorch here. Fetch it")
        << "not what an earlier one said";
}

// An engine that reports as the real one does, then writes its score.
TEST_F(Controller, AScoreReportsItsProgressAndCanBeCancelled) {
    write_text(
        script_.toStdString(),
        "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/calls\"\ntrap 'exit 130' TERM\n"
        "echo ' 43%  length 128' >&2\n"
        "n=0; while [ $n -lt 300 ] && [ ! -e \"$(dirname \"$0\")/end\" ]; do n=$((n+1)); sleep 0.05; done\n"
        "if [ -e \"$(dirname \"$0\")/fail\" ]; then echo 'braid-engine: no corpus' >&2; exit 2; fi\n");
    fixture_.addFinishedRun("done");
    ProjectSession session;
    RunController controller(session);
    ASSERT_TRUE(open(session));
    std::vector<ScoreJob> jobs;
    QObject::connect(&controller, &RunCommands::scoreJobChanged,
                     [&](const ScoreJob& job) { jobs.push_back(job); });
    const ScoreRequest request{.run = session.runs()->at(0)->id,
                               .step = 600,
                               .kind = QStringLiteral("niah"),
                               .options = {QStringLiteral("--depths"), QStringLiteral("5")}};
    controller.startScore(request);
    controller.startScore(request);
    ASSERT_TRUE(waitFor([&] { return !jobs.empty() && jobs.back().fraction == 0.43; }));
    EXPECT_EQ(jobs.back().text, QStringLiteral("length 128"));
    const std::string id = session.runs()->at(0)->id.str();
    EXPECT_TRUE(calls().starts_with("eval niah " + id + "@600 --depths 5 --project ")) << calls();
    EXPECT_EQ(starts(), 1) << "the second waits";
    const auto ended = [&](int job) {
        for (const ScoreJob& one : jobs)
            if (one.id == job && !one.active()) return true;
        return false;
    };
    controller.cancelScore(1);
    ASSERT_TRUE(waitFor([&] { return ended(1) && starts() == 2; }));
    write_text(scripts_ / "fail", "");
    write_text(scripts_ / "end", "");
    ASSERT_TRUE(waitFor([&] { return ended(2); }));
    EXPECT_EQ(jobs.back().state, ScoreJob::State::failed);
    EXPECT_EQ(jobs.back().text, QStringLiteral("no corpus"));
    EXPECT_EQ(controller.commandForScore(request).toStdString(),
              "braid-engine eval niah " + id + "@600 --depths 5 --project " +
                  shellQuoted(fixture_.folder()).toStdString());
}

TEST(CommandText, TellsPhasesOriginAndWhereAFileLies) {
    TrainingPlan plan = smallPlan();
    plan.data = {.kind = "corpus", .corpus = "corpora/mix"};
    plan.data.parameters.set("key_tokens", std::string("keys.json"));
    plan.from = QStringLiteral("a91f@400");
    plan.phases = {*parse_phase("steps=50,swa.window=64"), paper_extension()};
    const std::string line = trainCommand(plan, QStringLiteral("/p"), nullptr).toStdString();
    EXPECT_NE(line.find(" --data /p/corpora/mix "), std::string::npos) << line;
    EXPECT_NE(line.find(" --set data.key_tokens=/p/keys.json "), std::string::npos) << line;
    EXPECT_NE(line.find(" --from a91f@400 --phase steps=50,swa.window=64 --phase paper-32k "),
              std::string::npos)
        << line;
}

TEST(CommandText, SaysTheSameAsTheWindow) {
    TrainingPlan plan = smallPlan();
    plan.training.seed = 3;
    plan.data.parameters.set("keys", std::int64_t{32});
    const QString line = trainCommand(plan, QStringLiteral("/home/u/my project"), nullptr);
    EXPECT_EQ(line.toStdString(),
              "braid-engine train 'FS[w=4] x2' --scale tiny --data recall --set steps=40 --set context=128 "
              "--set warmup_steps=4 --set seed=3 --set data.keys=32 --name 'my run' --project '/home/u/my "
              "project'");
    ArchitectureEntry saved{
        .name = QStringLiteral("base"), .file = {}, .spec = {}, .autosave = {}, .problem = {}};
    saved.spec = std::make_shared<const ArchitectureSpec>(plan.architecture);
    EXPECT_TRUE(trainCommand(plan, QStringLiteral("/p"), &saved)
                    .startsWith(QStringLiteral("braid-engine train project:base ")));
    EXPECT_EQ(shellQuoted(QStringLiteral("it's")), QStringLiteral("'it'\\''s'"));
}

TEST(StartProject, TheWorkingDirectoryThenTheLastThenTheExample) {
    ProjectFixture here, last;
    const QString before = QDir::currentPath();
    QDir::setCurrent(here.folder() + QStringLiteral("/runs"));
    EXPECT_EQ(*startProject({}, last.folder()), here.folder());
    EXPECT_EQ(*startProject(last.folder(), {}), last.folder());
    TemporaryFolder nowhere;
    QDir::setCurrent(QString::fromStdString(nowhere.path()));
    EXPECT_EQ(*startProject({}, last.folder()), last.folder());
    EXPECT_FALSE(startProject(QStringLiteral("/nowhere"), last.folder()).has_value());
    QDir::setCurrent(before);
}

}  // namespace
}  // namespace braid::ui
