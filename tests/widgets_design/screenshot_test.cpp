// Pictures of the workspace for people to look at, where BRAID_SCREENSHOTS names a folder.
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QPixmap>

#include "tests/widgets_design/design_window.h"
#include "widgets/common/theme.h"
#include "widgets/design/cost_curves.h"
#include "widgets/design/difference_panel.h"
#include "widgets/design/name_dialog.h"
#include "widgets/design/stack_view.h"
#include "widgets/design/train_dialog.h"

namespace braid::ui {
namespace {

void take(DesignWindow& window, const QString& name) {
    const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS");
    QTest::qWait(350);  // timers of curves and layouts
    const QPixmap picture = window.window->grab();
    EXPECT_FALSE(picture.isNull());
    if (!folder.isEmpty()) {
        QDir().mkpath(folder);
        EXPECT_TRUE(picture.save(folder + QLatin1Char('/') + name + QStringLiteral(".png")));
    }
}

TEST(Screenshots, BothThemesAndAllWidths) {
    DesignWindow window(Architectures{{"edge-24", "FSSS x6"}, {"base FSSS", "S[w=1024]SSF x6"}}, "S5");
    window.workspace->documents().setBase(QStringLiteral("edge-24"), QStringLiteral("base FSSS"));
    window.document().setPattern(QStringLiteral(
        "FS[w=1024]S[w=1024]S[w=1024] x3 {F:5 S[w=1024]:15}S[w=1024]S[w=0]S[w=1024] F[nope]SSS x2"));
    window.document().endTyping();
    window.page().stack()->selectLayers({window.document().spec().layers[12].id});
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        Theme::instance().setMode(mode);
        const QString theme = mode == ThemeMode::light ? QStringLiteral("light") : QStringLiteral("dark");
        window.workspace->setCompact(false);
        window.window->resize(1175, 787);
        take(window, QStringLiteral("design-") + theme);
        window.window->resize(960, 787);
        take(window, QStringLiteral("design-1200-") + theme);
        window.workspace->setCompact(true);
        window.window->resize(800, 590);
        take(window, QStringLiteral("design-1024-") + theme);
    }
    Theme::instance().setMode(ThemeMode::light);
}

TEST(Screenshots, DialogsAndMenus) {
    const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS");
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        Theme::instance().setMode(mode);
        const QString theme = mode == ThemeMode::light ? QStringLiteral("light") : QStringLiteral("dark");
        DesignWindow window(Architectures{{"a", "FS[w=16] x2"}, {"b", "F x4"}}, "tiny");
        const auto keep = [&](QWidget* widget, const char* name) {
            ASSERT_NE(widget, nullptr) << name;
            QTest::qWait(200);
            const QPixmap picture = widget->grab();
            EXPECT_FALSE(picture.isNull());
            if (!folder.isEmpty()) {
                picture.save(folder + QStringLiteral("/%1-%2.png").arg(QLatin1String(name), theme));
            }
            widget->close();
        };
        QTest::mouseClick(window.workspace->trainButton(), Qt::LeftButton);
        keep(window.page().findChild<TrainDialog*>(), "train-dialog");
        for (QAction* action : window.workspace->actions()) {
            if (action->objectName() == QStringLiteral("design.new")) {
                action->trigger();
            }
        }
        keep(window.page().findChild<NewArchitectureDialog*>(), "new-dialog");
        QTest::mouseClick(window.page().findChild<QPushButton*>(QStringLiteral("design.presets")),
                          Qt::LeftButton);
        keep(QApplication::activePopupWidget(), "presets");
        window.document().setPattern(QStringLiteral("FS[w=0]S[w=-1]F x2"));
        take(window, QStringLiteral("design-tiny-") + theme);
        window.workspace->showProblems();
        keep(QApplication::activePopupWidget(), "problems");
    }
    Theme::instance().setMode(ThemeMode::light);
}

}  // namespace
}  // namespace braid::ui
