// The long-lived engine behind Heads: progress, Cancel, refusals, and ends that nobody asked for.
#include <gtest/gtest.h>
#include <signal.h>

#include <QElapsedTimer>

#include "app/workbench/capture_session.h"
#include "tests/widgets_common/project_fixture.h"
#include "widgets/common/project_session.h"

namespace braid::ui {
namespace {

class CaptureSessions : public ::testing::Test {
protected:
    CaptureSessions() {
        QObject::connect(&captures_, &CaptureCommands::jobChanged, &captures_,
                         [this](const CaptureJob& job) { jobs_.push_back(job); });
        QObject::connect(&captures_, &CaptureCommands::engineLost, &captures_,
                         [this](const QString& what, bool again) { lost_.emplace_back(what, again); });
    }
    static CaptureRequest asking(const char* prompt) {
        CaptureRequest request{.run = RunId("b7c0"), .step = 400};
        request.source = CaptureSource::prompt;
        request.prompt = QLatin1String(prompt);
        return request;
    }
    const CaptureJob* last(int id) const {
        for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job)
            if (job->id == id) return &*job;
        return nullptr;
    }
    bool ends(int id) {
        return waitFor([&] { return last(id) && !last(id)->active(); }, 8'000);
    }

    ProjectSession session_;
    CaptureSession captures_{
        session_, qEnvironmentVariable("BRAID_SOURCE_DIR") + QStringLiteral("/tests/gui/fake_engine.py")};
    std::vector<CaptureJob> jobs_;
    std::vector<std::pair<QString, bool>> lost_;
};

TEST_F(CaptureSessions, StartWhenNeededTellProgressAndTheFolder) {
    EXPECT_FALSE(captures_.child().isRunning());
    const int id = captures_.start(asking("a text"));
    ASSERT_TRUE(ends(id));
    EXPECT_EQ(last(id)->state, CaptureJob::State::done);
    EXPECT_EQ(last(id)->folder, QStringLiteral("/captures/b7c0@400"));
    EXPECT_DOUBLE_EQ(last(id)->seconds, 0.1);
    EXPECT_GE(jobs_.size(), 3U);
    EXPECT_EQ(jobs_[1].text, QStringLiteral("layer 1 of 3"));
    // The same engine serves the next one.
    const qint64 process = captures_.child().processId();
    ASSERT_TRUE(ends(captures_.start(asking("another"))));
    EXPECT_EQ(captures_.child().processId(), process);
}

TEST_F(CaptureSessions, CancelIsAcknowledgedAtOnceAndStopsSoon) {
    const int id = captures_.start(asking("slow"));
    ASSERT_TRUE(waitFor([&] { return last(id) && last(id)->state == CaptureJob::State::running; }));
    QElapsedTimer clock;
    clock.start();
    captures_.cancel(id);
    EXPECT_EQ(last(id)->state, CaptureJob::State::stopping);
    ASSERT_TRUE(ends(id));
    EXPECT_EQ(last(id)->state, CaptureJob::State::cancelled);
    std::printf("    cancelled after %lld ms\n", static_cast<long long>(clock.elapsed()));
    EXPECT_LT(clock.elapsed(), 1'000);
    EXPECT_TRUE(lost_.empty());
}

TEST_F(CaptureSessions, AnEngineThatDoesNotStopIsEnded) {
    const int id = captures_.start(asking("stubborn"));
    ASSERT_TRUE(waitFor([&] { return last(id) && last(id)->state == CaptureJob::State::running; }));
    captures_.cancel(id);
    ASSERT_TRUE(ends(id));
    EXPECT_EQ(last(id)->state, CaptureJob::State::cancelled);
    ASSERT_TRUE(ends(captures_.start(asking("a text"))));
    EXPECT_EQ(jobs_.back().state, CaptureJob::State::done);
}

TEST_F(CaptureSessions, ACrashIsSaidAndTheEngineComesBack) {
    const int id = captures_.start(asking("crash"));
    ASSERT_TRUE(ends(id));
    EXPECT_EQ(last(id)->state, CaptureJob::State::failed);
    EXPECT_TRUE(last(id)->text.contains(QStringLiteral("something went badly wrong")))
        << last(id)->text.toStdString();
    ASSERT_EQ(lost_.size(), 1U);
    EXPECT_TRUE(lost_[0].second);
    EXPECT_TRUE(waitFor([&] { return captures_.child().isRunning(); }));
    ASSERT_TRUE(ends(captures_.start(asking("a text"))));
    EXPECT_EQ(jobs_.back().state, CaptureJob::State::done);
    // One that ends again and again is not started for ever.
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(ends(captures_.start(asking("crash"))));
    EXPECT_FALSE(lost_.back().second);
    // Killed by somebody while it waits.
    ASSERT_TRUE(ends(captures_.start(asking("a text"))));
    const std::size_t before = lost_.size();
    ::kill(pid_t(captures_.child().processId()), SIGKILL);
    EXPECT_TRUE(waitFor([&] { return lost_.size() > before; }));
}

TEST_F(CaptureSessions, RefusalsKeepTheirReasonAndWhatToDo) {
    const int id = captures_.start(asking("refuse"));
    ASSERT_TRUE(ends(id));
    EXPECT_EQ(last(id)->text, QStringLiteral("heads: must be from 0.0 to 2.1, got 9.9"));
    EXPECT_EQ(last(id)->hint, QStringLiteral("Hint."));
    CaptureRequest large = asking("long");
    const int refused = captures_.start(large);
    ASSERT_TRUE(ends(refused));
    EXPECT_TRUE(last(refused)->too_long);
    large.allow_long = true;
    const int allowed = captures_.start(large);
    ASSERT_TRUE(ends(allowed));
    EXPECT_EQ(last(allowed)->state, CaptureJob::State::done);
}

TEST_F(CaptureSessions, WithoutAnEngineTheRequestFailsAndNothingElse) {
    CaptureSession none(session_, QStringLiteral("/does/not/exist"));
    std::vector<CaptureJob> jobs;
    QObject::connect(&none, &CaptureCommands::jobChanged, &none,
                     [&](const CaptureJob& job) { jobs.push_back(job); });
    const int id = none.start(asking("a text"));
    ASSERT_TRUE(waitFor([&] { return !jobs.empty(); }));
    EXPECT_EQ(jobs.back().id, id);
    EXPECT_EQ(jobs.back().state, CaptureJob::State::failed);
}

TEST_F(CaptureSessions, ParametersAndCommandsSayTheSame) {
    CaptureRequest request{.run = RunId("b7c0"), .step = 400};
    request.sample = 17;
    request.context = 4'096;
    request.depth = 0.4;
    request.heads = {QStringLiteral("8.3"), QStringLiteral("10.7")};
    const Json params = captureParameters(request, QString());
    EXPECT_EQ(params, Json::parse(R"({"checkpoint": "b7c0@400", "sample": 17, "depth": 0.4, "context": 4096,
                                      "heads": ["8.3", "10.7"]})"));
    EXPECT_EQ(captures_.commandFor(request),
              QStringLiteral(
                  "braid-engine capture b7c0@400 --sample 17 --depth 0.4 --context 4096 --heads 8.3,10.7"));
    request = asking("it's");
    EXPECT_TRUE(captures_.commandFor(request).contains(QStringLiteral("--prompt ")));
    request.heads = {QStringLiteral("all")};
    EXPECT_EQ(captureParameters(request, QString()).at("heads"), "all");
}

}  // namespace
}  // namespace braid::ui
