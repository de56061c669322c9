#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTabBar>

#include "core/record/project.h"
#include "tests/widgets_design/design_window.h"
#include "widgets/common/field.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/segments.h"
#include "widgets/design/banner.h"
#include "widgets/design/context_chart.h"
#include "widgets/design/cost_curves.h"
#include "widgets/design/cost_figures.h"
#include "widgets/design/data_form.h"
#include "widgets/design/difference_panel.h"
#include "widgets/design/name_dialog.h"
#include "widgets/design/problems_popup.h"
#include "widgets/design/stack_view.h"
#include "widgets/design/train_dialog.h"

namespace braid::ui {
namespace {

ArchitectureSpec read_spec(const std::string& file) {
    const Result<Json> json = read_json(file);
    EXPECT_TRUE(json.has_value()) << file;
    return json ? architecture_from_json(*json).value_or(ArchitectureSpec{}) : ArchitectureSpec{};
}

template <class Dialog>
Dialog* dialog_of(DesignWindow& window) {
    return window.page().template findChild<Dialog*>();
}

QAction* action_of(DesignWindow& window, const char* name) {
    for (QAction* action : window.workspace->actions()) {
        if (action->objectName() == QLatin1String(name)) {
            return action;
        }
    }
    return nullptr;
}

TEST(Workspace, ShowsWhatADesignCosts) {
    DesignWindow window(Architectures{{"a", "F x10"}});
    const CostFigures& figures = *window.page().figures();
    EXPECT_EQ(figures.parameters()->value(), QStringLiteral("71.40 M"));
    EXPECT_EQ(figures.parameters()->note(), QStringLiteral("14.99 M non-embed."));
    EXPECT_TRUE(figures.parameters()->second().contains(QStringLiteral("71,")));
    EXPECT_EQ(figures.cache()->value(), QStringLiteral("640 MiB"));
    // The context by its chooser, then by a click in a chart.
    QComboBox* chooser = window.page().curves()->contextChooser();
    chooser->setCurrentIndex(chooser->findText(QStringLiteral("1k")));
    Q_EMIT chooser->activated(chooser->currentIndex());
    EXPECT_EQ(figures.cache()->value(), QStringLiteral("5 MiB"));
    ContextChart* chart = window.page().curves()->cache();
    QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(chart->width() - 64, chart->height() / 2));
    EXPECT_EQ(window.document().context(), 1 << 20);
    EXPECT_EQ(chooser->currentText(), QStringLiteral("1M"));
}

TEST(Workspace, CurvesAndDifferenceFollowAnEdit) {
    DesignWindow window(Architectures{{"a", "FS x5"}, {"b", "F x10"}});
    window.workspace->documents().setBase(QStringLiteral("a"), QStringLiteral("b"));
    window.page().difference()->flush();
    window.page().curves()->flush();
    ASSERT_EQ(window.page().difference()->lines().size(), 1u);
    const DifferenceLine line = window.page().difference()->lines().front();
    EXPECT_EQ(line.where, QStringLiteral("1, 3, 5, 7, 9"));
    EXPECT_EQ(line.from, QStringLiteral("Full"));
    EXPECT_EQ(line.to, QStringLiteral("Sliding window"));
    EXPECT_EQ(window.page().difference()->summary(), QStringLiteral("5 of 10 layers"));
    const auto own = [&] { return window.page().curves()->cache()->lines().back(); };
    EXPECT_EQ(own().label, QStringLiteral("a"));
    const double before = own().points.back().second;
    window.document().setPattern(QStringLiteral("FSSS"));
    window.page().curves()->flush();
    EXPECT_LT(own().points.back().second, before);
    EXPECT_DOUBLE_EQ(
        own().points.back().second,
        3 * 512.0 * (1 << 20) + 7 * 512.0 * 128);  // bytes a token and layer at S1: 2 x 64 x 2 x 2
}

TEST(Workspace, SavesAtomicallyAndKeepsTheOldFileOnFailure) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    window.document().setPattern(QStringLiteral("FSS x3"));
    EXPECT_TRUE(window.workspace->hasUnsavedChanges());
    QSignalSpy saved(window.session.get(), &ProjectSession::saved);
    window.workspace->saveAction()->trigger();
    EXPECT_FALSE(window.workspace->hasUnsavedChanges());
    ASSERT_TRUE(wait_for([&] { return saved.count() > 0; }));
    EXPECT_EQ(letters(read_spec(window.file("a"))), QStringLiteral("FSSFSSFSS"));
    // A folder in the file's place: it cannot be written, nothing is lost, and the page says so.
    QFile::rename(QString::fromStdString(window.file("a")), QString::fromStdString(window.file("b")));
    QDir().mkpath(QString::fromStdString(window.file("a")));
    window.document().setPattern(QStringLiteral("F x2"));
    QSignalSpy failed(window.session.get(), &ProjectSession::saveFailed);
    window.workspace->saveAction()->trigger();
    ASSERT_TRUE(wait_for([&] { return failed.count() > 0; }));
    EXPECT_TRUE(window.workspace->hasUnsavedChanges());
    EXPECT_TRUE(window.page().banner()->sentence().startsWith(QStringLiteral("Not saved")))
        << window.page().banner()->sentence().toStdString();
}

TEST(Workspace, UnsavedWorkIsOfferedAfterACrash) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    window.document().setPattern(QStringLiteral("FSSSS x2"));
    window.workspace->prepareToClose();
    const std::string side_file = window.folder.path().toStdString() + "/.autosave/a.json";
    ASSERT_TRUE(wait_for([&] { return QFile::exists(QString::fromStdString(side_file)); }));
    window.stop();
    Json left = *read_json(side_file);
    left.erase("process");  // the window that wrote it is gone; this process is not
    ASSERT_TRUE(write_json_atomically(side_file, left).has_value());
    EXPECT_EQ(letters(read_spec(window.file("a"))), QStringLiteral("FSFSFSFSFS"));
    window.start("a", {1175, 787});
    ASSERT_TRUE(wait_for([&] { return !window.page().banner()->sentence().isEmpty(); }))
        << "nothing was offered";
    EXPECT_TRUE(window.page().banner()->choose(QStringLiteral("Restore")));
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSSSSFSSSS"));
    EXPECT_TRUE(window.workspace->hasUnsavedChanges());
    window.document().undoStack()->undo();
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSFSFSFSFS"));
}

TEST(Workspace, EachArchitectureKeepsItsOwnUndo) {
    DesignWindow window(Architectures{{"a", "FS x5"}, {"b", "F x2"}});
    window.document().setPattern(QStringLiteral("FSSS"));
    window.session->setCurrentArchitecture(QStringLiteral("b"));
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FF"));
    EXPECT_FALSE(window.workspace->undoAction()->isEnabled());
    window.session->setCurrentArchitecture(QStringLiteral("a"));
    EXPECT_TRUE(window.workspace->undoAction()->isEnabled());
    window.workspace->undoAction()->trigger();
    EXPECT_EQ(window.document().pattern(), QStringLiteral("FS x5"));
}

TEST(Workspace, MakesRenamesDuplicatesAndDeletesArchitectures) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    action_of(window, "design.new")->trigger();
    auto* create = dialog_of<NewArchitectureDialog>(window);
    ASSERT_NE(create, nullptr);
    create->field()->setText(QStringLiteral("a"));
    Q_EMIT create->field()->edited(QStringLiteral("a"));  // taken
    create->field()->setText(QStringLiteral("wide"));
    Q_EMIT create->field()->edited(QStringLiteral("wide"));
    create->scaleChooser()->setCurrentIndex(create->scaleChooser()->findData(QStringLiteral("S2")));
    create->accept();
    ASSERT_TRUE(wait_for([&] { return window.session->architecture(QStringLiteral("wide")) != nullptr; }));
    ASSERT_TRUE(
        wait_for([&] { return window.workspace->document() && window.document().spec().d_model == 512; }));

    action_of(window, "design.duplicate-architecture")->trigger();
    auto* duplicate = window.page().findChild<NameDialog*>();
    ASSERT_NE(duplicate, nullptr);
    EXPECT_EQ(duplicate->name(), QStringLiteral("wide-2"));
    duplicate->accept();
    ASSERT_TRUE(wait_for([&] {
        return window.session->currentArchitecture() == QStringLiteral("wide-2") &&
               window.workspace->document();
    }));
    EXPECT_EQ(window.workspace->documents().baseChoice(QStringLiteral("wide-2")), QStringLiteral("wide"));
    QTest::qWait(20);  // the first dialog goes

    window.document().setPattern(QStringLiteral("FFS"));
    action_of(window, "design.rename")->trigger();
    NameDialog* rename = nullptr;
    for (NameDialog* dialog : window.page().findChildren<NameDialog*>()) {
        rename = dialog->windowTitle().startsWith(QStringLiteral("Rename")) ? dialog : rename;
    }
    ASSERT_NE(rename, nullptr);
    rename->field()->setText(QStringLiteral("renamed"));
    rename->accept();
    ASSERT_TRUE(wait_for([&] { return window.session->architecture(QStringLiteral("renamed")) != nullptr; }));
    EXPECT_EQ(window.document().pattern(), QStringLiteral("FFS"));  // unsaved work moves along

    action_of(window, "design.delete")->trigger();
    ASSERT_TRUE(wait_for([&] { return window.session->architecture(QStringLiteral("renamed")) == nullptr; }));
    EXPECT_TRUE(window.page().banner()->choose(QStringLiteral("Undo")));
    EXPECT_TRUE(wait_for([&] { return window.session->architecture(QStringLiteral("renamed")) != nullptr; }));
}

TEST(Workspace, ExportsAndImportsBraidJson) {
    DesignWindow window(Architectures{{"a", "FS[w=16] x5"}});
    const QString file = window.folder.filePath(QStringLiteral("out.json"));
    action_of(window, "design.export")->trigger();
    auto* out = dialog_of<QFileDialog>(window);
    ASSERT_NE(out, nullptr);
    Q_EMIT out->fileSelected(file);
    out->close();
    const ArchitectureSpec written = read_spec(file.toStdString());
    EXPECT_EQ(written.name, "a");
    EXPECT_EQ(content_hash(written, builtin_mixers()),
              content_hash(window.document().spec(), builtin_mixers()));
    QTest::qWait(10);

    action_of(window, "design.import")->trigger();
    auto* in = dialog_of<QFileDialog>(window);
    ASSERT_NE(in, nullptr);
    Q_EMIT in->fileSelected(file);
    in->close();
    // The name is taken: another is found, nothing is overwritten.
    ASSERT_TRUE(wait_for([&] { return window.session->architecture(QStringLiteral("out")) != nullptr; }));
    QTest::qWait(10);

    // A file that is something else says why.
    ASSERT_TRUE(write_file_atomically(file.toStdString(), "{\"layers\": 3}").has_value());
    action_of(window, "design.import")->trigger();
    in = dialog_of<QFileDialog>(window);
    ASSERT_NE(in, nullptr);
    Q_EMIT in->fileSelected(file);
    in->close();
    auto* box = dialog_of<QMessageBox>(window);
    ASSERT_NE(box, nullptr);
    EXPECT_FALSE(box->text().isEmpty());
    box->close();
}

TEST(Workspace, PaletteFindsLayersAndPresets) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    bool found = false;
    for (const CommandItem& item : window.registry.items()) {
        if (item.text == QStringLiteral("Layer 7: Sliding window")) {
            item.run();
            found = true;
        }
    }
    EXPECT_TRUE(found);
    EXPECT_EQ(window.page().stack()->currentIndex().row(), 7);
    EXPECT_TRUE(window.page().stack()->hasFocus());
}

TEST(Workspace, TrainingIsRefusedWithAReasonUntilTheDesignIsRight) {
    DesignWindow window(Architectures{{"a", "FS x2"}}, "tiny");
    window.document().setPattern(QStringLiteral("FS[w=0] x2"));
    EXPECT_FALSE(window.workspace->trainButton()->isEnabled());
    EXPECT_TRUE(
        window.workspace->trainButton()->toolTip().contains(QStringLiteral("window must be at least 1")))
        << window.workspace->trainButton()->toolTip().toStdString();
    window.document().setPattern(QStringLiteral("FS[w=16] x2"));
    ASSERT_TRUE(window.workspace->trainButton()->isEnabled());
    QTest::mouseClick(window.workspace->trainButton(), Qt::LeftButton);
    auto* dialog = dialog_of<TrainDialog>(window);
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->dataForm()->data().kind, "recall");
    // Tokens and steps are one setting.
    QLineEdit* tokens = dialog->tokensField()->lineEdit();
    EXPECT_EQ(tokens->text(), QStringLiteral("2,457,600"));
    QTest::qWait(50);  // until the dialog has placed its focus
    QTest::mouseDClick(tokens, Qt::LeftButton, {}, QPoint(20, 14));
    tokens->selectAll();
    QTest::keyClicks(tokens, QStringLiteral("819200"));
    EXPECT_TRUE(tokens->hasFocus());
    tokens->clearFocus();
    EXPECT_EQ(dialog->plan().training.steps, 200);
    EXPECT_EQ(tokens->text(), QStringLiteral("819,200"));
    EXPECT_GE(tokens->width() - 20,
              tokens->fontMetrics().horizontalAdvance(QStringLiteral("10,000,000,000")));
    QStringList devices;
    for (const auto* choice : dialog->editor("device")->segments()->findChildren<QAbstractButton*>())
        devices << choice->text();
    EXPECT_EQ(devices, (QStringList{QStringLiteral("Auto"), QStringLiteral("CPU"), QStringLiteral("CUDA")}));
    Q_EMIT dialog->editor("seed")->changed(ParameterValue(std::int64_t{7}));
    Q_EMIT dialog->editor("micro_batches")->changed(ParameterValue(std::int64_t{5}));
    EXPECT_FALSE(dialog->startButton()->isEnabled());  // 32 sequences do not divide by 5
    Q_EMIT dialog->editor("micro_batches")->changed(ParameterValue(std::int64_t{4}));
    ASSERT_TRUE(dialog->startButton()->isEnabled()) << dialog->startButton()->toolTip().toStdString();
    QTest::mouseClick(dialog->startButton(), Qt::LeftButton);
    ASSERT_EQ(window.commands.plans.size(), 1u);
    const TrainingPlan& plan = window.commands.plans.front();
    EXPECT_EQ(letters(plan.architecture), QStringLiteral("FSFS"));
    EXPECT_EQ(plan.architecture.name, "a");
    EXPECT_EQ(plan.training.seed, 7u);
    EXPECT_EQ(plan.training.micro_batches, 4);
    EXPECT_EQ(plan.data.kind, "recall");
}

TEST(Workspace, ProblemsAreListedAndLeadToTheirPlace) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    window.document().setPattern(QStringLiteral("FS[w=0]FS[w=-3] x2"));
    EXPECT_EQ(window.shell.problems, 4);
    ASSERT_TRUE(window.shell.show_problems != nullptr);
    window.shell.show_problems();
    auto* popup = window.page().findChild<ProblemsPopup*>();
    ASSERT_NE(popup, nullptr);
    EXPECT_EQ(popup->list()->count(), 4);
    Q_EMIT popup->list()->itemClicked(popup->list()->item(1));
    EXPECT_EQ(window.page().stack()->currentIndex().row(), 3);
}

TEST(Workspace, NarrowWindowsShowTheCostAsTabs) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    EXPECT_FALSE(window.page().isCompact());
    window.workspace->setCompact(true);
    EXPECT_TRUE(window.page().tabs()->isVisible());
    EXPECT_TRUE(window.page().stack()->isVisible());
    EXPECT_FALSE(window.page().curves()->isVisible());
    EXPECT_TRUE(window.page().figures()->isVisible());
    window.page().tabs()->setCurrentIndex(1);
    EXPECT_FALSE(window.page().stack()->isVisible());
    EXPECT_TRUE(window.page().curves()->isVisible());
    window.workspace->setCompact(false);
    EXPECT_TRUE(window.page().stack()->isVisible());
    EXPECT_TRUE(window.page().curves()->isVisible());
}

TEST(Workspace, AnEmptyProjectSaysWhatToDo) {
    DesignWindow window(Architectures{});
    EXPECT_EQ(window.workspace->document(), nullptr);
    EXPECT_FALSE(window.workspace->trainButton()->isEnabled());
    window.page().setDocument(nullptr, {});
}

}  // namespace
}  // namespace braid::ui
