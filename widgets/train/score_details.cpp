#include "widgets/train/score_details.h"

#include <QHeaderView>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/needle_grid.h"
#include "widgets/common/run_scores.h"
#include "widgets/train/answers_view.h"

namespace braid::ui {

namespace {

constexpr int task_role = Qt::UserRole + 1;

QStandardItem* cell(const QString& text, bool right = false) {
    auto* item = new QStandardItem(text);
    item->setEditable(false);
    if (right) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

// A number of samples that are not what was asked for; marked where there are any.
QStandardItem* shortfall(const Score& score, std::int64_t count) {
    QStandardItem* item = cell(score.samples > 0 || count > 0 ? formatCount(count) : QString(), true);
    if (count > 0) item->setData(QStringLiteral("warn"), StatusRole);
    return item;
}

// Settings as a flat list: "needle.kind".
void flatten(const Json& json, const QString& path, QStandardItemModel* into) {
    if (json.is_object() && !json.empty()) {
        for (const auto& [key, value] : json.items()) {
            const QString name = QString::fromStdString(key);
            flatten(value, path.isEmpty() ? name : path + QLatin1Char('.') + name, into);
        }
        return;
    }
    QString text;
    if (json.is_string())
        text = QString::fromStdString(json.get<std::string>());
    else if (json.is_number_integer())
        text = formatCount(json.get<std::int64_t>());
    else if (json.is_array()) {
        QStringList parts;
        for (const Json& one : json)
            parts << (one.is_string()           ? QString::fromStdString(one.get<std::string>())
                      : one.is_number_integer() ? formatCount(one.get<std::int64_t>())
                                                : QString::fromStdString(one.dump()));
        text = parts.join(QStringLiteral(", "));
    } else if (!json.is_null()) {
        text = QString::fromStdString(json.dump());
    }
    into->appendRow({cell(path), cell(text)});
}

}  // namespace

ScoreDetails::ScoreDetails(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar),
      pages_(new QStackedWidget),
      tasks_(new QStandardItemModel(this)),
      settings_(new QStandardItemModel(this)),
      tasks_view_(new DataTable(tr("Tasks of the score"))),
      settings_view_(new DataTable(tr("Settings of the score"))),
      answers_(new AnswersView) {
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setAccessibleName(tr("Parts of the score"));
    for (const QString& title : {tr("Tasks"), tr("Answers"), tr("Settings")}) tabs_->addTab(title);
    for (QTableView* view : {tasks_view_, settings_view_}) {
        view->setSelectionMode(QAbstractItemView::SingleSelection);
        view->setSortingEnabled(false);
    }
    tasks_view_->setModel(tasks_);
    settings_view_->setModel(settings_);
    settings_view_->horizontalHeader()->setStretchLastSection(true);
    for (QWidget* page : std::initializer_list<QWidget*>{tasks_view_, answers_, settings_view_})
        pages_->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(tabs_);
    layout->addWidget(makeSeparator());
    layout->addWidget(pages_, 1);
    connect(tabs_, &QTabBar::currentChanged, pages_, &QStackedWidget::setCurrentIndex);
    connect(tasks_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                const QString task = tasks_->index(index.row(), 0).data(task_role).toString();
                if (!task.isEmpty()) Q_EMIT taskChosen(task.toStdString());
            });
}

void ScoreDetails::show(const ScoreRecord* record) {
    tasks_->clear();
    settings_->clear();
    answers_->show(record ? std::optional(*record) : std::nullopt);
    if (!record) return;
    showTasks(*record);
    showSettings(*record);
    tabs_->setTabText(Answers, record->answers.empty() ? tr("Answers (none)") : tr("Answers"));
}

void ScoreDetails::showTasks(const ScoreRecord& record) {
    tasks_->setHorizontalHeaderLabels({tr("Task"), tr("Length"), tr("Depth"), tr("Value"),
                                       QStringLiteral("±"), tr("Samples"), tr("Truncated"), tr("Left out")});
    tasks_->horizontalHeaderItem(4)->setToolTip(tr("Standard error"));
    tasks_->horizontalHeaderItem(6)->setToolTip(
        tr("Samples whose text was cut, or whose answer reached its limit of tokens"));
    tasks_->horizontalHeaderItem(7)->setToolTip(tr("Questions that did not fit: not among the samples"));
    alignNumberHeaders(*tasks_, 1);
    for (const ScoreSummary& summary : record.summary) {
        QStandardItem* name = cell(QString::fromStdString(summary.name));
        QStandardItem* value = cell(scoreText(summary.value, QString::fromStdString(summary.unit)), true);
        for (QStandardItem* item : {name, value}) item->setData(true, BestRole);
        tasks_->appendRow({name, cell({}), cell({}), value, cell({}), cell({}), cell({}), cell({})});
    }
    for (const Score& score : record.scores) {
        const QString unit = QString::fromStdString(score.unit);
        QStandardItem* name = cell(QString::fromStdString(score.name));
        name->setData(QString::fromStdString(score.name), task_role);
        QStandardItem* value = cell(score.value ? scoreText(score.value, unit) : tr("no data"), true);
        if (!score.value) value->setData(QStringLiteral("faint"), StatusRole);
        tasks_->appendRow({name, cell(score.length ? formatCount(*score.length) : QString(), true),
                           cell(score.depth ? depthText(*score.depth) : QString(), true), value,
                           cell(score.standard_error
                                    ? formatFixed(*score.standard_error, unit == QLatin1String("%") ? 1 : 4)
                                    : QString(),
                                true),
                           cell(score.samples > 0 ? formatCount(score.samples) : QString(), true),
                           shortfall(score, score.truncated), shortfall(score, score.left_out)});
    }
    // Columns that the kind has no use for.
    const auto any = [&](auto has) { return std::any_of(record.scores.begin(), record.scores.end(), has); };
    tasks_view_->setColumnHidden(1, !any([](const Score& score) { return score.length.has_value(); }));
    tasks_view_->setColumnHidden(2, !any([](const Score& score) { return score.depth.has_value(); }));
    const bool truncates =
        !record.answers.empty() || any([](const Score& score) { return score.truncated > 0; });
    tasks_view_->setColumnHidden(6, !truncates);
    tasks_view_->setColumnHidden(7, !any([](const Score& score) { return score.left_out > 0; }));
    tasks_view_->resizeColumnsToContents();
    // Headlines are longer than the names of tasks; they have the next columns to themselves.
    tasks_view_->clearSpans();
    const auto headlines = int(record.summary.size());
    for (int row = 0; row < headlines; ++row) tasks_view_->setSpan(row, 0, 1, 3);
    // Why a task has no value stands in place of what a value has beside it, and makes no column wider.
    for (std::size_t i = 0; i < record.scores.size(); ++i) {
        if (record.scores[i].value || record.scores[i].no_data.empty()) continue;
        const int row = headlines + int(i);
        QStandardItem* reason = cell(QString::fromStdString(record.scores[i].no_data));
        reason->setData(QStringLiteral("faint"), StatusRole);
        reason->setToolTip(reason->text());
        tasks_->setItem(row, 4, reason);
        tasks_view_->setSpan(row, 4, 1, 4);
    }
    const QFontMetrics text(Theme::instance().font(TypeStep::table));
    int widest = text.horizontalAdvance(tr("Task"));
    for (const Score& score : record.scores)
        widest = std::max(widest, text.horizontalAdvance(QString::fromStdString(score.name)));
    if (!tasks_view_->isColumnHidden(1))
        tasks_view_->setColumnWidth(0, std::min(tasks_view_->columnWidth(0), widest + 2 * metrics::gap3));
    tasks_view_->horizontalHeader()->setStretchLastSection(true);
}

void ScoreDetails::showSettings(const ScoreRecord& record) {
    settings_->setHorizontalHeaderLabels({tr("Setting"), tr("Value")});
    flatten(record.settings, {}, settings_);
    const WeightsOrigin& checkpoint = record.checkpoint;
    settings_->appendRow({cell(tr("checkpoint")), cell(tr("run %1, step %2")
                                                           .arg(QString::fromStdString(checkpoint.run),
                                                                formatCount(checkpoint.step.value)))});
    settings_->appendRow(
        {cell(tr("architecture hash")), cell(QString::fromStdString(checkpoint.architecture_hash))});
    settings_->appendRow({cell(tr("made")), cell(QString::fromStdString(record.created))});
    settings_->appendRow({cell(tr("command")), cell(QString::fromStdString(record.command))});
    settings_->appendRow({cell(tr("file")), cell(QString::fromStdString(record.file))});
    settings_view_->resizeColumnToContents(0);
}

}  // namespace braid::ui
