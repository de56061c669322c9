#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QAction>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>
#include <QScrollBar>
#include <random>

#include "tests/widgets_design/design_window.h"
#include "widgets/design/insert_bar.h"
#include "widgets/design/pattern_edit.h"
#include "widgets/design/pattern_field.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {
namespace {

QPoint row_centre(const StackView& stack, int row) {
    return stack.visualRect(stack.model()->index(row, StackModel::MixerColumn)).center();
}

void click_row(StackView& stack, int row, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(stack.viewport(), Qt::LeftButton, modifiers, row_centre(stack, row));
}

std::vector<int> selected(const StackView& stack) {
    std::vector<int> rows;
    for (const QModelIndex& index : stack.selectionModel()->selectedRows()) {
        rows.push_back(index.row());
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

TEST(StackModel, KeepsTheContractOfItemModelsThroughEdits) {
    const auto document = document_of("FS x5");
    StackModel model(*document);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    std::mt19937 random(7);
    const char* texts[] = {"FS x3", "SSSF x4", "F", "S[w=0]F x2", "FS[", "{F:2 S:4} x3", "FSSS x250"};
    for (int i = 0; i < 120; ++i) {
        const std::size_t layers = document->spec().layers.size();
        const std::vector<LayerId> some = {document->spec().layers[random() % layers].id,
                                           document->spec().layers[random() % layers].id};
        switch (random() % 6) {
            case 0:
                document->setPattern(QString::fromUtf8(texts[random() % std::size(texts)]));
                break;
            case 1:
                document->insertLayer(random() % (layers + 1), "full");
                break;
            case 2:
                document->moveLayers(some, random() % (layers + 1));
                break;
            case 3:
                document->duplicateLayers(some);
                break;
            case 4:
                document->undoStack()->undo();
                break;
            default:
                document->undoStack()->setIndex(
                    static_cast<int>(random() % (static_cast<unsigned>(document->undoStack()->count()) + 1)));
                break;
        }
        ASSERT_EQ(model.rowCount(), static_cast<int>(document->spec().layers.size()));
        for (int row = 0; row < model.rowCount(); ++row) {
            ASSERT_EQ(model.row(row).id, document->spec().layers[static_cast<std::size_t>(row)].id);
        }
    }
}

TEST(StackModel, TellsScreenReadersARowInWords) {
    const auto document = document_of("FS x2");
    document->setPattern(QStringLiteral("FS[w=0] x2"));
    StackModel model(*document);
    EXPECT_EQ(model.index(0, 0).data(Qt::AccessibleTextRole).toString(),
              QStringLiteral("Layer 0, Full, h6 kv2 · RoPE 1e5, 1.499 M parameters, 64 MiB cache"));
    EXPECT_EQ(model.index(1, 0).data(Qt::AccessibleTextRole).toString(),
              QStringLiteral("Layer 1, Sliding window, problem: window: must be at least 1, got 0"));
}

TEST(Stack, LettersInsertAfterTheSelection) {
    DesignWindow window(Architectures{{"a", "F x3"}});
    StackView& stack = *window.page().stack();
    click_row(stack, 0);
    QTest::keyClick(&stack, Qt::Key_S);
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSFF"));
    EXPECT_EQ(selected(stack), std::vector<int>{1});
    QTest::keyClick(&stack, Qt::Key_S);
    QTest::keyClick(&stack, Qt::Key_F, Qt::ShiftModifier);
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSSFFF"));
    EXPECT_EQ(window.page().pattern()->edit()->line(), window.document().pattern());
    QTest::keyClick(&stack, Qt::Key_Q);  // no mixer's letter
    EXPECT_EQ(window.document().spec().layers.size(), 6u);
}

TEST(Stack, MovesDuplicatesAndRemovesByKeys) {
    DesignWindow window(Architectures{{"a", "FFSS x1"}});
    StackView& stack = *window.page().stack();
    click_row(stack, 2);
    QTest::keyClick(&stack, Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSFS"));
    EXPECT_EQ(selected(stack), std::vector<int>{1});
    QTest::keyClick(&stack, Qt::Key_Up, Qt::AltModifier);
    QTest::keyClick(&stack, Qt::Key_Up, Qt::AltModifier);  // already at the top
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("SFFS"));
    QTest::keyClick(&stack, Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSFS"));
    QTest::keyClick(&stack, Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSSFS"));
    EXPECT_EQ(selected(stack), std::vector<int>{2});
    QTest::keyClick(&stack, Qt::Key_Delete);
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSFS"));
    EXPECT_EQ(selected(stack), std::vector<int>{2});
    while (window.document().undoStack()->canUndo()) {
        QTest::keyClick(&stack, Qt::Key_Z, Qt::ControlModifier);
    }
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FFSS"));
    EXPECT_TRUE(window.document().isClean());
}

TEST(Stack, ARangeIsEditedAtOnce) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    StackView& stack = *window.page().stack();
    click_row(stack, 1);
    click_row(stack, 6, Qt::ShiftModifier);
    EXPECT_EQ(selected(stack), (std::vector<int>{1, 2, 3, 4, 5, 6}));
    QTest::keyClick(&stack, Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(window.document().spec().layers.size(), 16u);
    EXPECT_EQ(selected(stack), (std::vector<int>{7, 8, 9, 10, 11, 12}));
    QTest::keyClick(&stack, Qt::Key_Delete);
    EXPECT_EQ(window.document().pattern(), QStringLiteral("FS x5"));
}

TEST(Stack, DropsRowsAndMixersBetweenRows) {
    DesignWindow window(Architectures{{"a", "FFFSS x1"}});
    StackView& stack = *window.page().stack();
    click_row(stack, 3);
    click_row(stack, 4, Qt::ShiftModifier);
    const std::vector<LayerId> moved = stack.selectedLayers();
    const auto drop = [&](QMimeData* data, QPoint place) {
        const std::unique_ptr<QMimeData> keep(data);
        const Qt::DropActions actions = Qt::MoveAction | Qt::CopyAction;
        QDragEnterEvent enter(place, actions, data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(stack.viewport(), &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDragMoveEvent over(place, actions, data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(stack.viewport(), &over);
        QDropEvent event(QPointF(place), actions, data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(stack.viewport(), &event);
    };
    const QRect second = stack.visualRect(stack.model()->index(1, 0));
    drop(stack.stack()->mimeData({stack.model()->index(3, 0), stack.model()->index(4, 0)}),
         QPoint(100, second.top() + 2));
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSSFF"));
    EXPECT_EQ(stack.selectedLayers(), moved);
    EXPECT_EQ(window.document().undoStack()->count(), 1);
    auto* mixer = new QMimeData;
    mixer->setData(StackModel::mixerMimeType(), "swa");
    drop(mixer, QPoint(100, stack.viewport()->height() - 4));
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSSFFS"));
}

TEST(Stack, SelectionFollowsItsLayersThroughTextAndUndo) {
    DesignWindow window(Architectures{{"a", "FSFS x1"}});
    StackView& stack = *window.page().stack();
    click_row(stack, 3);
    const std::vector<LayerId> chosen = stack.selectedLayers();
    window.document().setPattern(QStringLiteral("FFSFS x1"));
    EXPECT_EQ(stack.selectedLayers(), chosen);
    window.document().undoStack()->undo();
    EXPECT_EQ(stack.selectedLayers(), chosen);
    EXPECT_EQ(selected(stack), std::vector<int>{3});
    EXPECT_EQ(window.session->selectedLayers(), chosen);
}

TEST(Stack, ContextMenuChangesAndSelectsAlike) {
    DesignWindow window(Architectures{{"a", "FS x5"}});
    StackView& stack = *window.page().stack();
    click_row(stack, 1);
    QMenu menu;
    stack.fillMenu(menu);
    QAction* alike = nullptr;
    for (QAction* action : menu.actions()) {
        alike = action->text().startsWith(QStringLiteral("Select All Like")) ? action : alike;
    }
    ASSERT_NE(alike, nullptr);
    alike->trigger();
    EXPECT_EQ(selected(stack), (std::vector<int>{1, 3, 5, 7, 9}));
    QMenu again;
    stack.fillMenu(again);
    again.actions().at(1)->menu()->actions().front()->trigger();
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FFFFFFFFFF"));
}

TEST(Stack, InsertBarInsertsByClick) {
    DesignWindow window(Architectures{{"a", "F x2"}});
    auto* key = window.page().findChild<QAbstractButton*>(QStringLiteral("design.insert.swa"));
    ASSERT_NE(key, nullptr);
    QTest::mouseClick(key, Qt::LeftButton);
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FFS"));
}

TEST(Stack, AThousandLayersScrollWithinAFrame) {
    DesignWindow window(Architectures{{"deep", "FSSS x250"}});
    StackView& stack = *window.page().stack();
    QTest::qWait(50);
    QScrollBar* bar = stack.verticalScrollBar();
    ASSERT_GT(bar->maximum(), 20000);
    std::vector<double> frames;
    for (int i = 0; i < 60; ++i) {
        const double before = thread_milliseconds();
        bar->setValue(i * 137);
        stack.viewport()->repaint();
        frames.push_back(thread_milliseconds() - before);
    }
    std::sort(frames.begin(), frames.end());
    std::printf("scrolling 1,000 layers: median %.2f ms a frame, worst %.2f ms\n", frames[30], frames.back());
    EXPECT_LT(frames[30], 16.0);
}

}  // namespace
}  // namespace braid::ui
