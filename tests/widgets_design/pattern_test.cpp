#include <gtest/gtest.h>

#include <QMenu>
#include <QMimeData>
#include <QTextBlock>
#include <QTextLayout>

#include "tests/widgets_design/design_window.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"
#include "widgets/design/pattern_edit.h"
#include "widgets/design/pattern_field.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {
namespace {

class PatternTest : public testing::Test {
protected:
    PatternEdit& edit() { return *window.page().pattern()->edit(); }
    void type(const char* text) {
        edit().setFocus();
        edit().selectAll();
        QTest::keyClicks(&edit(), QString::fromUtf8(text));
    }
    DesignWindow window{Architectures{{"a", "FS x5"}}};
};

TEST_F(PatternTest, TypingUpdatesTheStackKeyByKey) {
    type("FSSS x2");
    EXPECT_EQ(window.document().pattern(), QStringLiteral("FSSS x2"));
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSSSFSSS"));
    EXPECT_EQ(window.page().stack()->model()->rowCount(), 8);
    // What was typed in one go is undone in one go, right in the field.
    QTest::keyClick(&edit(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(edit().line(), QStringLiteral("FS x5"));
    EXPECT_TRUE(window.document().isClean());
    QTest::keyClick(&edit(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(edit().line(), QStringLiteral("FSSS x2"));
}

TEST_F(PatternTest, WrongTextIsUnderlinedAndDestroysNothing) {
    const ArchitectureSpec before = window.document().spec();
    type("FS[window=] x5");
    EXPECT_EQ(window.page().stack()->model()->rowCount(), 10);
    EXPECT_EQ(window.document().spec().layers.size(), before.layers.size());
    EXPECT_FALSE(edit().problems().isEmpty());
    EXPECT_TRUE(window.page().pattern()->message().startsWith(QStringLiteral("Column ")))
        << window.page().pattern()->message().toStdString();
    EXPECT_EQ(window.shell.problems, static_cast<int>(window.document().problems().size()));
    // An edit of the list goes on from the layers that are shown.
    window.page().stack()->selectRow(0);
    QTest::keyClick(window.page().stack(), Qt::Key_F);
    EXPECT_EQ(window.document().spec().layers.size(), 11u);
    EXPECT_TRUE(window.page().pattern()->message().isEmpty());
    QTest::keyClick(window.page().stack(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(edit().line(), QStringLiteral("FS[window=] x5"));
    EXPECT_EQ(window.document().spec(), before);
}

TEST_F(PatternTest, SquiggleStandsExactlyUnderWhatIsWrong) {
    type("FSSS x3 {F:2 S:4}SS[w=0]S F");
    ASSERT_EQ(edit().problems().size(), 1);
    const PatternRange range = edit().problems().front();
    EXPECT_EQ(edit().line().mid(range.begin, range.length), QStringLiteral("w=0"));
    EXPECT_EQ(window.page().pattern()->message(),
              QStringLiteral("Column 21: window must be at least 1, got 0.  Costs leave layer 14 out."));
    EXPECT_EQ(window.page().pattern()->message().mid(7, 2).toInt(), range.begin + 1);
    ASSERT_EQ(edit().squiggles().size(), 1);
    const QRectF squiggle = edit().squiggles().front();
    QTextCursor cursor = edit().textCursor();
    cursor.setPosition(static_cast<int>(range.begin));
    EXPECT_NEAR(squiggle.left(), edit().cursorRect(cursor).left(), 1.5);
    cursor.setPosition(static_cast<int>(range.begin + range.length));
    EXPECT_NEAR(squiggle.right(), edit().cursorRect(cursor).left(), 1.5);
    // The row says so too.
    const QModelIndex row = window.page().stack()->model()->index(14, StackModel::SettingsColumn);
    EXPECT_EQ(row.data().toString(), QStringLiteral("window: must be at least 1, got 0"));
    // Pixels: red below the text there, and nowhere else on that line.
    const QImage image = edit().viewport()->grab().toImage();
    const qreal ratio = image.devicePixelRatio();
    const QColor red = tokens().error;
    int first = -1;
    int last = -1;
    for (int y = static_cast<int>(squiggle.top() * ratio); y < static_cast<int>(squiggle.bottom() * ratio);
         ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            const int distance = std::abs(pixel.red() - red.red()) + std::abs(pixel.green() - red.green()) +
                                 std::abs(pixel.blue() - red.blue());
            if (distance < 90) {
                first = first < 0 ? x : std::min(first, x);
                last = std::max(last, x);
            }
        }
    }
    EXPECT_NEAR(first / ratio, squiggle.left(), 2.5);
    EXPECT_NEAR(last / ratio, squiggle.right(), 2.5);
}

TEST_F(PatternTest, LettersHaveTheirMixersColours) {
    type("FS[w=16]x2");
    const QTextLayout* layout = edit().document()->firstBlock().layout();
    const auto colour = [&](int position) {
        for (const QTextLayout::FormatRange& range : layout->formats()) {
            if (position >= range.start && position < range.start + range.length) {
                return range.format.foreground().color();
            }
        }
        return QColor();
    };
    EXPECT_EQ(colour(0), mixerStyle("full").text(tokens()));
    EXPECT_EQ(colour(1), mixerStyle("swa").text(tokens()));
    EXPECT_EQ(colour(3), tokens().text1);
    EXPECT_EQ(colour(8), tokens().text2);
}

TEST_F(PatternTest, CursorStaysWhereItIsWhileTheListWritesTheText) {
    type("FSSS x2");
    QTextCursor cursor = edit().textCursor();
    cursor.setPosition(1);
    edit().setTextCursor(cursor);
    window.document().undoStack()->undo();
    window.document().undoStack()->redo();
    EXPECT_LE(edit().textCursor().position(), 2);
}

TEST_F(PatternTest, PastedLinesBecomeOne) {
    edit().setFocus();
    edit().selectAll();
    QMimeData data;
    data.setText(QStringLiteral(" FS\n  SS\tx2\n"));
    QMetaObject::invokeMethod(&edit(), [&] {
        QTextCursor cursor = edit().textCursor();
        Q_UNUSED(cursor);
    });
    QGuiApplication::clipboard();
    struct Access : PatternEdit {
        using PatternEdit::insertFromMimeData;
    };
    (edit().*(&Access::insertFromMimeData))(&data);
    EXPECT_EQ(edit().line(), QStringLiteral("FS SS x2"));
    EXPECT_EQ(letters(window.document().spec()), QStringLiteral("FSSSFSSS"));
}

TEST_F(PatternTest, ReturnGoesToTheList) {
    type("FFS");
    QTest::keyClick(&edit(), Qt::Key_Return);
    EXPECT_TRUE(window.page().stack()->hasFocus());
    EXPECT_EQ(edit().line(), QStringLiteral("FFS"));
}

TEST_F(PatternTest, UndoWorksWhileAPopupIsOpen) {
    type("FFFS x2");
    auto* presets = window.page().findChild<QPushButton*>(QStringLiteral("design.presets"));
    ASSERT_NE(presets, nullptr);
    QTest::mouseClick(presets, Qt::LeftButton);
    QWidget* popup = QApplication::activePopupWidget();
    ASSERT_NE(popup, nullptr);
    QTest::keyClick(popup, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(edit().line(), QStringLiteral("FS x5"));
    EXPECT_TRUE(popup->isVisible());
    QTest::keyClick(popup, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(edit().line(), QStringLiteral("FFFS x2"));
    popup->close();
}

}  // namespace
}  // namespace braid::ui
