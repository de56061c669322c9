// Scale in both themes; kept in $BRAID_SCREENSHOTS where it is set.
#include <QAbstractButton>
#include <QHBoxLayout>
#include <QTabBar>

#include "tests/widgets_common/kept_picture.h"
#include "tests/widgets_scaling/scaling_fixture.h"
#include "widgets/common/segments.h"
#include "widgets/common/theme.h"
#include "widgets/scaling/exclude_dialog.h"
#include "widgets/scaling/study_editor.h"

namespace braid::ui {
namespace {

TEST_F(ScalingTest, EveryViewInBothThemes) {
    StudySpec spec = gridStudy({1, 2});
    spec.variants.push_back({.label = "Window 16, NoPE", .pattern = "F[nope]S[w=16]"});
    spec.fit.excluded = {"scale=A, budget=1: too early"};
    addStudy(spec);
    trainAll(7);
    fitStudy();
    open(902, 800);
    auto* window = new QWidget;
    auto* layout = new QHBoxLayout(window);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(1);
    side_->setFixedWidth(205);
    panel_->setFixedWidth(288);
    for (QWidget* part : std::initializer_list<QWidget*>{side_, page_, panel_}) layout->addWidget(part);
    window->resize(1380, 800);
    window->show();
    choice().setCurrent(pointAt(1, 1, 2));
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        Theme::instance().setMode(mode, false);
        const auto keep = [mode](QWidget* widget, const char* name) { keepPicture(widget, name, mode); };
        keep(window, "scale");
        page_->form()->button(1)->click();
        keep(window, "scale-panels");
        page_->form()->button(0)->click();
        for (const auto& [tab, name] :
             {std::pair{ScalingPage::Pairs, "scale-pairs"}, std::pair{ScalingPage::Map, "scale-map"},
              std::pair{ScalingPage::Front, "scale-front"}}) {
            page_->tabs()->setCurrentIndex(tab);
            keep(window, name);
        }
        page_->tabs()->setCurrentIndex(ScalingPage::Curves);
        StudyEditor* editor = workspace_->editStudy();
        EXPECT_TRUE(waitFor([&] { return editor->isChecked(); }));
        keep(editor, "scale-editor");
        editor->reject();
        ExcludeDialog* dialog = workspace_->exclude();
        keep(dialog, "scale-exclude");
        dialog->reject();
        window->resize(964, 600);
        keep(window, "scale-small");
        window->resize(1380, 800);
    }
    Theme::instance().setMode(ThemeMode::light, false);
    for (QWidget* part : std::initializer_list<QWidget*>{side_, page_, panel_}) part->setParent(nullptr);
    delete window;
}

}  // namespace
}  // namespace braid::ui
