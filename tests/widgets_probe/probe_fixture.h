// The Probe workspace over a project of real run stores, with recorders in place of the main program.
#pragma once

#include <gtest/gtest.h>

#include <QWidget>
#include <memory>
#include <vector>

#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_probe/measurement_files.h"
#include "tests/widgets_train/recorder.h"
#include "widgets/probe/cell_panel.h"
#include "widgets/probe/probe_choice.h"
#include "widgets/probe/probe_page.h"
#include "widgets/probe/probe_side.h"
#include "widgets/probe/probe_workspace.h"

namespace braid::ui {

class ProbeTest : public ::testing::Test {
protected:
    RunFolder addRun(const std::string& name, const std::string& pattern = "FS[w=4] x2") {
        RunPlan plan;
        plan.name = name;
        plan.architecture = architectureOf(pattern, name);
        plan.training.steps = 600;
        plan.created = "2026-03-04T05:06:0" + std::to_string(made_++) + "Z";
        const RunFolder folder = *fixture_.project().add_run(std::move(plan));
        const auto writer = ProjectFixture::write(folder);
        EXPECT_TRUE(writer->begin_attempt({}).has_value());
        ProjectFixture::steps(*writer, 0, 600);
        EXPECT_TRUE(writer->close(RunState::finished).has_value());
        return folder;
    }
    void open(int width = 1000, int height = 800) {
        session_.open(fixture_.folder());
        ASSERT_TRUE(waitFor([&] { return session_.isOpen(); }));
        workspace_ = std::make_unique<ProbeWorkspace>(context_);
        page_ = workspace_->probePage();
        side_ = workspace_->probeSide();
        panel_ = workspace_->cellPanel();
        page_->resize(width, height);
        page_->show();
        side_->resize(205, height);
        side_->show();
        panel_->resize(272, height);
        panel_->show();
        workspace_->activate();
        QCoreApplication::processEvents();
    }
    static RunId idOf(const RunFolder& folder) { return read_plan(folder.plan_file())->id; }

    ProjectFixture fixture_;
    int made_ = 0;
    ProjectSession session_;
    RecordingCommands commands_;
    RecordingShell shell_;
    CommandRegistry registry_;
    WorkspaceContext context_{session_, commands_, registry_, shell_};
    std::unique_ptr<ProbeWorkspace> workspace_;
    ProbePage* page_ = nullptr;
    ProbeSide* side_ = nullptr;
    CellPanel* panel_ = nullptr;
};

}  // namespace braid::ui
