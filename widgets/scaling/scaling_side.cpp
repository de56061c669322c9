#include "widgets/scaling/scaling_side.h"

#include <QHeaderView>
#include <QPushButton>
#include <QStandardItemModel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/spec/study.h"
#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/scaling/fact_list.h"
#include "widgets/scaling/queue_list.h"
#include "widgets/scaling/study_grid.h"

namespace braid::ui {

namespace {

constexpr int name_role = Qt::UserRole + 1;

QString shapeText(const ScalingContent& content) {
    const StudySpec& spec = content.spec;
    QStringList parts{QString::number(content.view.curves.size()),
                      QString::number(content.view.scales.size())};
    if (!spec.budgets.empty()) parts << QString::number(spec.budgets.size());
    if (spec.seeds.size() > 1) parts << QString::number(spec.seeds.size());
    return parts.join(QStringLiteral(" × "));
}

}  // namespace

ScalingSide::ScalingSide(const WorkspaceContext& context, ScalingChoice& choice, QWidget* parent)
    : QWidget(parent),
      context_(context),
      choice_(choice),
      model_(new QStandardItemModel(0, 2, this)),
      studies_(new QTreeView),
      new_(makeIconButton(QStringLiteral("plus"), tr("New grid study"))),
      grid_title_(new SectionTitle(tr("Grid"))),
      queue_title_(new SectionTitle(tr("Queue"))),
      grid_(new StudyGrid),
      queue_(new QueueList),
      cost_(new FactList),
      run_(makePrimaryButton(tr("Run study"), QStringLiteral("play"))),
      pause_(makeButton(tr("Pause"), QStringLiteral("pause"))),
      stop_(makeDangerButton(tr("Stop"), QStringLiteral("stop"))),
      next_(makeButton(tr("Run next"))),
      edit_(makeButton(tr("Edit..."))) {
    studies_->setAccessibleName(tr("Studies"));
    studies_->setModel(model_);
    studies_->setHeaderHidden(true);
    studies_->setRootIsDecorated(false);
    studies_->setIndentation(0);
    studies_->setFrameShape(QFrame::NoFrame);
    studies_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    studies_->setUniformRowHeights(true);
    studies_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    studies_->viewport()->setAutoFillBackground(false);
    studies_->header()->setStretchLastSection(false);
    studies_->header()->setMinimumSectionSize(20);
    studies_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    studies_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    next_->setToolTip(tr("Train the chosen point before the others"));

    content_ = new QWidget;
    auto* rows = new QVBoxLayout(content_);
    rows->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap3);
    rows->setSpacing(metrics::gap2);
    rows->addWidget(grid_title_);
    rows->addWidget(grid_);
    rows->addWidget(makeSeparator());
    rows->addWidget(queue_title_);
    rows->addWidget(queue_);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::gap1);
    buttons->addWidget(run_);
    buttons->addWidget(pause_);
    buttons->addWidget(stop_);
    rows->addLayout(buttons);
    auto* more = new QHBoxLayout;
    more->setSpacing(metrics::gap1);
    more->addWidget(next_);
    more->addWidget(edit_);
    rows->addLayout(more);
    rows->addWidget(makeSeparator());
    rows->addWidget(new SectionTitle(tr("Cost")));
    rows->addWidget(cost_);
    rows->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidget(content_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->viewport()->setAutoFillBackground(false);
    content_->setAutoFillBackground(false);

    auto* title = new SectionTitle(tr("Studies"));
    title->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap1, 0);
    title->addWidget(new_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, metrics::gap1, 0, 0);
    layout->setSpacing(metrics::gap1);
    layout->addWidget(title);
    layout->addWidget(studies_, 1);
    layout->addWidget(makeSeparator());
    layout->addWidget(scroll, 5);

    connect(studies_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (filling_ || !now.isValid()) return;
                const QString name = now.siblingAtColumn(0).data(name_role).toString();
                choice_.setStudy(name);
                context_.session.setCurrentStudy(name);
            });
    connect(grid_, &StudyGrid::chosen, &choice_, &ScalingChoice::setCurrent);
    connect(queue_, &QueueList::chosen, &choice_, &ScalingChoice::setCurrent);
    connect(run_, &QPushButton::clicked, this, &ScalingSide::runStudy);
    connect(pause_, &QPushButton::clicked, this, &ScalingSide::pauseOrResume);
    connect(stop_, &QPushButton::clicked, this, &ScalingSide::stopStudy);
    connect(next_, &QPushButton::clicked, this, &ScalingSide::runNext);
    connect(new_, &QToolButton::clicked, this, &ScalingSide::newWanted);
    connect(edit_, &QPushButton::clicked, this, &ScalingSide::editWanted);
    connect(&choice_, &ScalingChoice::changed, this, &ScalingSide::refresh);
    connect(&choice_, &ScalingChoice::currentChanged, this, &ScalingSide::refreshCurrent);
    connect(&context_.session, &ProjectSession::studiesChanged, this, &ScalingSide::fillStudies);
    connect(&context_.commands, &RunCommands::studyStateChanged, this, &ScalingSide::refreshButtons);
    fillStudies();
    refresh();
}

QString ScalingSide::costText() const { return cost_->text(); }

void ScalingSide::fillStudies() {
    filling_ = true;
    model_->removeRows(0, model_->rowCount());
    for (const StudyEntry& entry : context_.session.studies()) {
        auto* name = new QStandardItem(entry.title.isEmpty() ? entry.name : entry.title);
        name->setIcon(icon(QStringLiteral("study")));
        name->setData(entry.name, name_role);
        name->setToolTip(entry.problem.isEmpty() ? entry.name : entry.problem);
        const QString count = !entry.spec ? tr("cannot be read")
                              : entry.finished == entry.runs
                                  ? (entry.runs == 1 ? tr("1 run") : tr("%1 runs").arg(entry.runs))
                                  : tr("%1 / %2").arg(entry.finished).arg(entry.runs);
        auto* state = new QStandardItem(count);
        state->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        state->setForeground(tokens().text3);
        state->setData(entry.name, name_role);
        model_->appendRow({name, state});
        if (entry.name == choice_.study()) studies_->setCurrentIndex(name->index());
    }
    filling_ = false;
}

void ScalingSide::refresh() {
    fillStudies();
    const ScalingContentPtr& content = choice_.content();
    const bool planned = content && content->problems.empty();
    content_->setVisible(planned);
    if (!planned) return;
    grid_->show(content);
    grid_title_->setNote(shapeText(*content));
    const StudyForecast now = forecast(*content);
    const std::size_t left = now.working.size() + now.failed.size() + now.waiting.size();
    QString note = left == 0 ? tr("all finished") : tr("%1 left").arg(formatCount(std::int64_t(left)));
    queue_->show(content, now);
    const StudyCost& cost = content->cost;
    std::vector<FactList::Fact> facts{{tr("Tokens to train"), formatSi(double(cost.tokens))}};
    if (cost.tokens_saved > 0)
        facts.push_back({tr("Saved by branching"), formatSi(double(cost.tokens_saved))});
    facts.push_back({tr("FLOPs"), formatSi(cost.flops)});
    facts.push_back({tr("Checkpoints"), formatBytes(double(cost.disk_bytes))});
    if (left > 0)
        for (const DeviceSpeed& speed : now.speeds) {
            const QString time = leftText(now, speed);
            facts.push_back({onDevice(tr("Left"), tr("Left on %1"), speed),
                             time,
                             {},
                             tr("%1 one after the other, at the %2 FLOP/s that %3 runs of this study reached")
                                 .arg(time, formatSi(speed.flops_per_second))
                                 .arg(speed.runs)});
            if (&speed == &now.speeds.front()) note += tr(", ≈ %1").arg(time);
        }
    queue_title_->setNote(note);
    cost_->setFacts(facts);
    refreshCurrent();
    refreshButtons();
}

void ScalingSide::refreshCurrent() {
    grid_->setCurrentPoint(choice_.current());
    refreshButtons();
}

void ScalingSide::refreshButtons() {
    const ScalingContentPtr& content = choice_.content();
    if (!content || !content->problems.empty()) return;
    const std::vector<ScalingViewPoint>& points = content->view.points;
    const auto any = [&](auto holds) { return std::any_of(points.begin(), points.end(), holds); };
    const bool works = any([](const ScalingViewPoint& point) {
        return point.state == RunState::running || point.state == RunState::paused;
    });
    const bool paused = any([](const ScalingViewPoint& point) { return point.state == RunState::paused; });
    const bool running = works || context_.commands.isStudyRunning(choice_.study());
    const bool done = content->view.finished == points.size();
    run_->setVisible(!running);
    run_->setText(content->view.finished > 0 ? tr("Continue study") : tr("Run study"));
    const QString unavailable = context_.commands.unavailableReason();
    const QString read_only = context_.session.isReadOnly() ? tr("The project is read-only") : QString();
    setDisabledReason(run_, done                   ? tr("Every point of this study has finished")
                            : !read_only.isEmpty() ? read_only
                                                   : unavailable);
    pause_->setVisible(running);
    pause_->setText(paused ? tr("Resume") : tr("Pause"));
    setDisabledReason(pause_, works ? QString() : tr("No run trains yet"));
    stop_->setVisible(running);
    const ScalingViewPoint* point = choice_.currentPoint();
    setDisabledReason(next_, !point              ? tr("Choose a point in the grid first")
                             : point->finished() ? tr("This point has finished")
                             : running           ? tr("The study runs already; stop it to change its order")
                             : !read_only.isEmpty() ? read_only
                                                    : unavailable);
    setDisabledReason(edit_, read_only);
}

void ScalingSide::runStudy() { context_.commands.startStudy(choice_.study()); }
void ScalingSide::stopStudy() { context_.commands.stopStudy(choice_.study()); }

void ScalingSide::pauseOrResume() {
    const ScalingContentPtr& content = choice_.content();
    if (!content) return;
    const bool resume = std::any_of(content->runs.begin(), content->runs.end(), [](const RunPointer& run) {
        return run && run->state() == RunState::paused;
    });
    for (const RunPointer& run : content->runs) {
        if (!run) continue;
        if (resume && run->state() == RunState::paused) context_.commands.resume(run->id);
        if (!resume && run->state() == RunState::running) context_.commands.pause(run->id);
    }
}

void ScalingSide::runNext() {
    const ScalingViewPoint* point = choice_.currentPoint();
    if (!point) return;
    const ScalingContent& content = *choice_.content();
    const StudyPoint& planned = content.state.points[point->point].planned.point;
    QStringList conditions;
    for (const auto& [name, value] : fields_of(content.spec, planned))
        // A value with a comma cannot be asked for; the rest is narrow enough.
        if (value.find(',') == std::string::npos)
            conditions << QString::fromStdString(name) + QLatin1Char('=') + QString::fromStdString(value);
    context_.commands.startStudyAt(choice_.study(), conditions.join(QLatin1Char(',')));
}

}  // namespace braid::ui
