// The shared widgets by real clicks and keys.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QStyleOptionHeader>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/common/command_foot.h"
#include "widgets/common/command_list_model.h"
#include "widgets/common/command_palette.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/run_name.h"
#include "widgets/common/segments.h"
#include "widgets/common/theme.h"
#include "widgets/common/toast.h"

namespace braid::ui {
namespace {

TEST(SegmentsWidget, ClicksAndArrowKeysChoose) {
    Segments segments(QStringLiteral("Axis"),
                      {QStringLiteral("Step"), QStringLiteral("Tokens"), QStringLiteral("Time")});
    segments.show();
    QSignalSpy chosen(&segments, &Segments::chosen);
    EXPECT_EQ(segments.current(), 0);
    QTest::mouseClick(segments.button(2), Qt::LeftButton);
    EXPECT_EQ(segments.current(), 2);
    ASSERT_EQ(chosen.count(), 1);
    QTest::keyClick(segments.button(2), Qt::Key_Left);
    EXPECT_EQ(segments.current(), 1);
    segments.setChoiceEnabled(0, false, QStringLiteral("no steps"));
    QTest::keyClick(segments.button(1), Qt::Key_Left);
    EXPECT_EQ(segments.current(), 1) << "a disabled choice is skipped";
    segments.setCurrent(2);
    EXPECT_EQ(chosen.count(), 2) << "the program chooses silently";
    EXPECT_EQ(segments.button(0)->accessibleDescription(), QStringLiteral("no steps"));
}

TEST(FieldWidget, CommitsOnceAndShowsItsError) {
    Field field(QStringLiteral("Window"), QStringLiteral("tokens"));
    field.setText(QStringLiteral("128"));
    field.show();
    QSignalSpy edited(&field, &Field::edited), committed(&field, &Field::committed);
    field.lineEdit()->selectAll();
    QTest::keyClicks(field.lineEdit(), QStringLiteral("64"));
    QTest::keyClick(field.lineEdit(), Qt::Key_Return);
    EXPECT_EQ(edited.count(), 2);
    ASSERT_EQ(committed.count(), 1);
    EXPECT_EQ(committed.front().front().toString(), QStringLiteral("64"));
    QTest::keyClick(field.lineEdit(), Qt::Key_Return);
    EXPECT_EQ(committed.count(), 1) << "nothing changed";
    field.setError(QStringLiteral("must be at least 1"));
    EXPECT_EQ(field.lineEdit()->accessibleDescription(), QStringLiteral("must be at least 1"));
    EXPECT_EQ(field.lineEdit()->accessibleName(), QStringLiteral("Window"));
}

TEST(FieldWidget, TheReturnThatCommitsIsNotTheDialogs) {
    QDialog dialog;
    auto* layout = new QVBoxLayout(&dialog);
    auto* field = new Field(QStringLiteral("Tokens"));
    layout->addWidget(field);
    auto* start = new QPushButton(QStringLiteral("Start"));
    layout->addWidget(start);
    start->setDefault(true);
    QSignalSpy started(start, &QPushButton::clicked), committed(field, &Field::committed);
    dialog.show();
    field->lineEdit()->setFocus();
    QTest::keyClicks(field->lineEdit(), QStringLiteral("2M"));
    QTest::keyClick(field->lineEdit(), Qt::Key_Return);
    EXPECT_EQ(committed.count(), 1);
    EXPECT_EQ(started.count(), 0);
    QTest::keyClick(field->lineEdit(), Qt::Key_Return);
    EXPECT_EQ(started.count(), 1) << "nothing is open any more";
}

TEST(CommandFootWidget, ProblemsDisableTheStartAndTheCommandIsCopied) {
    CommandFoot foot(QStringLiteral("Score"));
    foot.resize(500, 120);
    foot.show();
    QSignalSpy started(&foot, &CommandFoot::started), cancelled(&foot, &CommandFoot::cancelled);
    foot.setCommand(QStringLiteral("braid-engine eval niah a91f@400"));
    foot.setProblems({QStringLiteral("one"), QStringLiteral("two"), QStringLiteral("three\nfour")});
    QTest::mouseClick(foot.startButton(), Qt::LeftButton);
    EXPECT_EQ(started.count(), 0);
    EXPECT_EQ(foot.problemText(), QStringLiteral("one\ntwo\nthree\nfour"));
    EXPECT_EQ(foot.startButton()->toolTip(), foot.problemText());
    const auto shown = [&] {
        for (const QLabel* label : foot.findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String("Problems")) return label->text();
        return QString();
    };
    EXPECT_EQ(shown(), QStringLiteral("one\ntwo\nand 2 more"));
    foot.setProblems({});
    EXPECT_TRUE(shown().isEmpty());
    QTest::mouseClick(foot.startButton(), Qt::LeftButton);
    EXPECT_EQ(started.count(), 1);
    QTest::mouseClick(foot.cancelButton(), Qt::LeftButton);
    EXPECT_EQ(cancelled.count(), 1);
    QTest::mouseClick(foot.copyButton(), Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("braid-engine eval niah a91f@400"));
}

TEST(PageToolbarWidget, FoldsWhatDoesNotFitAndKeepsThePrimaryButton) {
    PageToolbar bar(QStringLiteral("edge-24"));
    QList<QPushButton*> buttons;
    for (int i = 0; i < 5; ++i) {
        buttons << makeButton(QStringLiteral("Button %1").arg(i));
        bar.addWidget(buttons.back());
    }
    bar.resize(1000, 44);
    bar.show();
    for (const QPushButton* button : buttons) EXPECT_TRUE(button->isVisible());
    bar.resize(380, 44);
    QApplication::processEvents();
    EXPECT_FALSE(buttons[3]->isVisible());
    EXPECT_TRUE(buttons[4]->isVisible());
    buttons[4]->hide();
    bar.resize(1000, 44);
    QApplication::processEvents();
    EXPECT_TRUE(buttons[3]->isVisible());
    EXPECT_FALSE(buttons[4]->isVisible()) << "hidden by its owner";
}

TEST(Toasts, AtMostThreeAndTheActionRuns) {
    QWidget window;
    window.resize(800, 600);
    window.show();
    ToastHost host(&window);
    bool undone = false;
    for (int i = 0; i < 5; ++i)
        host.show(QStringLiteral("message %1").arg(i), QStringLiteral("Undo"), [&] { undone = true; });
    EXPECT_EQ(host.count(), 3);
    const auto toasts = window.findChildren<QWidget*>(QStringLiteral("toast"));
    for (const QWidget* toast : toasts) {
        EXPECT_TRUE(window.rect().contains(toast->geometry().adjusted(0, 12, 0, -12)));
    }
    auto* button = toasts.back()->findChild<QPushButton*>();
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(undone);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(host.count(), 2);
}

TEST(Fuzzy, PrefersStartsOfWordsAndRuns) {
    EXPECT_LT(fuzzyScore(QStringLiteral("xyz"), QStringLiteral("Duplicate layer")), 0);
    QList<int> hits;
    EXPECT_GT(fuzzyScore(QStringLiteral("dl"), QStringLiteral("Duplicate layer"), &hits), 0);
    EXPECT_EQ(hits, (QList<int>{0, 10}));
    EXPECT_GT(fuzzyScore(QStringLiteral("rl"), QStringLiteral("Reset layout")),
              fuzzyScore(QStringLiteral("rl"), QStringLiteral("Browse all")));
    EXPECT_GT(fuzzyScore(QStringLiteral("STOP"), QStringLiteral("Stop")), 0);
    EXPECT_GE(fuzzyScore(QString(), QStringLiteral("Anything")), -99);
}

class Palette : public testing::Test {
protected:
    Palette() {
        window_.resize(900, 600);
        other_ = new QLineEdit(&window_);
        for (const char* text : {"Pause", "Reset layout", "Duplicate layer"}) {
            auto* action = new QAction(QLatin1String(text), &window_);
            action->setObjectName(QLatin1String(text));
            QObject::connect(action, &QAction::triggered, [this, text] { ran_ << QLatin1String(text); });
            registry_.addAction(action, QStringLiteral("Run"));
        }
        registry_.addSource(&window_, [this] {
            return QList<CommandItem>{{.text = QStringLiteral("Window 64"),
                                       .group = QStringLiteral("Run"),
                                       .iconName = {},
                                       .run = [this] { ran_ << QStringLiteral("open run"); }}};
        });
        palette_ = new CommandPalette(registry_, &window_);
        window_.show();
        window_.activateWindow();
        (void)QTest::qWaitForWindowActive(&window_);
        other_->setFocus();
    }
    QWidget window_;
    QLineEdit* other_;
    CommandRegistry registry_;
    CommandPalette* palette_;
    QStringList ran_;
};

TEST_F(Palette, TypingFindsAndReturnRuns) {
    palette_->open(30);
    EXPECT_EQ(palette_->shownTexts().size(), 4);
    auto* edit = palette_->findChild<QLineEdit*>();
    QTest::keyClicks(edit, QStringLiteral("w64"));
    ASSERT_FALSE(palette_->shownTexts().isEmpty());
    EXPECT_EQ(palette_->shownTexts().front(), QStringLiteral("Window 64"));
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_EQ(ran_, QStringList{QStringLiteral("open run")});
    EXPECT_FALSE(palette_->isVisible());
    EXPECT_TRUE(other_->hasFocus()) << "the focus goes back";
}

TEST_F(Palette, SaysThatNothingIsFound) {
    palette_->open(30);
    auto* edit = palette_->findChild<QLineEdit*>();
    const auto* none = palette_->findChild<QLabel*>();
    EXPECT_FALSE(none->isVisible());
    QTest::keyClicks(edit, QStringLiteral("xyzzy"));
    EXPECT_TRUE(none->isVisible());
    EXPECT_FALSE(palette_->findChild<QListView*>()->isVisible());
    QTest::keyClick(edit, Qt::Key_Return);
    QTest::keyClick(edit, Qt::Key_Escape);
    EXPECT_TRUE(ran_.isEmpty());
}

TEST_F(Palette, EscapeClosesAndDisabledActionsDoNotRun) {
    registry_.actions().front().action->setEnabled(false);
    palette_->open(30);
    auto* edit = palette_->findChild<QLineEdit*>();
    QTest::keyClicks(edit, QStringLiteral("pause"));
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_TRUE(ran_.isEmpty());
    QTest::keyClick(edit, Qt::Key_Escape);
    EXPECT_FALSE(palette_->isVisible());
}

TEST(CommandModel, KeepsTheRulesOfModels) {
    CommandListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QList<CommandItem> items;
    for (int i = 0; i < 500; ++i)
        items.push_back({.text = QStringLiteral("Run %1").arg(i), .group = {}, .iconName = {}, .run = {}});
    model.setItems(items);
    EXPECT_EQ(model.rowCount(), CommandListModel::most_shown);
    model.setQuery(QStringLiteral("run 49"));
    EXPECT_EQ(model.at(0).text, QStringLiteral("Run 49"));
    model.setQuery(QStringLiteral("nothing like it"));
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(Registry, ShortcutsOfTheUserAreKeptAndCanBeReset) {
    const auto make = [](CommandRegistry& registry, QObject* parent) {
        auto* action = new QAction(QStringLiteral("Pause"), parent);
        action->setObjectName(QStringLiteral("test.pause"));
        action->setShortcut(QKeySequence(QStringLiteral("Ctrl+P")));
        registry.addAction(action, QStringLiteral("Run"));
        return action;
    };
    QObject owner;
    CommandRegistry first;
    first.setShortcut(make(first, &owner), QKeySequence(QStringLiteral("Ctrl+Alt+P")));
    CommandRegistry second;
    QAction* action = make(second, &owner);
    EXPECT_EQ(action->shortcut(), QKeySequence(QStringLiteral("Ctrl+Alt+P")));
    EXPECT_EQ(second.defaultShortcut(action), QKeySequence(QStringLiteral("Ctrl+P")));
    second.resetShortcut(action);
    EXPECT_EQ(action->shortcut(), QKeySequence(QStringLiteral("Ctrl+P")));
    EXPECT_FALSE(QSettings().contains(QStringLiteral("shortcuts/test.pause")));
}

TEST(DataTableWidget, CopiesWhatIsShownInTheShownOrder) {
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({QStringLiteral("Run"), QStringLiteral("Loss")});
    for (const char* name : {"a", "b", "c"}) {
        model.appendRow({new QStandardItem(QLatin1String(name)), new QStandardItem(QStringLiteral("1.5"))});
    }
    DataTable table(QStringLiteral("Runs"));
    table.setSortingEnabled(false);
    table.setModel(&model);
    table.show();
    table.selectRow(1);
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("Run\tLoss\nb\t1.5\n"));
    table.clearSelection();
    table.copySelection();
    EXPECT_EQ(QApplication::clipboard()->text().count(QLatin1Char('\n')), 4);
}

TEST(DataTableWidget, KeysSortByTheColumnOfTheCell) {
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({QStringLiteral("Run"), QStringLiteral("Loss")});
    for (const char* name : {"b", "c", "a"})
        model.appendRow({new QStandardItem(QLatin1String(name)),
                         new QStandardItem(QString::number(10 - QLatin1Char(name[0]).unicode() % 5))});
    DataTable table(QStringLiteral("Runs"));
    table.setModel(&model);
    table.show();
    const auto first = [&] { return model.index(0, 0).data().toString(); };
    table.setCurrentIndex(model.index(0, 0));
    QTest::keyClick(&table, Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(first(), QStringLiteral("a"));
    QTest::keyClick(&table, Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(first(), QStringLiteral("c"));
    QTest::keyClick(&table, Qt::Key_Right);
    EXPECT_EQ(table.currentIndex().column(), 1);
    QTest::keyClick(&table, Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(table.horizontalHeader()->sortIndicatorSection(), 1);
    table.setSortingEnabled(false);
    const QString before = first();
    QTest::keyClick(&table, Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(first(), before);
}

// Where a table is sorted by a column, its name and the mark of the order both have room.
TEST(DataTableWidget, NoHeaderIsCutByTheMarkOfTheOrder) {
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({QStringLiteral("Distance"), QStringLiteral("Weight")});
    DataTable table(QStringLiteral("Links"));
    table.setModel(&model);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table.sortByColumn(0, Qt::DescendingOrder);
    table.show();
    QStyleOptionHeader option;
    option.rect = QRect(0, 0, table.columnWidth(0), 28);
    option.sortIndicator = QStyleOptionHeader::SortUp;
    const QRect label = table.style()->subElementRect(QStyle::SE_HeaderLabel, &option);
    const QRect arrow = table.style()->subElementRect(QStyle::SE_HeaderArrow, &option);
    const QFontMetrics letters(Theme::instance().font(TypeStep::table, 500));
    EXPECT_GE(label.width(), letters.horizontalAdvance(QStringLiteral("Distance")));
    EXPECT_FALSE(label.intersects(arrow));
}

TEST(Labels, ElidedTextTellsAllInItsToolTip) {
    TextLabel label(QStringLiteral("a rather long name of a run that does not fit"));
    label.setElided(Qt::ElideRight);
    label.resize(80, 20);
    label.show();
    label.grab();
    EXPECT_EQ(label.toolTip(), label.text());
    label.resize(800, 20);
    label.grab();
    EXPECT_TRUE(label.toolTip().isEmpty());
}

TEST(Buttons, ADisabledButtonSaysWhy) {
    const std::unique_ptr<QPushButton> button(makePrimaryButton(QStringLiteral("Train…")));
    setDisabledReason(button.get(), QStringLiteral("1 problem in layer 14"));
    EXPECT_FALSE(button->isEnabled());
    EXPECT_EQ(button->toolTip(), QStringLiteral("1 problem in layer 14"));
    setDisabledReason(button.get(), {});
    EXPECT_TRUE(button->isEnabled());
    EXPECT_EQ(KeyHint::text(QKeySequence(QStringLiteral("Alt+Up"))), QStringLiteral("Alt ↑"));
}

TEST(RunNames, KeepHowTheyBeginAndEnd) {
    const QFontMetrics letters(Theme::instance().font());
    const QString name = QStringLiteral("Window 64, NoPE, seed 5");
    const auto width = [&](const char* text) { return letters.horizontalAdvance(QString::fromUtf8(text)); };
    EXPECT_EQ(elidedRunName(name, letters, 1000), name);
    EXPECT_EQ(elidedRunName(name, letters, width("Window 64, NoPE, s5") + 1),
              QStringLiteral("Window 64, NoPE, s5"));
    const QString narrow = elidedRunName(name, letters, width("Window 64, s5"));
    EXPECT_TRUE(narrow.startsWith(QStringLiteral("Win")) && narrow.endsWith(QStringLiteral(", s5")))
        << narrow.toStdString();
    EXPECT_LE(letters.horizontalAdvance(narrow), width("Window 64, s5"));
    EXPECT_TRUE(elidedRunName(QStringLiteral("A name of another kind"), letters, 60)
                    .startsWith(QStringLiteral("A n")));
}

TEST(Format, PercentIsFullOnlyWhenComplete) {
    EXPECT_EQ(formatPercent(0.43), QStringLiteral("43 %"));
    EXPECT_EQ(formatPercent(0.9999), QStringLiteral("99 %"));
    EXPECT_EQ(formatPercent(1), QStringLiteral("100 %"));
    EXPECT_EQ(formatEta(72, 8), QStringLiteral("01:12 ± 8 s left"));
}

}  // namespace
}  // namespace braid::ui
