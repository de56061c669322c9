#include "app/workbench/status_bar.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/style.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int message_ms = 6'000, bar_width = 190;

QToolButton* statusButton(const QString& name, const QString& iconName, ColourRole role) {
    auto* button = new QToolButton;
    button->setAccessibleName(name);
    button->setAutoRaise(true);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIcon(icon(iconName, role));
    button->setIconSize(QSize(14, 14));
    button->setFixedHeight(24);
    button->setFont(Theme::instance().font(TypeStep::table));
    if (role == ColourRole::error) button->setProperty(style_property::role, QStringLiteral("danger"));
    button->setFocusPolicy(Qt::TabFocus);
    button->hide();
    return button;
}

}  // namespace

StatusBar::StatusBar(ProjectSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      job_(new QWidget),
      pie_(new StatePie),
      bar_(new RunProgressBar),
      name_(new TextLabel({}, TypeStep::table, 600, 1)),
      step_(new TextLabel({}, TypeStep::table, 400, 1)),
      loss_(new TextLabel({}, TypeStep::table, 400, 2)),
      speed_(new TextLabel({}, TypeStep::table, 400, 2)),
      eta_(new TextLabel({}, TypeStep::table, 400, 2)),
      message_(new TextLabel({}, TypeStep::table, 400, 2)),
      saved_(new TextLabel({}, TypeStep::table, 400, 3)),
      problems_(statusButton(tr("Problems"), QStringLiteral("warning"), ColourRole::error)),
      failed_(statusButton(tr("Failed runs"), QStringLiteral("warning"), ColourRole::error)),
      queue_(statusButton(tr("Queue"), QStringLiteral("queue"), ColourRole::text3)) {
    setObjectName(QStringLiteral("statusBar"));
    setFixedHeight(metrics::statusBar);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(metrics::gap4, 1, metrics::gap4, 0);
    layout->setSpacing(metrics::gap3);
    auto* job = new QHBoxLayout(job_);
    job->setContentsMargins(0, 0, 0, 0);
    job->setSpacing(metrics::gap2 + 2);
    job_->setAccessibleName(tr("Running job"));
    job_->setCursor(Qt::PointingHandCursor);
    bar_->setFixedWidth(bar_width);
    job->addWidget(pie_);
    job->addWidget(name_);
    job->addWidget(bar_);
    job->addSpacing(2);
    for (TextLabel* label : {step_, loss_, speed_, eta_}) {
        job->addWidget(label);
        job->addSpacing(metrics::gap2);
    }
    layout->addWidget(job_);
    message_->setElided(Qt::ElideRight);
    layout->addWidget(message_, 1);
    layout->addWidget(problems_);
    layout->addWidget(failed_);
    layout->addWidget(queue_);
    layout->addWidget(saved_);
    messageTimer_.setSingleShot(true);
    connect(&messageTimer_, &QTimer::timeout, this, [this] { refresh(); });
    savedTimer_.setInterval(10'000);
    connect(&savedTimer_, &QTimer::timeout, this, [this] { refreshSaved(); });
    connect(queue_, &QAbstractButton::clicked, this, &StatusBar::queueClicked);
    connect(problems_, &QAbstractButton::clicked, this, [this] {
        for (const auto& [workspace, problem] : problemsOf_) {
            if (problem.first > 0 && problem.second) {
                problem.second();
                return;
            }
        }
    });
    connect(failed_, &QAbstractButton::clicked, this, [this] {
        for (const RunPointer& run : session_.runs()->runs()) {
            if (run->state() == RunState::failed || run->state() == RunState::lost) {
                Q_EMIT runClicked(run->id);
                return;
            }
        }
    });
    connect(&session_, &ProjectSession::opened, this, &StatusBar::refresh);
    connect(&session_, &ProjectSession::closed, this, &StatusBar::refresh);
    connect(&session_, &ProjectSession::runChanged, this, &StatusBar::refresh);
    connect(&session_, &ProjectSession::runRemoved, this, &StatusBar::refresh);
    connect(&session_, &ProjectSession::studiesChanged, this, &StatusBar::refresh);
    connect(&session_, &ProjectSession::saved, this, [this] {
        lastSave_.start();
        savedTimer_.start();
        refreshSaved();
    });
    refresh();
}

void StatusBar::showMessage(const QString& text) {
    message_->setText(text);
    messageTimer_.start(message_ms);
    refresh();
}

void StatusBar::setProblems(const QString& workspace, int count, std::function<void()> show) {
    problemsOf_[workspace] = {count, std::move(show)};
    int all = 0;
    for (const auto& [id, problem] : problemsOf_) all += problem.first;
    problems_->setText(all == 1 ? tr("1 problem") : tr("%1 problems").arg(all));
    problems_->setAccessibleName(problems_->text());
    problems_->setVisible(all > 0);
}

void StatusBar::setUnsaved(bool unsaved) {
    unsaved_ = unsaved;
    refreshSaved();
}

void StatusBar::refresh() {
    const auto& runs = session_.runs()->runs();
    // The selected run when it works, else the newest that does.
    RunPointer shown = session_.currentRun();
    if (!shown || !shown->active()) {
        const auto active =
            std::find_if(runs.begin(), runs.end(), [](const RunPointer& run) { return run->active(); });
        shown = active == runs.end() ? nullptr : *active;
    }
    int planned = 0, failed = 0, active = 0;
    for (const RunPointer& run : runs) {
        planned += run->state() == RunState::planned;
        failed += run->state() == RunState::failed || run->state() == RunState::lost;
        active += run->active();
    }
    failed_->setText(tr("%1 failed").arg(failed));
    failed_->setAccessibleName(failed_->text());
    failed_->setVisible(failed > 0);
    queue_->setText(tr("%1 queued").arg(planned));
    queue_->setAccessibleName(queue_->text());
    queue_->setVisible(planned > 0);
    const bool speaking = messageTimer_.isActive();
    job_->setVisible(shown && !speaking);
    shownRun_ = shown ? shown->id : RunId();
    if (!speaking) {
        QString text;
        if (!shown && session_.isOpen()) {
            const StudyEntry* study = session_.study(session_.currentStudy());
            if (study && study->finished > 0) {
                text =
                    tr("%1: %2 of %3 runs finished").arg(study->name).arg(study->finished).arg(study->runs);
            } else {
                text = tr("Ready");
            }
        }
        message_->setText(text);
    }
    if (!shown) return;
    pie_->setRun(shown);
    name_->setText(active > 1 ? tr("%1, %2 more").arg(shown->name).arg(active - 1) : shown->name);
    const double decay = shown->plan ? 1 - shown->plan->training.decay_fraction : -1;
    bar_->setProgress(shown->progress(), shown->paletteIndex, decay < 1 ? decay : -1);
    step_->setText(tr("step %1 / %2").arg(formatCount(shown->step()), formatCount(shown->steps())));
    const auto loss = shown->latest("loss");
    loss_->setText(loss ? tr("loss %1").arg(formatFixed(*loss, 3)) : QString());
    const auto speed = shown->latest("tokens_per_s");
    speed_->setText(speed ? tr("%1 tok/s").arg(formatSi(*speed)) : QString());
    eta_->setText(shown->state() == RunState::paused ? runStateText(RunState::paused)
                  : shown->eta                       ? formatEta(shown->eta->seconds, shown->eta->plus_minus)
                                                     : QString());
    fold();
}

void StatusBar::refreshSaved() {
    QString text;
    if (unsaved_) {
        text = tr("Not saved");
    } else if (lastSave_.isValid()) {
        const qint64 seconds = lastSave_.elapsed() / 1000;
        text = seconds < 10 ? tr("Saved")
                            : tr("Saved %1 ago").arg(formatDuration(double(seconds - seconds % 10)));
    }
    saved_->setText(text);
}

// What is least needed goes first.
void StatusBar::fold() {
    bar_->setVisible(width() > 720);
    speed_->setVisible(width() > 900);
    loss_->setVisible(width() > 600);
}

void StatusBar::mousePressEvent(QMouseEvent* event) {
    if (job_->isVisible() && job_->geometry().contains(event->pos()) && !shownRun_.empty())
        Q_EMIT runClicked(shownRun_);
}

void StatusBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fold();
}

void StatusBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().window);
    painter.fillRect(QRect(0, 0, width(), 1), tokens().border);
}

}  // namespace braid::ui
