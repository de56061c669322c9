#include "widgets/train/train_page.h"
#include "core/record/metric_name.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QPushButton>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <set>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/segments.h"
#include "widgets/train/comparison_model.h"
#include "widgets/train/figure_of_view.h"
#include "widgets/train/run_panel.h"

namespace braid::ui {

namespace {

enum Panel { LossPanel, SecondPanel, RatePanel, NormPanel, SpeedPanel, PanelCount };

// Metrics that have panels of their own, or are an axis.
const std::set<std::string> own_panel = {"loss", "lr", "grad_norm", "tokens_per_s", "tokens", "time_s"};

const char* axisName(XAxis axis) {
    switch (axis) {
        case XAxis::step:
            return "step";
        case XAxis::tokens:
            return "tokens";
        case XAxis::time:
            return "time_s";
        case XAxis::flops:
            return "flops";
    }
    return "step";
}

}  // namespace

TrainPage::TrainPage(const WorkspaceContext& context, RunPanel* panel, QWidget* parent)
    : QWidget(parent),
      context_(context),
      panel_(panel),
      toolbar_(new PageToolbar(tr("Runs"))),
      axis_choice_(new Segments(tr("X axis"), {tr("Step"), tr("Tokens"), tr("FLOPs"), tr("Time")})),
      scale_choice_(new Segments(tr("Y axis"), {tr("Linear"), tr("Log"), tr("Symlog")})),
      smooth_(new QSlider(Qt::Horizontal)),
      smooth_value_(new TextLabel({}, TypeStep::table)),
      metric_(new QComboBox),
      plots_{},
      comparison_title_(new SectionTitle(tr("Run comparison"))),
      model_(new ComparisonModel(this)),
      table_(new DataTable(tr("Run comparison"))),
      pages_(new QStackedWidget),
      empty_(new EmptyState({}, tr("Show all runs"))) {
    makeToolbar();
    makePanels();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(toolbar_);
    layout->addWidget(pages_, 1);
    ProjectSession& session = context_.session;
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    connect(&session, &ProjectSession::selectedRunsChanged, this, [this, later] {
        follow();
        later();
    });
    connect(&session, &ProjectSession::runChanged, this, later);
    connect(&session, &ProjectSession::runRemoved, this, later);
}

void TrainPage::makeToolbar() {
    axis_choice_->setCurrent(0);
    scale_choice_->setCurrent(0);
    smooth_->setRange(0, 99);
    smooth_->setFixedWidth(96);
    smooth_->setAccessibleName(tr("Smoothing"));
    smooth_->setToolTip(tr("Debiased exponential mean; the raw curve stays visible"));
    auto* smooth = new QWidget;
    auto* row = new QHBoxLayout(smooth);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(new TextLabel(tr("Smooth")));
    row->addWidget(smooth_);
    smooth_value_->setFixedWidth(30);
    row->addWidget(smooth_value_);
    auto* figure = makeButton(tr("Figure"), QStringLiteral("figure"));
    connect(figure, &QPushButton::clicked, this, &TrainPage::exportFigure);
    connect(axis_choice_, &Segments::chosen, this, &TrainPage::setAxis);
    connect(scale_choice_, &Segments::chosen, this, &TrainPage::setScale);
    connect(smooth_, &QSlider::valueChanged, this, &TrainPage::setSmoothing);
    for (QWidget* widget : std::initializer_list<QWidget*>{axis_choice_, scale_choice_, smooth, figure})
        toolbar_->addWidget(widget);
}

void TrainPage::makePanels() {
    for (CurvePlot*& plot : plots_) plot = new CurvePlot;
    plots_[LossPanel]->setTitle(tr("Loss"), tr("nats per token, training"));
    plots_[RatePanel]->setTitle(tr("Learning rate"));
    plots_[NormPanel]->setTitle(tr("Gradient norm"), tr("before clipping"));
    plots_[SpeedPanel]->setTitle(tr("Tokens per second"));
    plots_[SpeedPanel]->setCountsOnY(true);
    for (const int small : {RatePanel, NormPanel, SpeedPanel}) plots_[small]->setCompact(true);
    for (CurvePlot* plot : plots_) {
        plot->setCountsOnX(true, false);
        plot->setCursorsEnabled(true);
        connect(plot, &CurvePlot::xRangeChanged, this, [this, plot](AxisRange range) {
            for (CurvePlot* other : plots_)
                if (other != plot) other->setXRange(range);
        });
        connect(plot, &CurvePlot::hoverMoved, this, [this, plot](std::optional<double> x) {
            for (CurvePlot* other : plots_)
                if (other != plot) other->setHoverX(x);
        });
        connect(plot, &CurvePlot::cursorMoved, this,
                [this, plot](PlotCursor cursor, std::optional<double> x) {
                    for (CurvePlot* other : plots_)
                        if (other != plot) other->setCursor(cursor, x);
                    refreshCursors();
                });
        connect(plot, &CurvePlot::seriesActivated, this, [this](const QString& id) {
            std::vector<RunId> order{RunId(id.toStdString())};
            for (const RunId& run : context_.session.selectedRuns())
                if (run != order.front()) order.push_back(run);
            context_.session.setSelectedRuns(order);
        });
    }
    auto* second = new QWidget;
    auto* second_layout = new QVBoxLayout(second);
    second_layout->setContentsMargins(0, 0, 0, 0);
    second_layout->setSpacing(0);
    second_layout->addWidget(plots_[SecondPanel]);
    metric_->setParent(plots_[SecondPanel]);
    metric_->move(10, 4);
    metric_->setAccessibleName(tr("Metric of the second panel"));
    connect(metric_, &QComboBox::activated, this, [this] {
        second_metric_ = metric_->currentData().toString().toStdString();
        refresh();
    });

    auto* large = new QSplitter(Qt::Horizontal);
    large->setHandleWidth(1);
    large->addWidget(plots_[LossPanel]);
    large->addWidget(second);
    auto* small = new QSplitter(Qt::Horizontal);
    small->setHandleWidth(1);
    for (const int panel : {RatePanel, NormPanel, SpeedPanel}) small->addWidget(plots_[panel]);
    auto* comparison = new QWidget;
    auto* comparison_layout = new QVBoxLayout(comparison);
    comparison_layout->setContentsMargins(metrics::gap3, metrics::gap2, 0, 0);
    comparison_layout->setSpacing(metrics::gap1);
    auto* only = new QCheckBox(tr("Only differing"));
    connect(only, &QCheckBox::toggled, model_, &ComparisonModel::setOnlyDiffering);
    comparison_title_->addWidget(only);
    comparison_layout->addWidget(comparison_title_);
    table_->setModel(model_);
    table_->setItemDelegate(new DataDelegate(table_));
    table_->setSortingEnabled(false);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setStretchLastSection(true);
    comparison_layout->addWidget(table_);
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const RunPointer run = model_->runAt(index.row()))
            plots_[0]->seriesActivated(QString::fromStdString(run->id.str()));
    });
    auto* split = new QSplitter(Qt::Vertical);
    split->setHandleWidth(1);
    split->addWidget(large);
    split->addWidget(small);
    split->addWidget(comparison);
    split->setStretchFactor(0, 4);
    split->setStretchFactor(1, 1);
    split->setStretchFactor(2, 1);
    split->setSizes({440, 136, 160});
    pages_->addWidget(empty_);
    pages_->addWidget(split);
    connect(empty_, &EmptyState::clicked, this, [this] {
        std::vector<RunId> all;
        for (const RunPointer& run : context_.session.runs()->runs()) all.push_back(run->id);
        context_.session.setSelectedRuns(all);
    });
    smooth_->setValue(int(smoothing_ * 100));
    setSmoothing(smooth_->value());
}

void TrainPage::setAxis(int axis) {
    axis_ = XAxis(axis);
    for (CurvePlot* plot : plots_) {
        plot->setCountsOnX(axis_ == XAxis::step, axis_ == XAxis::tokens || axis_ == XAxis::flops);
        plot->setCursor(PlotCursor::a, std::nullopt);
        plot->setCursor(PlotCursor::b, std::nullopt);
        plot->fit();
    }
    follow();
    refresh();
}

void TrainPage::setScale(int scale) {
    scale_ = AxisScale(scale);
    for (const int panel : {LossPanel, SecondPanel, NormPanel}) plots_[panel]->setYScale(scale_);
}

void TrainPage::setSmoothing(int value) {
    smoothing_ = value / 100.0;
    smooth_value_->setText(formatFixed(smoothing_, 2));
    for (const int panel : {LossPanel, NormPanel, SpeedPanel}) plots_[panel]->setSmoothing(smoothing_);
}

void TrainPage::setActive(bool active) {
    active_ = active;
    follow();
    if (active) refresh();
}

void TrainPage::follow() {
    context_.session.wantCurves(this, active_ ? context_.session.selectedRuns() : std::vector<RunId>{},
                                {axis_});
}

void TrainPage::chooseSecondMetric() {
    std::set<std::string> metrics;
    for (const RunPointer& run : runs_)
        for (const auto& [key, curve] : run->curves)
            if (!own_panel.contains(key.second) && !is_head_norm(key.second)) metrics.insert(key.second);
    if (!metrics.contains(second_metric_)) {
        second_metric_.clear();
        // What most of the runs have.
        std::size_t most = 0;
        for (const char* wish : {"eval/log_longppl", "recall/far", "eval/loss"}) {
            const auto having = std::count_if(runs_.begin(), runs_.end(), [&](const RunPointer& run) {
                return run->curve(wish, axis_) != nullptr;
            });
            if (std::size_t(having) <= most) continue;
            most = std::size_t(having);
            second_metric_ = wish;
        }
        if (second_metric_.empty() && !metrics.empty()) second_metric_ = *metrics.begin();
    }
    QStringList now;
    for (int i = 0; i < metric_->count(); ++i) now << metric_->itemData(i).toString();
    QStringList wanted;
    for (const std::string& metric : metrics) wanted << QString::fromStdString(metric);
    if (now != wanted) {
        metric_->clear();
        for (const std::string& metric : metrics)
            metric_->addItem(metricName(metric), QString::fromStdString(metric));
    }
    metric_->setCurrentIndex(int(wanted.indexOf(QString::fromStdString(second_metric_))));
    metric_->setVisible(!metrics.empty());
    metric_->adjustSize();
    // Where there are metrics their choice stands in place of the title, which keeps its room.
    plots_[SecondPanel]->setTitle(metrics.empty() ? tr("Evaluation") : QStringLiteral(" "),
                                  metrics.empty() ? tr("nothing evaluated yet") : QString());
    if (!metrics.empty()) plots_[SecondPanel]->setAccessibleName(metricName(second_metric_));
}

void TrainPage::refresh() {
    ProjectSession& session = context_.session;
    runs_.clear();
    for (const RunId& id : session.selectedRuns())
        if (const RunPointer run = session.run(id)) runs_.push_back(run);
    pages_->setCurrentIndex(runs_.empty() ? 0 : 1);
    const bool any = !session.runs()->runs().empty();
    empty_->setSentence(any ? tr("Select runs in the project to see their curves.")
                            : tr("The project has no run yet. Train an architecture in Design."));
    empty_->button()->setVisible(any);
    const RunPointer current = session.currentRun();
    panel_->showRun(current);
    toolbar_->setTitle(runs_.size() == 1 ? runs_.front()->name : tr("%1 runs").arg(runs_.size()));
    toolbar_->setNote(runs_.size() == 1 && runs_.front()->plan
                          ? tr("context %1").arg(formatCount(runs_.front()->plan->training.context))
                          : QString());
    chooseSecondMetric();
    for (const int big : {LossPanel, SecondPanel})  // the toolbar names a single run
        plots_[big]->setLabels(runs_.size() == 1 ? PlotLabels::none : PlotLabels::automatic);
    const std::string metrics[] = {"loss", second_metric_, "lr", "grad_norm", "tokens_per_s"};
    for (int panel = 0; panel < PanelCount; ++panel) {
        QVector<PlotSeries> series;
        double end = 0;
        for (const RunPointer& run : runs_) {
            const CurvePtr curve = metrics[panel].empty() ? nullptr : run->curve(metrics[panel], axis_);
            end = std::max(end, axis_ == XAxis::time ? 0.0 : run->onAxis(run->steps(), axis_));
            series.push_back({.id = QString::fromStdString(run->id.str()),
                              .label = run->name,
                              .curve = curve ? curve : Curve::empty(),
                              .colour = run->paletteIndex,
                              .live = run->state() == RunState::running,
                              .selected = runs_.size() > 1 && current && current->id == run->id});
        }
        plots_[panel]->setXLimits(std::nullopt, end > 0 ? std::optional(end) : std::nullopt);
        const bool accuracy = is_accuracy(metrics[panel]);
        if (panel == SecondPanel)
            plots_[panel]->setYLimits(accuracy ? std::optional(0.0) : std::nullopt,
                                      accuracy ? std::optional(1.0) : std::nullopt);
        plots_[panel]->setSeries(series);
    }
    model_->show(runs_);
    comparison_title_->setNote(
        runs_.size() > 1 ? tr("%1 of %2 settings differ").arg(model_->differing()).arg(model_->settings())
                         : QString());
    refreshMarks();
    refreshCursors();
}

void TrainPage::refreshMarks() {
    QVector<PlotVerticalMark> marks;
    std::set<double> decays;
    for (const RunPointer& run : runs_) {
        for (const Attempt& attempt : run->record->attempts)
            if (attempt.number.value > 1 && axis_ != XAxis::time)
                marks.push_back({.x = run->onAxis(std::max<std::int64_t>(attempt.from.value, 0), axis_),
                                 .label = tr("resume"),
                                 .style = MarkStyle::resume,
                                 .colour = run->paletteIndex});
        if (run->plan && run->plan->training.decay_fraction > 0 && axis_ != XAxis::time)
            decays.insert(run->onAxis(
                std::llround((1 - run->plan->training.decay_fraction) * double(run->steps())), axis_));
    }
    if (decays.size() == 1)
        marks.push_back({.x = *decays.begin(), .label = tr("decay"), .style = MarkStyle::decay});
    plots_[LossPanel]->setVerticalMarks(marks);
    plots_[SecondPanel]->setVerticalMarks(marks);
}

void TrainPage::refreshCursors() {
    const CurvePlot* plot = plots_[LossPanel];
    const std::optional<double> a = plot->cursor(PlotCursor::a);
    const std::optional<double> b = plot->cursor(PlotCursor::b);
    const QVector<PlotReading> at_a = a ? plot->readAt(*a) : QVector<PlotReading>();
    const QVector<PlotReading> at_b = b ? plot->readAt(*b) : QVector<PlotReading>();
    std::vector<RunPanel::CursorRow> rows;
    for (qsizetype i = 0; i < qsizetype(runs_.size()); ++i)
        rows.push_back({.name = runs_[std::size_t(i)]->name,
                        .colour = runs_[std::size_t(i)]->paletteIndex,
                        .a = i < at_a.size() ? at_a[i].smoothed : std::nan(""),
                        .b = i < at_b.size() ? at_b[i].smoothed : std::nan("")});
    panel_->showCursors(smoothing_ > 0 ? tr("loss, smoothed") : tr("loss"), a, b, rows);
}

void TrainPage::exportFigure() {
    if (runs_.empty()) return;
    std::vector<std::string> metrics{"loss"};
    if (!second_metric_.empty()) metrics.push_back(second_metric_);
    exportFigureOf(figureOfRuns(runs_, metrics, axisName(axis_), scale_, smoothing_), context_, this);
}

}  // namespace braid::ui
