#include "widgets/common/score_jobs.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_measurements.h"

namespace braid::ui {

namespace {

constexpr int most_lines = 4;  // of those that work or wait, and of those that failed

}  // namespace

ScoreJobs::ScoreJobs(const ProjectSession& session, RunCommands& commands, ScoreRequest::Verb verb,
                     QWidget* parent)
    : QWidget(parent),
      session_(session),
      commands_(commands),
      verb_(verb),
      layout_(new QVBoxLayout),
      foot_(new QWidget),
      more_(new TextLabel({}, TypeStep::table, 400, 2)),
      all_(makeButton(tr("Cancel all"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    layout_->setSpacing(0);
    column->addLayout(layout_);
    auto* line = new QHBoxLayout(foot_);
    line->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
    line->addWidget(more_, 1);
    line->addWidget(all_);
    column->addWidget(foot_);
    connect(all_, &QPushButton::clicked, this, &ScoreJobs::endAll);
    hide();
    connect(&commands, &RunCommands::scoreJobChanged, this, &ScoreJobs::show);
}

QPushButton* ScoreJobs::cancelButton(int job) const {
    const auto found = lines_.find(job);
    return found == lines_.end() ? nullptr : found->second.cancel;
}

QString ScoreJobs::text(int job) const {
    const auto found = lines_.find(job);
    return found == lines_.end() ? QString() : found->second.progress->text();
}

void ScoreJobs::show(const ScoreJob& job) {
    if (job.request.verb != verb_) return;
    if (job.state == ScoreJob::State::done || job.state == ScoreJob::State::cancelled) {
        remove(job.id);  // the list of scores shows what came of it
        return;
    }
    const RunPointer run = session_.run(job.request.run);
    if (!lines_.contains(job.id)) {
        auto* row = new QWidget;
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
        line->setSpacing(metrics::gap2);
        Line made{row,
                  new TextLabel({}, TypeStep::table, 600),
                  new TextLabel({}, TypeStep::table, 400, 2),
                  new RunProgressBar,
                  makeButton(tr("Cancel")),
                  job.state};
        made.progress->setElided(Qt::ElideRight);
        made.bar->setFixedWidth(120);
        line->addWidget(made.title);
        line->addWidget(made.bar);
        line->addWidget(made.progress, 1);
        line->addWidget(made.cancel);
        layout_->addWidget(row);
        lines_.emplace(job.id, made);
        connect(made.cancel, &QPushButton::clicked, this, [this, id = job.id] {
            if (lines_.at(id).state == ScoreJob::State::failed)
                remove(id);
            else
                commands_.cancelScore(id);
        });
    }
    Line& line = lines_.at(job.id);
    line.state = job.state;
    const bool failed = job.state == ScoreJob::State::failed;
    line.title->setText(tr("%1, %2 at step %3")
                            .arg(job.request.isMeasurement()
                                     ? measurementTitle(job.request.kind.toStdString())
                                     : scoreKindTitle(job.request.kind.toStdString()),
                                 run ? run->name : QString::fromStdString(job.request.run.str()),
                                 formatCount(job.request.step)));
    line.bar->setVisible(!failed);
    line.bar->setProgress(std::max(0.0, job.fraction), run ? run->paletteIndex : 0, -1);
    line.progress->setStatus(failed ? QStringLiteral("error") : QString());
    // Behind the path, which the line's title tells already, is the reason.
    const qsizetype path =
        failed && job.text.startsWith(QLatin1Char('/')) ? job.text.indexOf(QLatin1String(": ")) : -1;
    line.progress->setToolTip(failed ? job.text : QString());
    line.progress->setText(path > 0                                ? job.text.mid(path + 2)
                           : job.state == ScoreJob::State::waiting ? tr("waits")
                           : failed || !job.text.isEmpty()
                               ? (failed || job.fraction < 0
                                      ? job.text
                                      : formatPercent(job.fraction) + QStringLiteral("  ") + job.text)
                               : tr("starts"));
    line.cancel->setText(failed ? tr("Dismiss") : tr("Cancel"));
    arrange();
}

QString ScoreJobs::moreText() const { return more_->text(); }

void ScoreJobs::arrange() {
    int active = 0, failed = 0, hidden = 0;
    for (auto& [id, line] : lines_) {
        const bool ended = line.state == ScoreJob::State::failed;
        (ended ? failed : active) += 1;
        const bool shown = ended ? failed <= most_lines : active <= most_lines;
        line.row->setVisible(shown);
        hidden += shown ? 0 : 1;
    }
    const bool dismisses = active == 0;
    all_->setText(dismisses ? tr("Dismiss all") : tr("Cancel all"));
    more_->setText(hidden > 0 ? tr("and %1 more").arg(hidden) : QString());
    foot_->setVisible((dismisses ? failed : active) > 1 || hidden > 0);
    setVisible(!lines_.empty());
}

void ScoreJobs::endAll() {
    std::vector<int> active, failed;
    for (const auto& [id, line] : lines_)
        (line.state == ScoreJob::State::failed ? failed : active).push_back(id);
    if (active.empty())
        for (const int id : failed) remove(id);
    // The last one first, or the next would start as soon as one ends.
    std::for_each(active.rbegin(), active.rend(), [this](int id) { commands_.cancelScore(id); });
}

void ScoreJobs::remove(int job) {
    const auto found = lines_.find(job);
    if (found == lines_.end()) return;
    found->second.row->hide();
    found->second.row->deleteLater();
    lines_.erase(found);
    arrange();
}

}  // namespace braid::ui
