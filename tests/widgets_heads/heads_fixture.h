// The Heads workspace over a project with captures on disk, with a recorder in place of the engine.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QTest>
#include <QWheelEvent>
#include <QWidget>
#include <memory>
#include <vector>

#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_heads/captures.h"
#include "tests/widgets_train/recorder.h"
#include "widgets/heads/capture_commands.h"
#include "widgets/heads/head_map.h"
#include "widgets/heads/head_pane.h"
#include "widgets/heads/heads_page.h"
#include "widgets/heads/heads_panel.h"
#include "widgets/heads/heads_side.h"
#include "widgets/heads/heads_workspace.h"

namespace braid::ui {

class RecordingCaptures : public CaptureCommands {
public:
    int start(const CaptureRequest& request) override {
        requests.push_back(request);
        return ++last;
    }
    void cancel(int job) override { cancelled.push_back(job); }
    QString unavailableReason() const override { return unavailable; }
    QString commandFor(const CaptureRequest& request) const override {
        return QStringLiteral("braid-engine capture %1@%2")
            .arg(QString::fromStdString(request.run.str()))
            .arg(request.step);
    }
    void tell(CaptureJob job) {
        job.id = last;
        job.request = requests.back();
        Q_EMIT jobChanged(job);
    }
    std::vector<CaptureRequest> requests;
    std::vector<int> cancelled;
    QString unavailable;
    int last = 0;
};

class HeadsTest : public ::testing::Test {
protected:
    RunId addRun(const std::string& name) {
        run_ = fixture_.addFinishedRun(name);
        id_ = read_plan(run_.plan_file())->id;
        return id_;
    }
    Capture addCapture(const CaptureMake& make) { return make_capture(run_, id_.str(), make); }
    void open(QSize size = {900, 800}) {
        session_.open(fixture_.folder());
        ASSERT_TRUE(waitFor([&] { return session_.isOpen(); }));
        auto captures = std::make_unique<RecordingCaptures>();
        captures_ = captures.get();
        workspace_ = std::make_unique<HeadsWorkspace>(context_, std::move(captures));
        page()->resize(size);
        page()->show();
        workspace_->inspector()->resize(264, size.height());
        workspace_->inspector()->show();
        workspace_->side()->resize(216, size.height());
        workspace_->side()->show();
        workspace_->activate();
        ASSERT_TRUE(waitFor([&] { return workspace_->choice().searched(); }));
    }
    // Both heads read in full, maps painted with all their tiles.
    bool settle() {
        return waitFor([&] {
            for (const HeadSide side : {HeadSide::a, HeadSide::b}) {
                const HeadPointer& head = state().head(side);
                if (workspace_->choice().capture(side) && (!head || !head->whole)) return false;
                if (head && map(side)->isVisible() && !map(side)->settled()) return false;
            }
            return !state().isEmpty() && !state().linksPending();
        });
    }
    HeadsPage* page() { return workspace_->headsPage(); }
    HeadsState& state() { return workspace_->state(); }
    HeadMap* map(HeadSide side) { return page()->pane(side)->map(); }
    QPoint pointOf(HeadSide side, std::int64_t query, std::int64_t key) {
        return map(side)->pointOf({query, key}).toPoint();
    }

    ProjectFixture fixture_;
    ProjectSession session_;
    RecordingCommands commands_;
    RecordingShell shell_;
    CommandRegistry registry_;
    WorkspaceContext context_{session_, commands_, registry_, shell_};
    RunFolder run_;
    RunId id_;
    RecordingCaptures* captures_ = nullptr;
    std::unique_ptr<HeadsWorkspace> workspace_;
};

class HeadsWorkspaceTest : public HeadsTest {
protected:
    void SetUp() override { addRun("swa-64 S1"); }
    void openTwo() {
        addCapture({.tokens = 512, .step = 200, .retrieval = 1});
        addCapture({.tokens = 512, .step = 600});
        open();
        ASSERT_TRUE(settle());
    }
    void wheel(HeadSide side, const QPoint& at, int turned) {
        QWheelEvent event(at, map(side)->mapToGlobal(at), {}, {0, turned}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(map(side), &event);
    }
};

}  // namespace braid::ui
