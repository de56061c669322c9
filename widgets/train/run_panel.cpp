#include "widgets/train/run_panel.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QListView>
#include <QStackedLayout>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/train/log_model.h"

namespace braid::ui {

namespace {

constexpr int most_cursor_rows = 8;  // more scroll

enum Value { Speed, Loss, GradNorm, LearningRate, Checkpoint };

QString valueOrDash(std::optional<double> value, int decimals) {
    return value && !std::isnan(*value) ? formatFixed(*value, decimals) : QStringLiteral("—");
}

}  // namespace

RunPanel::RunPanel(const WorkspaceContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      name_(new TextLabel({}, TypeStep::title, 600)),
      eta_(new TextLabel({}, TypeStep::value, 600)),
      percent_(new TextLabel({}, TypeStep::control, 600)),
      step_(new TextLabel({}, TypeStep::table, 400, 2)),
      decay_(new TextLabel({}, TypeStep::table, 400, 2)),
      problem_(new TextLabel({}, TypeStep::control)),
      progress_(new RunProgressBar),
      values_{},
      pause_(makeButton(tr("Pause"), QStringLiteral("pause"))),
      checkpoint_(makeButton(tr("Checkpoint"), QStringLiteral("checkpoint"))),
      stop_(makeDangerButton(tr("Stop"), QStringLiteral("stop"))),
      cursor_title_(new SectionTitle(tr("Cursors"))),
      cursor_section_(new QWidget),
      cursor_hint_(
          new TextLabel(tr("Click in a plot for cursor A, Shift click for B."), TypeStep::table, 400, 3)),
      cursors_(new QStandardItemModel(this)),
      cursor_table_(new DataTable(tr("Cursors"))),
      log_(new LogModel(this)),
      log_hint_(new TextLabel(tr("The engine has not written anything yet."), TypeStep::table, 400, 3)),
      log_view_(new QListView),
      pages_(new QStackedLayout(this)) {
    pages_->addWidget(new EmptyState(
        tr("No run is selected. Choose one in the project to see how it stands and what it logs.")));
    pages_->addWidget(makeContent());
    connect(pause_, &QPushButton::clicked, this, &RunPanel::pauseOrResume);
    connect(checkpoint_, &QPushButton::clicked, this, [this] {
        if (run_) context_.commands.checkpoint(run_->id);
    });
    connect(stop_, &QPushButton::clicked, this, [this] {
        if (run_) context_.commands.stop(run_->id);
    });
    showCursors({}, std::nullopt, std::nullopt, {});
    showRun(nullptr);
}

QWidget* RunPanel::makeContent() {
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(metrics::gap3, metrics::gap3, metrics::gap3, metrics::gap3);
    layout->setSpacing(metrics::gap2);
    name_->setElided(Qt::ElideRight);
    problem_->setWordWrap(true);
    problem_->setStatus(QStringLiteral("error"));
    layout->addWidget(name_);
    auto* first = new QHBoxLayout;
    first->addWidget(eta_);
    first->addStretch();
    first->addWidget(percent_);
    layout->addLayout(first);
    layout->addWidget(progress_);
    auto* second = new QHBoxLayout;
    second->addWidget(step_);
    second->addStretch();
    second->addWidget(decay_);
    layout->addLayout(second);
    layout->addWidget(problem_);
    makeFacts(layout);
    makeCursors(layout);
    makeLog(layout);
    return content;
}

void RunPanel::makeFacts(QVBoxLayout* layout) {
    auto* facts = new QGridLayout;
    facts->setVerticalSpacing(metrics::gap1);
    const QString names[] = {tr("Tokens per second"), tr("Loss"), tr("Gradient norm"), tr("Learning rate"),
                             tr("Last checkpoint")};
    for (int i = 0; i < 5; ++i) {
        values_[i] = new TextLabel({}, TypeStep::control, 600);
        values_[i]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        facts->addWidget(new TextLabel(names[i], TypeStep::control, 400, 2), i, 0);
        facts->addWidget(values_[i], i, 1);
    }
    layout->addLayout(facts);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::gap2);
    for (QPushButton* button : {pause_, checkpoint_, stop_}) buttons->addWidget(button);
    layout->addLayout(buttons);
}

void RunPanel::makeCursors(QVBoxLayout* layout) {
    auto* section = new QVBoxLayout(cursor_section_);
    section->setContentsMargins(0, 0, 0, 0);
    section->setSpacing(metrics::gap2);
    section->addWidget(makeSeparator());
    section->addWidget(cursor_title_);
    cursor_hint_->setWordWrap(true);
    section->addWidget(cursor_hint_);
    cursors_->setHorizontalHeaderLabels({QString(), tr("Run"), tr("A"), tr("B"), tr("B − A")});
    cursor_table_->setModel(cursors_);
    cursor_table_->setSortingEnabled(false);
    cursor_table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    for (const auto& [column, width] :
         std::initializer_list<std::pair<int, int>>{{0, 28}, {2, 62}, {3, 62}, {4, 62}})
        cursor_table_->horizontalHeader()->resizeSection(column, width);
    cursor_table_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    section->addWidget(cursor_table_);
    layout->addWidget(cursor_section_);
}

void RunPanel::makeLog(QVBoxLayout* layout) {
    layout->addWidget(makeSeparator());
    layout->addWidget(new SectionTitle(tr("Log")));
    log_hint_->setWordWrap(true);
    layout->addWidget(log_hint_);
    log_view_->setModel(log_);
    log_view_->setUniformItemSizes(true);
    log_view_->setFrameShape(QFrame::NoFrame);
    log_view_->setAccessibleName(tr("Log of the run"));
    layout->addWidget(log_view_, 1);
    layout->addStretch(0);
}

void RunPanel::setCursorsVisible(bool visible) { cursor_section_->setVisible(visible); }

void RunPanel::showRun(const RunPointer& run) {
    run_ = run;
    // What it logged is read where somebody looks at it.
    context_.session.wantCurves(this, run ? std::vector<RunId>{run->id} : std::vector<RunId>{}, {});
    log_->show(run);
    pages_->setCurrentIndex(run ? 1 : 0);
    log_view_->setVisible(log_->rowCount() > 0);
    log_hint_->setVisible(log_->rowCount() == 0);
    name_->setText(run ? run->name : QString());
    eta_->setText(!run       ? QString()
                  : run->eta ? formatClock(run->eta->seconds) + QStringLiteral(" ± ") +
                                   formatDuration(run->eta->plus_minus)
                             : runStateText(run->state()));
    percent_->setText(run ? formatPercent(run->progress()) : QString());
    step_->setText(run ? tr("step %1 of %2").arg(formatCount(run->step()), formatCount(run->steps()))
                       : QString());
    double tick = -1;
    if (run && run->plan && run->plan->training.decay_fraction > 0) {
        tick = 1 - run->plan->training.decay_fraction;
        decay_->setText(tr("decay from %1").arg(formatCount(std::llround(tick * double(run->steps())))));
    } else {
        decay_->setText({});
    }
    progress_->setProgress(run ? run->progress() : 0, run ? run->paletteIndex : 0, tick);
    problem_->setText(run ? run->problem : QString());
    problem_->setVisible(!problem_->text().isEmpty());
    if (run) {
        const auto speed = run->latest("tokens_per_s");
        values_[Speed]->setText(speed ? formatSi(*speed) : QStringLiteral("—"));
        values_[Loss]->setText(valueOrDash(run->latest("loss"), 3));
        values_[GradNorm]->setText(valueOrDash(run->latest("grad_norm"), 3));
        const auto rate = run->latest("lr");
        values_[LearningRate]->setText(rate ? formatSignificant(*rate, 4) : QStringLiteral("—"));
        const auto& saved = run->record->status.checkpoint;
        values_[Checkpoint]->setText(saved ? tr("step %1").arg(formatCount(saved->value)) : tr("none yet"));
    } else {
        for (TextLabel* value : values_) value->setText(QStringLiteral("—"));
    }
    refreshButtons();
}

void RunPanel::refreshButtons() {
    const bool active = run_ && run_->active();
    const bool resumable = run_ && run_->resumable();
    const bool paused = run_ && run_->state() == RunState::paused;
    pause_->setText(paused || resumable ? tr("Resume") : tr("Pause"));
    setDisabledReason(pause_, active || resumable ? QString()
                              : !run_             ? tr("Select a run")
                                                  : tr("The run is %1").arg(runStateText(run_->state())));
    for (QPushButton* button : {checkpoint_, stop_})
        setDisabledReason(button, active  ? QString()
                                  : !run_ ? tr("Select a run")
                                          : tr("The run is %1").arg(runStateText(run_->state())));
}

void RunPanel::pauseOrResume() {
    if (!run_) return;
    if (run_->resumable())
        context_.commands.resumeLost(run_->id);
    else if (run_->state() == RunState::paused)
        context_.commands.resume(run_->id);
    else
        context_.commands.pause(run_->id);
}

void RunPanel::showCursors(const QString& what, std::optional<double> a, std::optional<double> b,
                           const std::vector<CursorRow>& rows) {
    cursor_title_->setNote(a || b ? what : QString());
    cursor_table_->setVisible(a || b);
    cursor_hint_->setVisible(!a && !b);
    cursors_->setHorizontalHeaderLabels({QString(), tr("Run"), a ? tr("A %1").arg(formatSi(*a)) : tr("A"),
                                         b ? tr("B %1").arg(formatSi(*b)) : tr("B"), tr("B − A")});
    cursors_->setRowCount(a || b ? int(rows.size()) : 0);
    cursor_table_->setFixedHeight(cursor_table_->horizontalHeader()->sizeHint().height() +
                                  std::min(cursors_->rowCount(), most_cursor_rows) * metrics::row + 2);
    for (int i = 0; i < cursors_->rowCount(); ++i) {
        const CursorRow& row = rows[std::size_t(i)];
        const QString texts[] = {QString(), row.name, valueOrDash(a ? std::optional(row.a) : std::nullopt, 3),
                                 valueOrDash(b ? std::optional(row.b) : std::nullopt, 3),
                                 valueOrDash(a && b ? std::optional(row.b - row.a) : std::nullopt, 3)};
        for (int column = 0; column < 5; ++column) {
            auto* item = new QStandardItem(texts[column]);
            item->setEditable(false);
            if (column == 0) item->setData(row.colour, RunIndexRole);
            if (column > 1) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            cursors_->setItem(i, column, item);
        }
    }
}

}  // namespace braid::ui
