// The project tree: a correct model while everything changes, and the panel by clicks and keys.
#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTest>
#include <QTreeView>

#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_runs/recorders.h"
#include "widgets/common/run_list_model.h"
#include "widgets/runs/project_panel.h"

namespace braid::ui {
namespace {

class ProjectTree : public testing::Test {
protected:
    bool open() {
        QSignalSpy opened(&session_, &ProjectSession::opened);
        session_.open(fixture_.folder());
        return waitFor([&] { return opened.count() > 0; });
    }
    ProjectFixture fixture_;
    ProjectSession session_;
    RecordedCommands commands_;
    RecordedShell shell_;
};

TEST_F(ProjectTree, ModelKeepsTheRulesWhileTheProjectChanges) {
    ProjectModel model(session_);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QAbstractItemModelTester listTester(session_.runs(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
    fixture_.addArchitecture("base", "FSSS x2");
    fixture_.addArchitecture("zeta", "F x4");
    fixture_.addStudy("laziness");
    ASSERT_TRUE(open());
    const auto rows = [&](ProjectModel::Section section) {
        return model.rowCount(model.sectionIndex(section));
    };
    EXPECT_EQ(rows(ProjectModel::architectures), 2);
    fixture_.addArchitecture("middle", "S x4");
    fixture_.addFinishedRun("Window 4", "laziness", "window-4/seed-1");
    ASSERT_TRUE(
        waitFor([&] { return rows(ProjectModel::architectures) == 3 && rows(ProjectModel::runs) == 1; }));
    EXPECT_EQ(model.index(1, 0, model.sectionIndex(ProjectModel::architectures)).data().toString(),
              QStringLiteral("middle"));
    session_.removeArchitecture(QStringLiteral("base"));
    session_.removeRun(session_.runs()->at(0)->id);
    ASSERT_TRUE(
        waitFor([&] { return rows(ProjectModel::architectures) == 2 && rows(ProjectModel::runs) == 0; }));
    session_.close();
    EXPECT_EQ(rows(ProjectModel::studies), 0);
}

TEST_F(ProjectTree, SaysHowRunsAndStudiesStand) {
    fixture_.addStudy("laziness");
    fixture_.addFinishedRun("done", "laziness", "window-4/seed-1");
    const RunFolder folder = fixture_.addRun("live", "laziness", "window-64/seed-1");
    const auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 258);
    ASSERT_TRUE(open());
    ProjectModel model(session_);
    const auto state = [&](ProjectModel::Section section, const QString& name) {
        const QModelIndex heading = model.sectionIndex(section);
        for (int row = 0; row < model.rowCount(heading); ++row) {
            const QModelIndex index = model.index(row, 0, heading);
            if (index.data().toString() == name) return index.data(ProjectModel::StateRole).toString();
        }
        return QString();
    };
    EXPECT_EQ(state(ProjectModel::runs, QStringLiteral("done")), QStringLiteral("done"));
    EXPECT_EQ(state(ProjectModel::runs, QStringLiteral("live")), QStringLiteral("43 %"));
    EXPECT_EQ(state(ProjectModel::studies, QStringLiteral("laziness")), QStringLiteral("1 / 2"));
    ASSERT_TRUE(writer->close(RunState::failed, "the disk is full").has_value());
    ASSERT_TRUE(waitFor(
        [&] { return state(ProjectModel::runs, QStringLiteral("live")) == QStringLiteral("failed"); }));
}

TEST_F(ProjectTree, AClickOpensKeysSelectAndDeleteCanBeUndone) {
    fixture_.addArchitecture("base", "FSSS x2");
    fixture_.addFinishedRun("first");
    fixture_.addFinishedRun("second");
    ProjectPanel panel(session_, commands_, shell_);
    panel.resize(220, 500);
    panel.show();
    ASSERT_TRUE(open());
    QSignalSpy architectures(&panel, &ProjectPanel::architectureOpened),
        runs(&panel, &ProjectPanel::runOpened);
    QTreeView* tree = panel.tree();
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(tree->model());
    const auto place = [&](ProjectModel::Section section, int row) {
        return proxy->mapFromSource(panel.model()->index(row, 0, panel.model()->sectionIndex(section)));
    };
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {},
                      tree->visualRect(place(ProjectModel::architectures, 0)).center());
    ASSERT_EQ(architectures.count(), 1);
    EXPECT_EQ(architectures.front().front().toString(), QStringLiteral("base"));
    tree->setCurrentIndex(place(ProjectModel::runs, 0));
    ASSERT_EQ(session_.selectedRuns().size(), 1u) << "the keys select";
    EXPECT_EQ(runs.count(), 0) << "but open nothing";
    QTest::keyClick(tree, Qt::Key_Return);
    EXPECT_EQ(runs.count(), 1);
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, Qt::ControlModifier,
                      tree->visualRect(place(ProjectModel::runs, 1)).center());
    EXPECT_EQ(session_.selectedRuns().size(), 2u);
    EXPECT_EQ(runs.count(), 1);
    tree->setCurrentIndex(place(ProjectModel::runs, 0));
    QTest::keyClick(tree, Qt::Key_Delete);
    ASSERT_TRUE(waitFor([&] { return session_.runs()->rowCount() == 1; }));
    ASSERT_EQ(shell_.toasts.size(), 1);
    shell_.lastAction();
    ASSERT_TRUE(waitFor([&] { return session_.runs()->rowCount() == 2; }));
}

TEST_F(ProjectTree, FilterShowsWhatMatches) {
    fixture_.addArchitecture("base", "FSSS x2");
    fixture_.addArchitecture("edge", "F x4");
    ProjectPanel panel(session_, commands_, shell_);
    panel.resize(220, 500);
    panel.show();
    ASSERT_TRUE(open());
    panel.setFilterVisible(true);
    auto* filter = panel.findChild<QLineEdit*>();
    QTest::keyClicks(filter, QStringLiteral("ED"));
    const QAbstractItemModel* shown = panel.tree()->model();
    ASSERT_EQ(shown->rowCount(), 1) << "headings without entries are not shown";
    ASSERT_EQ(shown->rowCount(shown->index(0, 0)), 1);
    EXPECT_EQ(shown->index(0, 0, shown->index(0, 0)).data().toString(), QStringLiteral("edge"));
    QTest::keyClick(filter, Qt::Key_Escape);
    EXPECT_EQ(shown->rowCount(shown->index(0, 0)), 2);
}

}  // namespace
}  // namespace braid::ui
