#include "widgets/scaling/point_panel.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/project_session.h"
#include "widgets/common/segments.h"
#include "widgets/scaling/fact_list.h"
#include "widgets/scaling/gain_bars.h"
#include "widgets/scaling/profile_chart.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

QString lineageText(const RunView& run) {
    if (!run.plan->branch_from) return PointPanel::tr("trained from step 0");
    const BranchOrigin& origin = *run.plan->branch_from;
    const double tokens = double(origin.step.value) * double(run.plan->training.tokens_per_step());
    return PointPanel::tr("trunk %1, branch at %2")
        .arg(QString::fromStdString(origin.run.str()), formatSi(tokens));
}

}  // namespace

PointPanel::PointPanel(ScalingChoice& choice, QWidget* parent)
    : QScrollArea(parent),
      choice_(choice),
      title_(new TextLabel({}, TypeStep::control, 600)),
      hint_(new TextLabel(tr("Point at a point to read it; a click or the arrow keys choose it, Return opens "
                             "its run."),
                          TypeStep::table, 400, 2)),
      pie_(new StatePie),
      facts_(new FactList),
      open_(makeButton(tr("Open run"))),
      exclude_(makeButton(tr("Exclude..."))),
      gains_note_(new TextLabel({}, TypeStep::table, 400, 2)),
      budgets_(new QComboBox),
      gains_(new GainBars),
      comparison_(new FactList),
      answer_(new TextLabel({}, TypeStep::table, 400, 2)),
      excluded_title_(new SectionTitle(tr("Excluded"))),
      exponent_(new Segments(tr("Exponent"), {QStringLiteral("β"), QStringLiteral("α")})),
      profile_(new ProfileChart) {
    auto* inside = new QWidget;
    layout_ = new QVBoxLayout(inside);
    layout_->setContentsMargins(0, 0, 0, metrics::gap3);
    layout_->setSpacing(metrics::gap2);
    layout_->addWidget(makePoint());
    gains_box_ = makeGains();
    layout_->addWidget(gains_box_);
    auto* compared = new QWidget;
    auto* compared_rows = new QVBoxLayout(compared);
    compared_rows->setContentsMargins(0, 0, 0, 0);
    compared_rows->addWidget(comparison_);
    answer_->setWordWrap(true);
    compared_rows->addWidget(answer_);
    comparison_box_ = section(new SectionTitle(tr("Do they share one curve?")), compared);
    layout_->addWidget(comparison_box_);
    auto* list = new QWidget;
    excluded_ = new QVBoxLayout(list);
    excluded_->setContentsMargins(0, 0, 0, 0);
    excluded_->setSpacing(metrics::gap1);
    excluded_box_ = section(excluded_title_, list);
    layout_->addWidget(excluded_box_);
    auto* profile_title = new SectionTitle(tr("Profile"), tr("Δ deviance"));
    exponent_->setCurrent(0);
    profile_title->addWidget(exponent_);
    profile_box_ = section(profile_title, profile_);
    layout_->addWidget(profile_box_);
    layout_->addStretch();
    setWidget(inside);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setAutoFillBackground(false);
    inside->setAutoFillBackground(false);

    connect(open_, &QPushButton::clicked, this, &PointPanel::openRun);
    connect(exclude_, &QPushButton::clicked, this, &PointPanel::excludeWanted);
    connect(exponent_, &Segments::chosen, this, &PointPanel::refresh);
    connect(budgets_, &QComboBox::activated, this, &PointPanel::refreshGains);
    connect(&choice_, &ScalingChoice::changed, this, &PointPanel::refresh);
    connect(&choice_, &ScalingChoice::currentChanged, this, &PointPanel::refreshPoint);
    refresh();
}

QWidget* PointPanel::section(SectionTitle* title, QWidget* content) {
    auto* box = new QWidget;
    auto* rows = new QVBoxLayout(box);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(metrics::gap2);
    rows->addWidget(makeSeparator());
    title->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    rows->addWidget(title);
    content->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    auto* inset = new QWidget;
    auto* line = new QVBoxLayout(inset);
    line->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    content->setContentsMargins(0, 0, 0, 0);
    line->addWidget(content);
    rows->addWidget(inset);
    return box;
}

QWidget* PointPanel::makePoint() {
    auto* box = new QWidget;
    auto* rows = new QVBoxLayout(box);
    rows->setContentsMargins(metrics::gap3, metrics::gap3, metrics::gap3, 0);
    rows->setSpacing(metrics::gap2);
    hint_->setWordWrap(true);
    rows->addWidget(hint_);
    point_ = new QWidget;
    auto* inside = new QVBoxLayout(point_);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(metrics::gap2);
    auto* head = new QHBoxLayout;
    title_->setWordWrap(true);
    head->addWidget(pie_);
    head->addWidget(title_, 1);
    inside->addLayout(head);
    inside->addWidget(facts_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open_);
    buttons->addWidget(exclude_);
    inside->addLayout(buttons);
    rows->addWidget(point_);
    return box;
}

QWidget* PointPanel::makeGains() {
    auto* content = new QWidget;
    auto* rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(metrics::gap1);
    gains_note_->setWordWrap(true);
    budgets_->setAccessibleName(tr("Tokens of the baseline"));
    auto* line = new QHBoxLayout;
    line->addWidget(gains_note_, 1);
    line->addWidget(budgets_);
    rows->addLayout(line);
    rows->addWidget(gains_);
    return section(new SectionTitle(tr("Efficiency")), content);
}

QString PointPanel::pointText() const { return title_->text() + QLatin1Char('\n') + facts_->text(); }
QString PointPanel::comparisonText() const {
    return comparison_->text() + QLatin1Char('\n') + answer_->text();
}

void PointPanel::refresh() {
    refreshPoint();
    refreshGains();
    refreshComparison();
    refreshExcluded();
    profile_->show(choice_.content(),
                   exponent_->current() == 1 ? QStringLiteral("alpha") : QStringLiteral("beta"));
    profile_box_->setVisible(!profile_->isEmpty());
}

void PointPanel::refreshPoint() {
    const ScalingViewPoint* point = choice_.currentPoint();
    hint_->setVisible(!point);
    point_->setVisible(point);
    if (!point) return;
    const ScalingContent& content = *choice_.content();
    const ScalingView& view = content.view;
    const RunPointer run = choice_.runOf(choice_.current());
    title_->setText(QString::fromStdString(point->label));
    pie_->setRun(run);
    pie_->setVisible(run != nullptr);
    std::vector<FactList::Fact> facts;
    if (point->value)
        facts.push_back(
            {point->finished() ? metricText(view.metric) : tr("%1 so far").arg(metricText(view.metric)),
             valueTextOf(*point->value)});
    if (const ScalingFit* fit = view.curves[point->curve].fit; fit && point->tokens > 0) {
        const ScalingPrediction said = predict(*fit, point->parameters, point->tokens);
        QString fitted = valueTextOf(said.loss);
        if (said.interval)
            fitted += tr(" ± %1").arg(formatSignificant((said.interval->high - said.interval->low) / 2, 2));
        facts.push_back({tr("Fitted"), fitted, said.warning.empty() ? QString() : QStringLiteral("warn"),
                         QString::fromStdString(said.warning)});
        if (point->finished() && point->value)
            facts.push_back({tr("Residual"), residualText(point->log_residual)});
    }
    facts.push_back({point->run.empty() ? tr("Tokens planned") : tr("Tokens seen"), formatSi(point->tokens)});
    facts.push_back({tr("Parameters N"), formatSi(point->parameters)});
    facts.push_back({tr("D / N"), formatSignificant(point->tokens / point->parameters, 3)});
    facts.push_back({tr("Seed"), QString::number(point->seed)});
    facts.push_back({tr("State"), stateText(*point)});
    if (run && run->plan && view.branching) facts.push_back({tr("Lineage"), lineageText(*run)});
    const QString use = point->use == PointUse::held_out   ? tr("held out")
                        : point->use == PointUse::excluded ? tr("excluded")
                                                           : QString();
    if (!use.isEmpty())
        facts.push_back(
            {tr("In the fit"), use, {}, point->reason.empty() ? use : QString::fromStdString(point->reason)});
    facts_->setFacts(facts);
    setDisabledReason(open_, run ? QString() : tr("This point has no run yet"));
    const bool read_only = choice_.session().isReadOnly();
    setDisabledReason(exclude_, read_only                          ? tr("The project is read-only")
                                : point->use == PointUse::excluded ? tr("It is excluded already; see below")
                                                                   : QString());
}

void PointPanel::refreshGains() {
    const ScalingContentPtr& content = choice_.content();
    const ScalingRecord* record = content ? content->view.record.get() : nullptr;
    const bool any = record && !record->report.gains.empty();
    gains_box_->setVisible(any);
    if (!any) return;
    std::set<double> tokens;
    for (const NamedGain& gain : record->report.gains) tokens.insert(gain.gain.baseline_tokens);
    const double wanted =
        budgets_->currentIndex() >= 0 ? budgets_->currentData().toDouble() : *tokens.rbegin();
    {
        const QSignalBlocker quiet(budgets_);
        budgets_->clear();
        for (const double each : tokens) budgets_->addItem(formatSi(each), each);
        const int at = budgets_->findData(wanted);
        budgets_->setCurrentIndex(at >= 0 ? at : budgets_->count() - 1);
    }
    budgets_->setVisible(tokens.size() > 1);
    const double shown = budgets_->currentData().toDouble();
    std::vector<GainBar> bars;
    double parameters = 0;
    for (const NamedGain& each : record->report.gains) {
        if (each.gain.baseline_tokens != shown) continue;
        parameters = each.gain.parameters;
        GainBar bar{.name = QString::fromStdString(each.group)};
        for (const ScalingViewCurve& curve : content->view.curves)
            if (curve.name == each.group) bar.colour = curve.colour;
        if (each.gain.gain) bar.share = 1 / *each.gain.gain;
        if (const auto& of = each.gain.interval; of && of->high > 0)
            bar.interval = Interval{1 / of->high, of->low > 0 ? 1 / of->low : INFINITY};
        bar.warning = QString::fromStdString(each.gain.warning);
        bars.push_back(std::move(bar));
    }
    gains_note_->setText(tr("Tokens to match %1, N %2")
                             .arg(QString::fromStdString(record->report.baseline), formatSi(parameters)));
    gains_->show(std::move(bars));
}

void PointPanel::refreshComparison() {
    const ScalingContentPtr& content = choice_.content();
    const ScalingRecord* record = content ? content->view.record.get() : nullptr;
    const bool any = record && record->report.comparison;
    comparison_box_->setVisible(any);
    if (!any) return;
    const ScalingComparison& comparison = *record->report.comparison;
    double least = INFINITY;
    for (const SharedModel& model : comparison.models) least = std::min(least, model.aic);
    std::vector<FactList::Fact> facts;
    for (const SharedModel& model : comparison.models) {
        const bool chosen = model.sharing == comparison.preferred;
        facts.push_back({QString::fromUtf8(std::string(to_text(model.sharing)).c_str()) +
                             (chosen ? QStringLiteral(" ✓") : QString()),
                         tr("ΔAIC %1").arg(formatFixed(model.aic - least, 1)),
                         chosen ? QStringLiteral("ok") : QString()});
    }
    comparison_->setFacts(facts);
    answer_->setText(QString::fromStdString(comparison.answer));
}

void PointPanel::refreshExcluded() {
    while (QLayoutItem* item = excluded_->takeAt(0)) {
        if (QWidget* widget = item->widget()) widget->deleteLater();
        delete item;
    }
    undo_.clear();
    const ScalingContentPtr& content = choice_.content();
    const bool any = content && content->written && !content->written->fit.excluded.empty();
    excluded_box_->setVisible(any);
    if (!any) return;
    std::size_t points = 0;
    for (const ScalingViewPoint& point : content->view.points) points += point.use == PointUse::excluded;
    excluded_title_->setNote(tr("%1 of %2 points").arg(points).arg(content->view.points.size()));
    for (const std::string& rule : content->written->fit.excluded) {
        const QString text = QString::fromStdString(rule);
        auto* line = new QWidget;
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        auto* name =
            new TextLabel(QStringLiteral("×  ") + text.section(QStringLiteral(": "), 0, 0), TypeStep::table);
        name->setElided(Qt::ElideMiddle);
        name->setToolTip(text);
        auto* reason = new TextLabel(text.section(QStringLiteral(": "), 1), TypeStep::table, 400, 3);
        reason->setElided(Qt::ElideRight);
        auto* undo = makeButton(tr("Undo"));
        undo->setAccessibleName(tr("Fit again what is excluded by %1").arg(text));
        connect(undo, &QPushButton::clicked, this, [this, text] { Q_EMIT includeWanted(text); });
        row->addWidget(name, 3);
        row->addWidget(reason, 2);
        row->addWidget(undo);
        excluded_->addWidget(line);
        undo_.push_back(undo);
    }
}

}  // namespace braid::ui
