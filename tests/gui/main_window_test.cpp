// The main window by keys and clicks, with workspaces that write down what it asks of them.
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "app/workbench/dock.h"
#include "app/workbench/main_window.h"
#include "app/workbench/rail.h"
#include "app/workbench/shortcuts_dialog.h"
#include "tests/gui/fake_workspace.h"
#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_runs/recorders.h"
#include "widgets/common/command_palette.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/toast.h"
#include "widgets/figure/figure_dialog.h"
#include "widgets/runs/project_model.h"
#include "widgets/runs/project_panel.h"

namespace braid::ui {
namespace {

class Window : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        session_ = std::make_unique<ProjectSession>();
        make({});
    }
    void TearDown() override { window_.reset(); }

    void make(const Options& options) {
        window_.reset();
        design_ = train_ = nullptr;
        std::vector<WorkspaceEntry> entries;
        entries.push_back({QStringLiteral("design"),
                           QStringLiteral("Design"),
                           QStringLiteral("design"),
                           [this](const WorkspaceContext&) {
                               auto made = std::make_unique<FakeWorkspace>(QStringLiteral("design"), true);
                               design_ = made.get();
                               return made;
                           },
                           {{QStringLiteral("design.twist"), QStringLiteral("Investigate the design")}}});
        entries.push_back({QStringLiteral("train"), QStringLiteral("Train"), QStringLiteral("train"),
                           [this](const WorkspaceContext&) {
                               auto made = std::make_unique<FakeWorkspace>(QStringLiteral("train"), false);
                               train_ = made.get();
                               return made;
                           }});
        window_ = std::make_unique<MainWindow>(*session_, commands_, std::move(entries), options);
        window_->show();
        window_->activateWindow();
        (void)QTest::qWaitForWindowActive(window_.get());
    }
    Dock* dock(const char* name) const { return window_->findChild<Dock*>(QLatin1String(name)); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : window_.get(), key,
                        modifiers);
    }
    bool openProject() {
        QSignalSpy opened(session_.get(), &ProjectSession::opened);
        window_->openProject(fixture_.folder());
        return waitFor([&] { return opened.count() > 0; });
    }
    QAction* action(const QString& id) const {
        for (const auto& entry : window_->registry().actions()) {
            if (entry.action && entry.action->objectName() == id) return entry.action;
        }
        return nullptr;
    }

    ProjectFixture fixture_;
    RecordedCommands commands_;
    std::unique_ptr<ProjectSession> session_;
    std::unique_ptr<MainWindow> window_;
    FakeWorkspace *design_ = nullptr, *train_ = nullptr;
};

TEST_F(Window, MakesWorkspacesWhenTheyAreFirstShown) {
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("train"));
    EXPECT_NE(train_, nullptr);
    EXPECT_EQ(design_, nullptr);
    press(Qt::Key_1, Qt::AltModifier);
    ASSERT_NE(design_, nullptr);
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("design"));
    EXPECT_EQ(design_->activations, 1);
    EXPECT_EQ(train_->activations, 0);
    const auto buttons = window_->findChildren<RailButton*>();
    ASSERT_EQ(buttons.size(), 2);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("train"));
    EXPECT_TRUE(buttons[1]->isChecked());
    EXPECT_FALSE(buttons[0]->isChecked());
}

TEST_F(Window, KeepsTheLayoutOfEachWorkspaceOverARestart) {
    EXPECT_FALSE(dock("inspectorDock")->isVisible()) << "Train has no inspector here";
    window_->showWorkspace(QStringLiteral("design"));
    EXPECT_TRUE(dock("inspectorDock")->isVisible());
    press(Qt::Key_B, Qt::ControlModifier);
    EXPECT_FALSE(dock("projectDock")->isVisible());
    window_->showWorkspace(QStringLiteral("train"));
    EXPECT_TRUE(dock("projectDock")->isVisible()) << "folded in Design only";
    window_->showWorkspace(QStringLiteral("design"));
    EXPECT_FALSE(dock("projectDock")->isVisible());
    window_->close();
    EXPECT_EQ(design_->closings, 1);
    make({});
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("design"));
    EXPECT_FALSE(dock("projectDock")->isVisible());
    window_->resetLayout();
    EXPECT_TRUE(dock("projectDock")->isVisible());
    EXPECT_TRUE(dock("inspectorDock")->isVisible());
}

// The focus does not fall out of the page when a key shows another workspace, and comes back to its place.
TEST_F(Window, TheFocusFollowsIntoTheWorkspaceAndBack) {
    window_->showWorkspace(QStringLiteral("design"));
    train_->edit()->setFocus();
    design_->edit()->setFocus();
    ASSERT_EQ(QApplication::focusWidget(), design_->edit());
    press(Qt::Key_2, Qt::AltModifier);
    ASSERT_EQ(window_->currentWorkspace(), QStringLiteral("train"));
    EXPECT_EQ(QApplication::focusWidget(), train_->edit());
    press(Qt::Key_1, Qt::AltModifier);
    EXPECT_EQ(QApplication::focusWidget(), design_->edit());
    // Elsewhere it stays.
    window_->findChild<Rail*>()->findChildren<QWidget*>().front()->setFocus();
    QWidget* const rail = QApplication::focusWidget();
    press(Qt::Key_2, Qt::AltModifier);
    EXPECT_EQ(QApplication::focusWidget(), rail);
}

// A key that both the window and the workspace have an action for does what the workspace says.
TEST_F(Window, AKeyOfTheWorkspaceIsNotTakenTwice) {
    ASSERT_TRUE(openProject());
    window_->showWorkspace(QStringLiteral("design"));
    design_->edit()->setFocus();
    press(Qt::Key_N, Qt::ControlModifier);
    EXPECT_EQ(design_->news, 1);
    EXPECT_FALSE(action(QStringLiteral("file.new_architecture"))->isVisible());
    window_->showWorkspace(QStringLiteral("train"));
    EXPECT_TRUE(action(QStringLiteral("file.new_architecture"))->isVisible());
    EXPECT_TRUE(action(QStringLiteral("file.new_architecture"))->isEnabled());
}

TEST_F(Window, SafeModeIgnoresWhatWasSavedAndADamagedLayoutDoesNoHarm) {
    window_->showWorkspace(QStringLiteral("design"));
    dock("projectDock")->hide();
    window_->close();
    Options safe;
    safe.safeMode = true;
    make(safe);
    EXPECT_TRUE(dock("projectDock")->isVisible());
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("train"));
    QSettings().setValue(QStringLiteral("layout/design"), QByteArray("not a layout"));
    QSettings().setValue(QStringLiteral("window/geometry"), QByteArray("nor a geometry"));
    make({});
    EXPECT_TRUE(dock("projectDock")->isVisible());
    EXPECT_GE(window_->width(), 720);
}

TEST_F(Window, FoldsBelow1200AndOpensAgain) {
    window_->showWorkspace(QStringLiteral("design"));
    window_->resize(1024, 700);
    QApplication::processEvents();
    EXPECT_FALSE(dock("projectDock")->isVisible());
    EXPECT_TRUE(design_->compact);
    window_->resize(1440, 900);
    QApplication::processEvents();
    EXPECT_TRUE(dock("projectDock")->isVisible());
    EXPECT_FALSE(design_->compact);
    // Folding for want of room is no wish to be remembered.
    window_->resize(1024, 700);
    QApplication::processEvents();
    window_->close();
    make({});
    window_->resize(1440, 900);
    QApplication::processEvents();
    EXPECT_TRUE(dock("projectDock")->isVisible());
}

TEST_F(Window, ContextActionsAreInTheMenusOfTheirWorkspaceOnly) {
    const auto editMenu = [&] {
        QStringList texts;
        for (QAction* menu : window_->findChild<QMenuBar*>()->actions()) {
            if (menu->text() != QStringLiteral("&Edit")) continue;
            for (const QAction* entry : menu->menu()->actions()) texts << entry->text();
        }
        return texts;
    };
    EXPECT_TRUE(editMenu().contains(QStringLiteral("Twist train")));
    window_->showWorkspace(QStringLiteral("design"));
    EXPECT_FALSE(editMenu().contains(QStringLiteral("Twist train")));
    EXPECT_TRUE(editMenu().contains(QStringLiteral("Twist design")));
    // One key, the visible workspace hears it.
    design_->edit()->setFocus();
    press(Qt::Key_T, Qt::ControlModifier);
    EXPECT_EQ(design_->twists, 1);
    EXPECT_EQ(train_->twists, 0);
}

TEST_F(Window, UndoGoesToTheWorkspaceAndShowsItsText) {
    QAction* undo = action(QStringLiteral("edit.undo"));
    ASSERT_NE(undo, nullptr);
    EXPECT_EQ(undo->text(), QStringLiteral("Undo twist"));
    undo->trigger();
    EXPECT_EQ(train_->undone, 1);
    train_->undo()->setEnabled(false);
    EXPECT_FALSE(undo->isEnabled());
}

TEST_F(Window, CopyAsCommandTakesTheWorkspacesLine) {
    QAction* copy = action(QStringLiteral("edit.copy_command"));
    EXPECT_FALSE(copy->isEnabled());
    train_->command = QStringLiteral("braid-engine study run laziness");
    Q_EMIT train_->commandLineChanged();
    ASSERT_TRUE(copy->isEnabled());
    press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), train_->command);
}

TEST_F(Window, ThePaletteOpensRunsAndSwitchesWorkspaces) {
    fixture_.addFinishedRun("Window 64");
    fixture_.addArchitecture("edge-24", "FSSS x6");
    ASSERT_TRUE(openProject());
    press(Qt::Key_K, Qt::ControlModifier);
    ASSERT_TRUE(window_->commandPalette()->isVisible());
    press(Qt::Key_E, {});
    auto* edit = window_->commandPalette()->findChild<QLineEdit*>();
    edit->setText(QStringLiteral("edge24"));
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_EQ(session_->currentArchitecture(), QStringLiteral("edge-24"));
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("design"));
    press(Qt::Key_K, Qt::ControlModifier);
    edit->setText(QStringLiteral("Window 64"));
    QTest::keyClick(edit, Qt::Key_Return);
    ASSERT_EQ(session_->selectedRuns().size(), 1u);
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("train"));
}

TEST_F(Window, ThePaletteFindsActionsOfWorkspacesThatNobodyHasOpened) {
    ASSERT_EQ(design_, nullptr);
    press(Qt::Key_K, Qt::ControlModifier);
    auto* edit = window_->commandPalette()->findChild<QLineEdit*>();
    edit->setText(QStringLiteral("investigate"));
    QTest::keyClick(edit, Qt::Key_Return);
    ASSERT_NE(design_, nullptr);
    EXPECT_EQ(window_->currentWorkspace(), QStringLiteral("design"));
    EXPECT_EQ(design_->twists, 1);
    for (const CommandItem& item : window_->registry().items())
        EXPECT_NE(item.text, QStringLiteral("Investigate the design")) << "its own action is there now";
}

TEST(WindowSize, IsNoLargerThanTheScreen) {
    EXPECT_EQ(fittingWindowSize({1920, 1040}), QSize(1440, 900));
    EXPECT_LE(fittingWindowSize({1366, 728}).width(), 1366);
    EXPECT_LT(fittingWindowSize({1366, 728}).height(), 728);
    EXPECT_LT(fittingWindowSize({1024, 700}).width(), 1024);
}

TEST_F(Window, ToastsTellOfOtherWorkspacesOnly) {
    window_->notify(QStringLiteral("train"), QStringLiteral("here"));
    EXPECT_EQ(window_->toasts()->count(), 0);
    window_->notify(QStringLiteral("design"), QStringLiteral("there"));
    EXPECT_EQ(window_->toasts()->count(), 1);
}

TEST_F(Window, TellsWhenARunFailsElsewhereAndResumesALostOne) {
    const RunFolder folder = fixture_.addRun("doomed");
    auto writer = ProjectFixture::write(folder);
    ASSERT_TRUE(writer->begin_attempt({}).has_value());
    ProjectFixture::steps(*writer, 0, 20);
    ASSERT_TRUE(openProject());
    window_->showWorkspace(QStringLiteral("design"));
    ASSERT_TRUE(waitFor([&] { return session_->runs()->at(0)->state() == RunState::running; }));
    ASSERT_TRUE(writer->close(RunState::failed, "the disk is full").has_value());
    ASSERT_TRUE(waitFor([&] { return window_->toasts()->count() == 1; }));
    session_->setSelectedRuns({session_->runs()->at(0)->id});
    QAction* resume = action(QStringLiteral("run.resume_lost"));
    ASSERT_TRUE(resume->isEnabled());
    resume->trigger();
    EXPECT_EQ(commands_.calls.size(), 1);
}

TEST_F(Window, ANewArchitectureIsWrittenAndOpened) {
    ASSERT_TRUE(openProject());
    press(Qt::Key_N, Qt::ControlModifier);
    ASSERT_TRUE(waitFor([&] { return window_->currentWorkspace() == QStringLiteral("design"); }));
    ASSERT_EQ(session_->architectures().size(), 1u);
    EXPECT_EQ(session_->currentArchitecture(), session_->architectures().front().name);
}

TEST_F(Window, AProjectThatCannotBeOpenedIsSaidAndTheWindowGoesOn) {
    window_->openProject(QStringLiteral("/nowhere/at all"));
    ASSERT_TRUE(waitFor([&] { return window_->toasts()->count() == 1; }));
    ASSERT_TRUE(openProject());
    EXPECT_TRUE(window_->windowTitle().startsWith(QStringLiteral("hybrids")));
}

TEST_F(Window, AFigureOfTheTreeOpensItsDialogAndABrokenOneSaysWhy) {
    fixture_.addStudy("laziness");
    fixture_.addFinishedRun("Window 4", "laziness", "window-4/seed-1");
    fixture_.addDocument(DocumentKind::figure, "loss", R"({"schema_version": 1, "kind": "curves",
        "source": {"study": "laziness"}, "panels": [{"metric": "loss"}]})");
    fixture_.addDocument(DocumentKind::figure, "broken", "{");
    ASSERT_TRUE(openProject());
    const auto click = [&](const QString& name) {
        QTreeView* tree = window_->projectPanel()->tree();
        tree->expandAll();
        for (QModelIndex at = tree->model()->index(0, 0); at.isValid(); at = tree->indexBelow(at)) {
            if (at.data(ProjectModel::KeyRole).toString() != name || !at.parent().isValid()) continue;
            tree->scrollTo(at);
            QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(at).center());
            return true;
        }
        return false;
    };
    ASSERT_TRUE(waitFor([&] { return session_->figures().size() == 2; }));
    ASSERT_TRUE(click(QStringLiteral("loss")));
    ASSERT_TRUE(waitFor([&] { return QApplication::activeModalWidget() != nullptr; }));
    QPointer<QWidget> dialog = QApplication::activeModalWidget();
    EXPECT_NE(qobject_cast<FigureDialog*>(dialog.data()), nullptr);
    QTest::keyClick(dialog, Qt::Key_Escape);
    ASSERT_TRUE(waitFor([&] { return dialog.isNull(); }));
    ASSERT_TRUE(click(QStringLiteral("broken")));
    ASSERT_TRUE(waitFor([&] { return window_->toasts()->count() == 1; }));
}

TEST_F(Window, EverythingInTheBarsHasAName) {
    const auto widgets = window_->findChildren<QAbstractButton*>();
    EXPECT_GT(widgets.size(), 6);
    for (const QAbstractButton* button : widgets) {
        // Qt's own clear button and menu extension
        const bool part = button->objectName().startsWith(QStringLiteral("qt_")) ||
                          qobject_cast<QLineEdit*>(button->parentWidget());
        EXPECT_TRUE(part || !button->accessibleName().isEmpty() || !button->text().isEmpty())
            << button->metaObject()->className() << " in "
            << (button->parentWidget() ? button->parentWidget()->metaObject()->className() : "nothing");
    }
}

TEST_F(Window, ShortcutsAreDistinct) {
    std::map<QString, QString> owner;
    for (const auto& entry : window_->registry().actions()) {
        const QString keys = entry.action->shortcut().toString();
        if (keys.isEmpty() || entry.action->objectName().endsWith(QStringLiteral(".twist"))) continue;
        EXPECT_FALSE(owner.contains(keys)) << qPrintable(keys) << ": " << qPrintable(owner[keys]) << " and "
                                           << qPrintable(entry.action->text());
        owner[keys] = entry.action->text();
    }
    EXPECT_GT(owner.size(), 12u);
    ShortcutsDialog dialog(window_->registry());
    dialog.show();
    EXPECT_FALSE(dialog.grab().isNull());
}

}  // namespace
}  // namespace braid::ui
