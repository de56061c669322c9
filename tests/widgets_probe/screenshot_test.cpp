// Probe in both themes; kept in $BRAID_SCREENSHOTS where it is set.
#include <QAbstractButton>
#include <QHBoxLayout>

#include "tests/widgets_common/kept_picture.h"
#include "tests/widgets_probe/probe_fixture.h"
#include "widgets/common/segments.h"
#include "widgets/common/theme.h"
#include "widgets/probe/measure_dialog.h"

namespace braid::ui {
namespace {

TEST_F(ProbeTest, EveryViewInBothThemes) {
    int number = 0;
    for (const char* name : {"Full", "SWA-128", "SWA-2048"}) {
        const MeasurementFiles files(addRun(name, "FS[w=16] x9"), 600);
        files.probe(1 - 0.25 * number);
        if (number != 2) files.heads(8);
        files.gradient(0.01 + 0.01 * number);
        files.trace(4e5 + 5e5 * number);
        files.restrict(1.3 - 0.1 * number);
        ++number;
    }
    open(918, 800);
    auto* window = new QWidget;
    auto* layout = new QHBoxLayout(window);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(1);
    side_->setFixedWidth(205);
    panel_->setFixedWidth(272);
    for (QWidget* part : std::initializer_list<QWidget*>{side_, page_, panel_}) layout->addWidget(part);
    window->resize(1380, 800);
    window->show();
    page_->maps()->setFocus(Qt::TabFocusReason);
    page_->maps()->hold(LayerMapView::Place{0, 1, 8});
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        Theme::instance().setMode(mode, false);
        const auto keep = [mode](QWidget* widget, const char* name) { keepPicture(widget, name, mode); };
        keep(window, "probe");
        page_->form()->button(1)->click();
        keep(window, "probe-values");
        page_->form()->button(0)->click();
        MeasureDialog* dialog = page_->measure("restrict");
        keep(dialog, "probe-measure");
        dialog->reject();
    }
    Theme::instance().setMode(ThemeMode::light, false);
    for (QWidget* part : std::initializer_list<QWidget*>{side_, page_, panel_}) part->setParent(nullptr);
    delete window;
}

}  // namespace
}  // namespace braid::ui
