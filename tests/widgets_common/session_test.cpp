// The project session on real files: what it opens, notices, loses, saves and never blocks.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QSignalSpy>
#include <QThread>
#include <QTimer>
#include <filesystem>

#include "core/spec/study.h"
#include "tests/widgets_common/project_fixture.h"
#include "widgets/common/autosave.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_list_model.h"

namespace braid::ui {
namespace {

class Session : public testing::Test {
protected:
    bool open() {
        QSignalSpy opened(&session_, &ProjectSession::opened);
        session_.open(fixture_.folder());
        return waitFor([&] { return opened.count() > 0; });
    }
    RunPointer runNamed(const QString& name) const {
        for (const RunPointer& run : session_.runs()->runs()) {
            if (run->name == name) return run;
        }
        return nullptr;
    }
    bool waitForState(const QString& name, RunState state, int limit_ms = 5'000) {
        return waitFor(
            [&] {
                const RunPointer run = runNamed(name);
                return run && run->state() == state;
            },
            limit_ms);
    }

    ProjectFixture fixture_;
    ProjectSession session_;
};

TEST_F(Session, OpensDocumentsAndRuns) {
    fixture_.addArchitecture("base", "FSSS x2");
    fixture_.addStudy("laziness");
    fixture_.addDocument(DocumentKind::figure, "far-recall", R"({"title": "Far recall"})");
    fixture_.addFinishedRun("Window 4", "laziness", "window-4/seed-1");
    ASSERT_TRUE(open());
    EXPECT_EQ(session_.name(), QStringLiteral("hybrids"));
    ASSERT_EQ(session_.architectures().size(), 1u);
    EXPECT_EQ(session_.architecture(QStringLiteral("base"))->spec->layers.size(), 8u);
    EXPECT_EQ(session_.figures().front().title, QStringLiteral("Far recall"));
    const StudyEntry* study = session_.study(QStringLiteral("laziness"));
    ASSERT_NE(study, nullptr);
    EXPECT_EQ(study->runs, 2);
    EXPECT_EQ(study->finished, 1);
    ASSERT_EQ(session_.runs()->rowCount(), 1);
    const RunPointer run = session_.runs()->at(0);
    EXPECT_EQ(run->state(), RunState::finished);
    EXPECT_EQ(run->step(), 600);
    EXPECT_GT(run->trainingFlopsPerToken, 0);
    EXPECT_NEAR(*run->latest("recall/far"), 1, 1e-6);
    EXPECT_TRUE(run->curves.empty()) << "nobody asked for curves";
}

TEST_F(Session, RefusesAFolderThatIsNoProjectAndKeepsTheOpenOne) {
    ASSERT_TRUE(open());
    QSignalSpy failed(&session_, &ProjectSession::openFailed);
    session_.open(QStringLiteral("/nowhere/at all"));
    ASSERT_TRUE(waitFor([&] { return failed.count() > 0; }));
    EXPECT_TRUE(session_.isOpen());
    EXPECT_EQ(session_.folder(), fixture_.folder());
}

TEST_F(Session, ReportsWhatCannotBeReadAndReadsTheRest) {
    fixture_.addArchitecture("good", "FS x2");
    fixture_.addDocument(DocumentKind::architecture, "broken", "{\"layers\": [");
    fixture_.addDocument(DocumentKind::study, "empty", "");
    const RunFolder folder = fixture_.addRun("run");
    write_text(folder.plan_file(), "no plan");
    ASSERT_TRUE(open());
    EXPECT_NE(session_.architecture(QStringLiteral("good"))->spec, nullptr);
    EXPECT_EQ(session_.architecture(QStringLiteral("broken"))->spec, nullptr);
    EXPECT_FALSE(session_.architecture(QStringLiteral("broken"))->problem.isEmpty());
    EXPECT_FALSE(session_.study(QStringLiteral("empty"))->problem.isEmpty());
    ASSERT_EQ(session_.runs()->rowCount(), 1);
    EXPECT_FALSE(session_.runs()->at(0)->problem.isEmpty());
}

TEST_F(Session, NoticesNewRunsAndDocumentsAndFollowsARun) {
    ASSERT_TRUE(open());
    const RunFolder folder = fixture_.addRun("live");
    ASSERT_TRUE(waitForState(QStringLiteral("live"), RunState::planned, 2'000));
    const auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 100);
    ASSERT_TRUE(waitForState(QStringLiteral("live"), RunState::running, 2'000));
    ASSERT_TRUE(waitFor([&] { return runNamed(QStringLiteral("live"))->step() == 100; }, 1'000));
    EXPECT_TRUE(runNamed(QStringLiteral("live"))->eta.has_value());
    // A committed step is on the screen within a second.
    QElapsedTimer timer;
    timer.start();
    ProjectFixture::steps(*writer, 100, 120);
    ASSERT_TRUE(waitFor([&] { return runNamed(QStringLiteral("live"))->step() == 120; }, 1'000));
    RecordProperty("committed_step_seen_ms", int(timer.elapsed()));
    ASSERT_TRUE(writer->close(RunState::finished).has_value());
    ASSERT_TRUE(waitForState(QStringLiteral("live"), RunState::finished, 1'000));
    fixture_.addArchitecture("late", "F x4");
    ASSERT_TRUE(waitFor([&] { return session_.architecture(QStringLiteral("late")) != nullptr; }, 2'000));
}

TEST_F(Session, CurvesOnEveryAxisArriveAndGrowWithoutBeingMadeAnew) {
    const RunFolder folder = fixture_.addRun("live");
    const auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 100);
    ASSERT_TRUE(open());
    auto view = std::make_unique<QObject>();
    const RunId id = session_.runs()->at(0)->id;
    const std::vector<XAxis> axes{XAxis::step, XAxis::tokens, XAxis::flops, XAxis::time};
    session_.wantCurves(view.get(), {id}, axes);
    const auto points = [&](XAxis axis) {
        const CurvePtr curve = session_.run(id)->curve("loss", axis);
        return curve ? curve->size() : 0;
    };
    ASSERT_TRUE(waitFor([&] { return points(XAxis::time) == 100; }));
    const RunPointer run = session_.run(id);
    EXPECT_DOUBLE_EQ(run->curve("loss", XAxis::step)->back().x, 100);
    EXPECT_DOUBLE_EQ(run->curve("loss", XAxis::tokens)->back().x, 100.0 * 128 * 32);
    EXPECT_DOUBLE_EQ(run->curve("loss", XAxis::flops)->back().x,
                     100.0 * 128 * 32 * run->trainingFlopsPerToken);
    EXPECT_DOUBLE_EQ(run->curve("loss", XAxis::time)->back().x, 8.0);
    EXPECT_EQ(run->curve("recall/far", XAxis::step)->size(), 5u);
    ProjectFixture::steps(*writer, 100, 150);
    ASSERT_TRUE(waitFor([&] { return points(XAxis::step) == 150; }));
    EXPECT_EQ(run->curve("loss")->size(), 100u) << "what a view holds does not change";
    // Nobody wants them any more.
    view.reset();
    ProjectFixture::steps(*writer, 150, 151);
    ASSERT_TRUE(waitFor([&] { return session_.run(id)->step() == 151; }));
    EXPECT_TRUE(session_.run(id)->curves.empty());
}

TEST_F(Session, AResumeLeavesNoStepTwice) {
    const RunFolder folder = fixture_.addRun("live");
    auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 50);
    ASSERT_TRUE(open());
    QObject view;
    const RunId id = session_.runs()->at(0)->id;
    session_.wantCurves(&view, {id});
    const auto curve = [&] { return session_.run(id)->curve("loss"); };
    ASSERT_TRUE(waitFor([&] { return curve() && curve()->size() == 50; }));
    ASSERT_TRUE(writer->close(RunState::cancelled).has_value());
    writer.reset();  // gives the lock back
    writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt(Step(30)).has_value());
    ProjectFixture::steps(*writer, 30, 40);
    ASSERT_TRUE(waitFor([&] { return curve() && curve()->size() == 40; }));
    for (std::size_t i = 0; i < curve()->size(); ++i) EXPECT_DOUBLE_EQ(curve()->x(i), double(i + 1));
}

TEST_F(Session, AKilledEngineShowsAsLostWithinTwoSeconds) {
    const RunFolder folder = fixture_.addRun("doomed");
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        const auto writer = ProjectFixture::write(folder);
        (void)writer->begin_attempt({});
        ProjectFixture::steps(*writer, 0, 40);
        (void)!::write(ready[1], "x", 1);
        for (;;) pause();
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    ASSERT_TRUE(open());
    ASSERT_TRUE(waitForState(QStringLiteral("doomed"), RunState::running));
    QElapsedTimer timer;
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    timer.start();
    ASSERT_TRUE(waitForState(QStringLiteral("doomed"), RunState::lost, 2'000));
    RecordProperty("lost_seen_ms", int(timer.elapsed()));
    EXPECT_EQ(runNamed(QStringLiteral("doomed"))->step(), 40) << "every committed row is kept";
    EXPECT_FALSE(runNamed(QStringLiteral("doomed"))->problem.isEmpty());
}

TEST_F(Session, ColoursAreStoredAndSharedByTheSeedsOfAVariant) {
    fixture_.addStudy("laziness");
    fixture_.addFinishedRun("a", "laziness", "window-4/seed-1");
    fixture_.addFinishedRun("b", "laziness", "window-4/seed-2");
    fixture_.addFinishedRun("c", "laziness", "window-64/seed-1");
    fixture_.addFinishedRun("d");
    ASSERT_TRUE(open());
    const int a = runNamed(QStringLiteral("a"))->paletteIndex;
    EXPECT_EQ(runNamed(QStringLiteral("b"))->paletteIndex, a);
    EXPECT_NE(runNamed(QStringLiteral("c"))->paletteIndex, a);
    EXPECT_NE(runNamed(QStringLiteral("d"))->paletteIndex, runNamed(QStringLiteral("c"))->paletteIndex);
    session_.setRunPaletteIndex(runNamed(QStringLiteral("d"))->id, 13);
    ASSERT_TRUE(waitFor([&] { return runNamed(QStringLiteral("d"))->paletteIndex == 13; }));
    ProjectSession second;
    QSignalSpy opened(&second, &ProjectSession::opened);
    second.open(fixture_.folder());
    ASSERT_TRUE(waitFor([&] { return opened.count() > 0; }));
    for (const RunPointer& run : second.runs()->runs()) {
        EXPECT_EQ(run->paletteIndex, session_.run(run->id)->paletteIndex) << qPrintable(run->name);
    }
}

TEST_F(Session, SavesRenamesRemovesAndRestoresArchitectures) {
    ASSERT_TRUE(open());
    QSignalSpy saved(&session_, &ProjectSession::saved), failed(&session_, &ProjectSession::saveFailed);
    const QString edge = QStringLiteral("edge"), other = QStringLiteral("other");
    const ArchitectureSpec spec = architectureOf("FSSF", "edge");
    session_.saveArchitecture(edge, spec);
    ASSERT_TRUE(waitFor([&] { return session_.architecture(edge) != nullptr; }));
    EXPECT_EQ(*session_.architecture(edge)->spec, spec);
    session_.renameArchitecture(edge, other);
    ASSERT_TRUE(waitFor([&] { return session_.architecture(other) && !session_.architecture(edge); }));
    session_.removeArchitecture(other);
    ASSERT_TRUE(waitFor([&] { return !session_.architecture(other); }));
    session_.restoreArchitecture(other);
    ASSERT_TRUE(waitFor([&] { return session_.architecture(other) != nullptr; }));
    EXPECT_EQ(failed.count(), 0);
    // Never over another document.
    session_.saveArchitecture(edge, spec);
    session_.renameArchitecture(edge, other);
    // The refusal and the list of documents come on their own ways: either may be first.
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1 && session_.architecture(edge) != nullptr; }));
    EXPECT_EQ(session_.freeArchitectureName(edge), QStringLiteral("edge-2"));
}

TEST_F(Session, SaysWhyNothingCouldBeWritten) {
    ASSERT_TRUE(open());
    std::filesystem::remove_all(fixture_.project().folder() + "/architectures");
    write_text(fixture_.project().folder() + "/architectures", "a file in the way");
    QSignalSpy failed(&session_, &ProjectSession::saveFailed);
    session_.saveArchitecture(QStringLiteral("edge"), architectureOf("FS", "edge"));
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
    EXPECT_FALSE(failed.front().at(1).value<Error>().message.empty());
}

TEST_F(Session, UnsavedWorkOfADeadWindowIsOfferedAndGoesWhenSaved) {
    fixture_.addArchitecture("edge", "FS x2");
    const QString edge = QStringLiteral("edge");
    const ArchitectureSpec edited = architectureOf("FSSS", "edge");
    const pid_t child = fork();
    if (child == 0) {
        (void)writeAutosave(fixture_.project().folder(), "edge", edited);
        (void)writeAutosave(fixture_.project().folder(), "never-saved", edited);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(open());
    ASSERT_NE(session_.architecture(edge), nullptr);
    ASSERT_NE(session_.architecture(edge)->autosave, nullptr);
    EXPECT_EQ(*session_.architecture(edge)->autosave, edited);
    ASSERT_NE(session_.architecture(QStringLiteral("never-saved")), nullptr);
    EXPECT_EQ(session_.architecture(QStringLiteral("never-saved"))->spec, nullptr);
    session_.saveArchitecture(edge, edited);
    ASSERT_TRUE(waitFor([&] { return session_.architecture(edge)->autosave == nullptr; }));
    session_.discardAutosave(QStringLiteral("never-saved"));
    ASSERT_TRUE(waitFor([&] { return session_.architecture(QStringLiteral("never-saved")) == nullptr; }));
    // Work of a window that lives is its own.
    session_.autosaveArchitecture(edge, edited);
    ASSERT_TRUE(
        waitFor([&] { return std::filesystem::exists(autosaveFile(fixture_.project().folder(), "edge")); }));
    ProjectSession second;
    QSignalSpy opened(&second, &ProjectSession::opened);
    second.open(fixture_.folder());
    ASSERT_TRUE(waitFor([&] { return opened.count() > 0; }));
    EXPECT_EQ(second.architecture(edge)->autosave, nullptr);
}

TEST_F(Session, RunsGoToTheTrashAndBack) {
    fixture_.addFinishedRun("old");
    ASSERT_TRUE(open());
    const RunId id = session_.runs()->at(0)->id;
    session_.setSelectedRuns({id});
    session_.removeRun(id);
    ASSERT_TRUE(waitFor([&] { return session_.runs()->rowCount() == 0; }));
    EXPECT_TRUE(session_.selectedRuns().empty());
    session_.restoreRun(id);
    ASSERT_TRUE(waitFor([&] { return session_.runs()->rowCount() == 1; }));
    EXPECT_EQ(session_.run(id)->state(), RunState::finished);
}

// Longest time between two turns of the event loop while `work` goes on.
qint64 longestStall(const std::function<void()>& work) {
    qint64 longest = 0;
    QElapsedTimer since;
    QTimer heartbeat;
    QObject::connect(&heartbeat, &QTimer::timeout, [&] { longest = std::max(longest, since.restart()); });
    heartbeat.start(1);
    since.start();
    work();
    return longest;
}

TEST_F(Session, FiveHundredRunsOpenWithoutAStallOfTheEventLoop) {
    const RunFolder first = fixture_.addRun("run 0");
    for (int i = 1; i < 500; ++i) {
        // The plan alone makes a run; adding each by the book would wait for the disk 500 times.
        RunPlan plan = *first.plan();
        plan.id = RunId("b" + std::to_string(1000 + i));
        plan.name = "run " + std::to_string(i);
        write_text(fixture_.project().folder() + "/runs/" + plan.id.str() + "/plan.json",
                   to_json(plan).dump());
    }
    // The machine may be busy with something else; of three tries one has to be undisturbed.
    qint64 stall = 1'000, opening = 0;
    for (int attempt = 0; attempt < 3 && stall >= 50; ++attempt) {
        stall = longestStall([&] {
            QElapsedTimer timer;
            timer.start();
            ASSERT_TRUE(open());
            opening = timer.elapsed();
            waitFor([&] { return timer.elapsed() > opening + 1'500; }, 3'000);
        });
    }
    EXPECT_EQ(session_.runs()->rowCount(), 500);
    RecordProperty("open_500_runs_ms", int(opening));
    RecordProperty("longest_stall_ms", int(stall));
    EXPECT_LT(stall, 50);
}

TEST_F(Session, SelectionIsSharedAndToldOnce) {
    fixture_.addArchitecture("base", "FS x2");
    fixture_.addArchitecture("edge", "SF x2");
    ASSERT_TRUE(open());
    QSignalSpy runs(&session_, &ProjectSession::selectedRunsChanged);
    session_.setSelectedRuns({RunId("a"), RunId("b")});
    session_.setSelectedRuns({RunId("a"), RunId("b")});
    EXPECT_EQ(runs.count(), 1);
    session_.setSelectedLayers({LayerId(3)});
    session_.setCurrentArchitecture(QStringLiteral("edge"));
    EXPECT_TRUE(session_.selectedLayers().empty()) << "layers of another architecture";
    QSignalSpy heads(&session_, &ProjectSession::headChosen);
    for (int i = 0; i < 2; ++i) session_.selectHead(RunId("a"), Step(40), 2, 1);
    EXPECT_EQ(heads.count(), 2) << "each is a wish to see it";
    EXPECT_EQ(session_.chosenHead(), (HeadChoice{RunId("a"), Step(40), 2, 1}));
    session_.close();
    EXPECT_FALSE(session_.chosenHead().has_value());
    EXPECT_FALSE(session_.isOpen());
    EXPECT_TRUE(session_.architectures().empty());
}

}  // namespace
}  // namespace braid::ui
