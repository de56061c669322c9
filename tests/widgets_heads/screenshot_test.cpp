// Heads in both themes and sizes; kept in $BRAID_SCREENSHOTS where it is set.
#include <QPainter>
#include <QPixmap>
#include <QTest>

#include "tests/widgets_heads/heads_fixture.h"
#include "widgets/common/theme.h"
#include "widgets/heads/prompt_dialog.h"

namespace braid::ui {
namespace {

class HeadsPictures : public HeadsTest {
protected:
    // Side, page and inspector beside each other, as the window shows them.
    void keep(const char* name) {
        ASSERT_TRUE(settle());
        QTest::qWait(60);
        const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS");
        QWidget* const parts[] = {workspace_->side(), workspace_->page(), workspace_->inspector()};
        int width = 0;
        for (QWidget* part : parts) width += part->width();
        QPixmap picture(width, workspace_->page()->height());
        picture.fill(tokens().panel);
        QPainter painter(&picture);
        int x = 0;
        for (QWidget* part : parts) {
            painter.drawPixmap(x, 0, part->grab());
            x += part->width();
        }
        painter.end();
        EXPECT_FALSE(picture.isNull());
        if (!folder.isEmpty())
            picture.save(folder + QStringLiteral("/%1-%2.png")
                                      .arg(QLatin1String(name), themeModeName(Theme::instance().mode())));
    }
    void resize(int side, int page, int inspector, int height) {
        workspace_->side()->resize(side, height);
        workspace_->page()->resize(page, height);
        workspace_->inspector()->resize(inspector, height);
    }
};

TEST_F(HeadsPictures, EveryViewInBothThemes) {
    addRun("swa-128 S4");
    addCapture({.tokens = 2'048, .step = 200, .retrieval = 1, .finest = 3});
    addCapture({.tokens = 2'048, .step = 600, .finest = 3});
    for (const std::int64_t step : {100, 200, 300, 400, 500, 600})
        std::filesystem::create_directories(run_.checkpoint_folder(Step(step)));
    add_trace(run_, id_.str());
    open();
    ASSERT_TRUE(waitFor([&] { return !workspace_->choice().entropyOverTokens().empty(); }));
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        Theme::instance().setMode(mode, false);
        resize(236, 880, 264, 830);
        keep("heads");
        state().setViewport(MapViewport{2'048, 660, 1'900, 60}.clamped());
        state().jumpToNeedle();
        keep("heads-zoomed");
        state().setViewport(MapViewport::whole(2'048));
        state().setDifference(true);
        keep("heads-difference");
        state().setDifference(false);
        workspace_->choice().pickHead(0, 1, true);
        keep("heads-implied");
        workspace_->choice().pickHead(2, 1, false);
        resize(190, 560, 250, 610);
        keep("heads-small");
        workspace_->choice().closeB();
        resize(236, 880, 264, 830);
        keep("heads-one");
        workspace_->choice().open(workspace_->choice().captures().front().capture);
        PromptDialog* dialog = page()->ask();
        QTest::qWait(100);
        if (const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS"); !folder.isEmpty())
            dialog->grab().save(folder + QStringLiteral("/heads-dialog-%1.png").arg(themeModeName(mode)));
        dialog->close();
    }
    Theme::instance().setMode(ThemeMode::light, false);
}

}  // namespace
}  // namespace braid::ui
