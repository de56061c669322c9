#include "widgets/figure/figure_dialog.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include "tests/widgets_figure/study_project.h"
#include "widgets/common/controls.h"
#include "widgets/common/theme.h"
#include "widgets/figure/figure_form.h"
#include "widgets/figure/figure_preview.h"

using namespace braid;
using namespace braid::ui;

namespace {

class FigureDialogTest : public StudyProject {
protected:
    FigureContext context() const { return {QString::fromStdString(root_), QStringLiteral("far-recall")}; }

    static QPushButton* primary(FigureDialog& dialog) {
        for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
            if (button->isDefault()) {
                return button;
            }
        }
        return nullptr;
    }
    static bool waitForProof(FigureDialog& dialog) {
        return QTest::qWaitFor([&] { return primary(dialog)->isEnabled(); }, 20'000);
    }
    static QLineEdit* input(FigureDialog& dialog, const QString& name) {
        for (QLineEdit* edit : dialog.findChildren<QLineEdit*>()) {
            if (edit->accessibleName() == name) {
                return edit;
            }
        }
        return nullptr;
    }
    static bool shows(FigureDialog& dialog, const QString& text) {
        for (const QLabel* label : dialog.findChildren<QLabel*>()) {
            if (label->text().contains(text)) {
                return true;
            }
        }
        return false;
    }
    static void keep(FigureDialog& dialog, const QString& name) {
        const QString folder = qEnvironmentVariable("BRAID_PICTURES");
        if (!folder.isEmpty()) {
            dialog.resize(1180, 810);
            QTest::qWait(400);
            QDir().mkpath(folder);
            dialog.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
        }
    }
};

}  // namespace

TEST_F(FigureDialogTest, showsTheFigureWithItsChecksAndWritesIt) {
    for (std::size_t variant = 0; variant < 4; ++variant) {
        train(variant, hybrids[variant].middle);
    }
    FigureSpec spec = recallFigure();
    spec.style.size = FigureSize::double_column;
    spec.style.width_mm = 174;
    spec.style.height_mm = 72;
    FigureDialog dialog(spec, context());
    dialog.show();
    ASSERT_TRUE(waitForProof(dialog));
    EXPECT_TRUE(shows(dialog, QStringLiteral("4 of 4 series")));
    EXPECT_TRUE(shows(dialog, QStringLiteral("600 dpi, 4,110 × 1,701")));
    EXPECT_TRUE(shows(dialog, QStringLiteral("120 points")));
    EXPECT_TRUE(shows(dialog, QStringLiteral("one seed a series, not shown")));
    QTest::qWait(50);
    keep(dialog, QStringLiteral("figure-dialog"));
    EXPECT_EQ(primary(dialog)->text(), QStringLiteral("Export 4 files"));
    EXPECT_TRUE(dialog.findChild<QPlainTextEdit*>()->toPlainText().startsWith(
        QStringLiteral("braid figure far-recall")));

    QTest::mouseClick(primary(dialog), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog.result() == QDialog::Accepted; }, 20'000));
    ASSERT_EQ(dialog.exportedFiles().size(), 4);
    for (const QString& file : dialog.exportedFiles()) {
        EXPECT_TRUE(QFile::exists(file)) << file.toStdString();
    }
    const auto saved = read_figure(root_ + "/figures/far-recall.json");
    ASSERT_TRUE(saved);
    EXPECT_EQ(saved->style.width_mm, 174) << "the command's name draws what was exported";
}

TEST_F(FigureDialogTest, theFormChangesTheFigure) {
    train(0, 9.5);
    FigureDialog dialog(recallFigure(), context());
    dialog.show();
    ASSERT_TRUE(waitForProof(dialog));
    QLineEdit* height = input(dialog, QStringLiteral("Height"));
    ASSERT_NE(height, nullptr);
    height->setFocus();
    height->selectAll();
    QTest::keyClicks(height, QStringLiteral("81,5"));
    QTest::keyClick(height, Qt::Key_Tab);
    auto* preview = dialog.findChild<FigurePreview*>();
    EXPECT_TRUE(QTest::qWaitFor([&] { return preview->pageSize().height() == 81.5; }, 10'000));
    height->setFocus();
    height->selectAll();
    QTest::keyClicks(height, QStringLiteral("banana"));
    QTest::keyClick(height, Qt::Key_Tab);
    EXPECT_EQ(dialog.spec().style.height_mm, 81.5) << "wrong text destroys nothing";
    EXPECT_TRUE(shows(dialog, QStringLiteral("20 to 1000")));
    for (QAbstractButton* button : dialog.findChildren<QAbstractButton*>()) {
        if (button->text() == QStringLiteral("Slide") || button->text() == QStringLiteral("As paths") ||
            button->text() == QStringLiteral("Dash")) {
            QTest::mouseClick(button, Qt::LeftButton);
        }
    }
    EXPECT_EQ(dialog.spec().style.width_mm, 254);
    EXPECT_EQ(dialog.spec().style.text, TextAs::paths);
    EXPECT_EQ(dialog.spec().style.series_by, SeriesBy::dash);
    EXPECT_TRUE(QTest::qWaitFor([&] { return preview->pageSize().width() == 254; }, 10'000));
    EXPECT_TRUE(shows(dialog, QStringLiteral("none, text as paths")));
    keep(dialog, QStringLiteral("figure-dialog-slide"));
}

TEST_F(FigureDialogTest, saysWhyThereIsNothing) {
    FigureDialog dialog(recallFigure(), context());
    dialog.show();
    EXPECT_TRUE(QTest::qWaitFor([&] { return shows(dialog, QStringLiteral("do not exist yet")); }, 10'000));
    EXPECT_FALSE(primary(dialog)->isEnabled());
    EXPECT_FALSE(primary(dialog)->toolTip().isEmpty());
    keep(dialog, QStringLiteral("figure-dialog-empty"));
}

TEST_F(FigureDialogTest, everyControlHasANameAndEscapeLeaves) {
    FigureDialog dialog(recallFigure(), context());
    dialog.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&dialog));
    for (const QWidget* widget : dialog.findChildren<QWidget*>()) {
        if (widget->focusPolicy() & Qt::TabFocus && widget->isVisible()) {
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            EXPECT_TRUE(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()))
                << widget->metaObject()->className() << " " << widget->objectName().toStdString();
        }
    }
    QTest::keyClick(&dialog, Qt::Key_Escape);
    EXPECT_EQ(dialog.result(), QDialog::Rejected);
    EXPECT_FALSE(dialog.isVisible());
}

TEST_F(FigureDialogTest, closingWhileItReadsIsHarmless) {
    train(0, 9.5);
    for (int i = 0; i < 5; ++i) {
        FigureDialog dialog(recallFigure(), context());
        dialog.show();
        QTest::qWait(i * 7);
    }
}

TEST_F(FigureDialogTest, darkWindowsMakeLightFigures) {
    train(0, 9.5);
    Theme::instance().setMode(ThemeMode::dark);
    FigureDialog dialog(recallFigure(), context());
    dialog.show();
    ASSERT_TRUE(waitForProof(dialog));
    QTest::qWait(30);
    keep(dialog, QStringLiteral("figure-dialog-dark"));
    const QImage window = dialog.grab().toImage();
    auto* preview = dialog.findChild<FigurePreview*>();
    const QPoint inside = preview->mapTo(&dialog, QPoint(45, 35));
    EXPECT_EQ(window.pixelColor(inside), QColor(Qt::white));
    Theme::instance().setMode(ThemeMode::light);
}
