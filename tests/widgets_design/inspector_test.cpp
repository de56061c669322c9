#include <gtest/gtest.h>

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>

#include "core/spec/edit.h"
#include "tests/widgets_design/design_window.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/common/segments.h"
#include "widgets/design/layer_form.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {
namespace {

class InspectorTest : public testing::Test {
protected:
    explicit InspectorTest(const char* pattern = "FS x5") : window(Architectures{{"a", pattern}}) {}
    ParameterEditor& editor(const char* mixer, const char* key) {
        ParameterEditor* found = window.inspector().form()->editor(mixer, key);
        EXPECT_NE(found, nullptr) << mixer << "." << key;
        return *found;
    }
    void select(std::initializer_list<std::size_t> rows) {
        std::vector<LayerId> layers;
        for (const std::size_t row : rows) {
            layers.push_back(window.document().spec().layers[row].id);
        }
        window.page().stack()->selectLayers(layers);
    }
    void enter(ParameterEditor& field, const char* text) {
        QLineEdit* edit = field.field()->lineEdit();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QString::fromUtf8(text));
        QTest::keyClick(edit, Qt::Key_Return);
    }
    DesignWindow window;
};

TEST_F(InspectorTest, FormComesFromTheDescriptions) {
    select({1});
    EXPECT_EQ(window.inspector().title(), QStringLiteral("Layer 1"));
    EXPECT_EQ(editor("swa", "window").shown(), QStringLiteral("128"));
    EXPECT_NE(editor("swa", "position").segments(), nullptr);
    EXPECT_EQ(editor("swa", "rope_base").shown(), QStringLiteral("1e5"));
    EXPECT_NE(editor("swa", "sink").checkBox(), nullptr);
    EXPECT_EQ(window.inspector().figure(QStringLiteral("With norms and sinks")), QStringLiteral("1,499,910"));
    EXPECT_EQ(window.inspector().figure(QStringLiteral("Parameters, paper count")),
              QStringLiteral("1.499 M"));
}

TEST_F(InspectorTest, NoLabelAndNoNumberIsCutAtTheDefaultWidth) {
    for (const std::vector<LayerId>& layers :
         {std::vector<LayerId>(), std::vector<LayerId>{window.document().spec().layers[1].id}}) {
        window.page().stack()->selectLayers(layers);
        QTest::qWait(20);
        int labels = 0;
        for (const auto* label : window.inspector().form()->findChildren<TextLabel*>()) {
            if (!label->isVisible() || label->text().isEmpty()) {
                continue;
            }
            ++labels;
            EXPECT_GE(label->width(), label->fontMetrics().horizontalAdvance(label->text()))
                << label->text().toStdString();
        }
        EXPECT_GT(labels, 4);
        for (const auto* edit : window.inspector().form()->findChildren<QLineEdit*>()) {
            EXPECT_GE(edit->width() - 20, edit->fontMetrics().horizontalAdvance(QStringLiteral("1,048,576")));
        }
    }
}

TEST_F(InspectorTest, EditsReachTextAndUndo) {
    select({1});
    enter(editor("swa", "window"), "1,024");
    EXPECT_TRUE(window.document().pattern().contains(QStringLiteral("S[w=1024]")))
        << window.document().pattern().toStdString();
    EXPECT_EQ(window.document().undoStack()->undoText(), QStringLiteral("Change Window of layer 1"));
    QTest::keyClick(editor("swa", "window").field()->lineEdit(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(window.document().pattern(), QStringLiteral("FS x5"));
    EXPECT_EQ(editor("swa", "window").shown(), QStringLiteral("128"));
}

TEST_F(InspectorTest, BulkEditOfTheWindow) {
    select({1, 3, 5});
    EXPECT_EQ(window.inspector().title(), QStringLiteral("Layers 1, 3, 5"));
    enter(editor("swa", "window"), "16");
    for (const std::size_t row : {1u, 3u, 5u}) {
        EXPECT_EQ(window.document().spec().layers[row].groups[0].parameters.find("window")[0],
                  ParameterValue(std::int64_t{16}));
    }
    EXPECT_EQ(window.document().undoStack()->count(), 1);
    select({1, 7});
    EXPECT_EQ(editor("swa", "window").shown(), QString());  // they differ
    EXPECT_EQ(editor("swa", "window").field()->lineEdit()->placeholderText(), QStringLiteral("mixed"));
    // Layers of different mixers: one section each, an edit reaches its own only.
    select({0, 1});
    enter(editor("full", "rope_base"), "5e5");
    EXPECT_TRUE(window.document().pattern().contains(QStringLiteral("F[base=5e5]")))
        << window.document().pattern().toStdString();
    EXPECT_FALSE(window.document().pattern().contains(QStringLiteral("S[base")));
}

TEST_F(InspectorTest, ConditionsHideWhatHasNoEffect) {
    select({0});
    EXPECT_NE(window.inspector().form()->editor("full", "rope_base"), nullptr);
    QTest::mouseClick(editor("full", "position").segments()->button(1), Qt::LeftButton);
    EXPECT_TRUE(window.document().pattern().startsWith(QStringLiteral("F[nope]")))
        << window.document().pattern().toStdString();
    EXPECT_EQ(window.inspector().form()->editor("full", "rope_base"), nullptr);
    window.document().undoStack()->undo();
    EXPECT_NE(window.inspector().form()->editor("full", "rope_base"), nullptr);
}

TEST_F(InspectorTest, ArrowsStepAndAreOneUndoStep) {
    select({1});
    QLineEdit* edit = editor("swa", "window").field()->lineEdit();
    edit->setFocus();
    for (int i = 0; i < 5; ++i) {
        QTest::keyClick(edit, Qt::Key_Up);
    }
    EXPECT_EQ(editor("swa", "window").shown(), QStringLiteral("133"));
    EXPECT_EQ(window.document().undoStack()->count(), 1);
    QTest::keyClick(edit, Qt::Key_PageUp);
    EXPECT_EQ(editor("swa", "window").shown(), QStringLiteral("266"));
    EXPECT_TRUE(edit->hasFocus());
}

TEST_F(InspectorTest, AValueThatCannotBeIsRefusedInTheField) {
    select({1});
    enter(editor("swa", "window"), "0");
    EXPECT_EQ(window.document().pattern(), QStringLiteral("FS x5"));
    EXPECT_TRUE(window.document().isClean());
    enter(editor("swa", "window"), "many");
    EXPECT_TRUE(window.document().isClean());
    enter(editor("swa", "window"), "64");
    EXPECT_FALSE(window.document().isClean());
}

TEST_F(InspectorTest, FlagsAndTheModel) {
    select({0});
    editor("full", "sink").checkBox()->setFocus();
    QTest::keyClick(editor("full", "sink").checkBox(), Qt::Key_Space);
    EXPECT_TRUE(window.document().pattern().contains(QStringLiteral("nosink")))
        << window.document().pattern().toStdString();
    window.document().undoStack()->undo();
    window.page().stack()->clearSelection();
    EXPECT_EQ(window.inspector().title(), QStringLiteral("a"));
    enter(*window.inspector().form()->editor({}, "vocab"), "256");
    EXPECT_EQ(window.document().spec().vocab, 256);
    EXPECT_EQ(window.inspector().figure(QStringLiteral("Non-embedding")), QStringLiteral("14.99 M"));
}

TEST_F(InspectorTest, CopiesTheCommand) {
    window.document().setPattern(QStringLiteral("FS[w=16] x2"));
    QTest::mouseClick(window.inspector().copyButton(), Qt::LeftButton);
    EXPECT_EQ(QGuiApplication::clipboard()->text(),
              QStringLiteral("braid-engine arch show \"FS[w=16] x2\" --scale S1 --context 131072"));
}

class HeadWiseInspectorTest : public InspectorTest {
protected:
    HeadWiseInspectorTest() : InspectorTest("{F:3 S:3} x4") {}
};

TEST_F(HeadWiseInspectorTest, HeadsOfGroups) {
    select({2});
    enter(editor("full", "heads"), "2");
    EXPECT_NE(window.document().problemOfLayer(2), nullptr);
    EXPECT_EQ(window.shell.problems, static_cast<int>(window.document().problems().size()));
    EXPECT_FALSE(window.workspace->trainButton()->isEnabled());
    enter(editor("swa", "heads"), "4");
    EXPECT_EQ(window.document().problemOfLayer(2), nullptr);
    EXPECT_TRUE(window.document().pattern().contains(QStringLiteral("{F:2")))
        << window.document().pattern().toStdString();
    EXPECT_TRUE(window.workspace->trainButton()->isEnabled());
}

}  // namespace
}  // namespace braid::ui
