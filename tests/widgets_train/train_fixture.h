// The Train workspace over a project of real run stores, with recorders in place of the main program.
#pragma once

#include <gtest/gtest.h>

#include <QWidget>
#include <memory>
#include <vector>

#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_train/recorder.h"
#include "widgets/train/study_page.h"
#include "widgets/train/train_workspace.h"

namespace braid::ui {

class TrainWorkspaceTest : public ::testing::Test {
protected:
    void open() {
        session_.open(fixture_.folder());
        ASSERT_TRUE(waitFor([&] { return session_.isOpen(); }));
        workspace_ = std::make_unique<TrainWorkspace>(context_);
        workspace_->page()->resize(1100, 800);
        workspace_->page()->show();
        workspace_->activate();
    }
    void select(const std::vector<RunFolder>& folders) {
        std::vector<RunId> ids;
        for (const RunFolder& folder : folders) ids.push_back(read_plan(folder.plan_file())->id);
        ASSERT_TRUE(waitFor([&] { return session_.run(ids.back()) != nullptr; }));
        session_.setSelectedRuns(ids);
    }
    std::string headline() { return workspace_->studyPage()->headline().toStdString(); }

    ProjectFixture fixture_;
    ProjectSession session_;
    RecordingCommands commands_;
    RecordingShell shell_;
    CommandRegistry registry_;
    WorkspaceContext context_{session_, commands_, registry_, shell_};
    std::unique_ptr<TrainWorkspace> workspace_;
};

}  // namespace braid::ui
