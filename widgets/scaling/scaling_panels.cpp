#include "widgets/scaling/scaling_panels.h"

#include <QGridLayout>
#include <algorithm>

#include "widgets/common/theme.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

constexpr int least_width = 210, least_height = 170;
constexpr std::size_t most_panels = 48;

}  // namespace

ScalingPanels::ScalingPanels(QWidget* parent)
    : QScrollArea(parent), inside_(new QWidget), grid_(new QGridLayout(inside_)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(1);
    setWidget(inside_);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("A plot for each"));
}

void ScalingPanels::show(const ScalingContentPtr& content, PanelsBy by, const ScalingPlotOptions& options) {
    const std::size_t count =
        !content ? 0
                 : std::min(most_panels, by == PanelsBy::curve ? content->view.curves.size()
                                                               : content->view.scales.size());
    const bool other = plots_.size() != count;
    while (plots_.size() > count) {
        delete plots_.back();
        plots_.pop_back();
    }
    while (plots_.size() < count) {
        auto* plot = new ScalingPlot;
        connect(plot, &ScalingPlot::chosen, this, &ScalingPanels::chosen);
        connect(plot, &ScalingPlot::opened, this, &ScalingPanels::opened);
        plots_.push_back(plot);
    }
    if (!content) return;
    const std::optional<ScalingRanges> ranges = scaling_ranges(*content, options);
    for (std::size_t i = 0; i < count; ++i) {
        ScalingPlotOptions own = options;
        own.compact = true;
        own.residuals = false;
        if (by == PanelsBy::curve) {
            own.curves = {i};
            own.title = QString::fromStdString(content->view.curves[i].name);
        } else {
            own.scales = {i};
            own.title = scaleText(content->view.scales[i]);
        }
        plots_[i]->setAccessibleName(own.title);
        plots_[i]->show(content, own, ranges);
    }
    if (other) columns_ = 0;
    arrange();
}

void ScalingPanels::setCurrent(int point) {
    for (ScalingPlot* plot : plots_) plot->setCurrent(plot->place(point) ? point : -1);
}

void ScalingPanels::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    arrange();
}

void ScalingPanels::arrange() {
    const int count = int(plots_.size());
    if (count == 0) return;
    const int fitting = std::clamp(viewport()->width() / least_width, 1, count);
    // As square as there is room for.
    const int wanted = count <= 3 ? count : (count <= 8 ? (count + 1) / 2 : (count + 2) / 3);
    const int columns = std::min(fitting, std::max(wanted, 1));
    const int rows = (count + columns - 1) / columns;
    const int height = std::max(least_height, viewport()->height() / rows - 1);
    for (ScalingPlot* plot : plots_) plot->setMinimumHeight(height);
    if (columns == columns_) return;
    columns_ = columns;
    for (int i = 0; i < count; ++i) grid_->addWidget(plots_[std::size_t(i)], i / columns, i % columns);
}

}  // namespace braid::ui
