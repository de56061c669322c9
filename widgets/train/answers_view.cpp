#include "widgets/train/answers_view.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSplitter>
#include <QThreadPool>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/segments.h"

namespace braid::ui {

AnswersView::AnswersView(QWidget* parent)
    : QWidget(parent),
      which_(new Segments(tr("Answers shown"), {tr("All"), tr("Wrong"), tr("Right")})),
      filter_(new QLineEdit),
      note_(new TextLabel({}, TypeStep::table, 400, 3)),
      model_(new AnswersModel(this)),
      proxy_(new AnswersProxy(model_, this)),
      table_(new DataTable(tr("Answers"))),
      detail_(new QPlainTextEdit) {
    which_->setCurrent(0);
    filter_->setPlaceholderText(tr("Filter answers"));
    filter_->setAccessibleName(tr("Filter answers"));
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(240);
    filter_->setFixedHeight(metrics::control);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    line->setSpacing(metrics::gap2);
    line->addWidget(which_);
    line->addWidget(filter_);
    line->addWidget(note_, 1);
    note_->setElided(Qt::ElideRight);
    table_->setModel(proxy_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setSortIndicator(AnswersModel::Right, Qt::AscendingOrder);
    for (const auto& [column, width] :
         std::initializer_list<std::pair<int, int>>{{AnswersModel::Right, 80},
                                                    {AnswersModel::Cut, 84},
                                                    {AnswersModel::Task, 112},
                                                    {AnswersModel::Length, 70},
                                                    {AnswersModel::Depth, 64},
                                                    {AnswersModel::Expected, 104}})
        table_->setColumnWidth(column, width);
    // What was wanted and what came stand beside each other; where they were asked is to the right.
    QHeaderView* header = table_->horizontalHeader();
    header->moveSection(header->visualIndex(AnswersModel::Expected), 1);
    header->moveSection(header->visualIndex(AnswersModel::Answer), 2);
    table_->setColumnWidth(AnswersModel::Answer, 150);
    detail_->setReadOnly(true);
    detail_->setFrameShape(QFrame::NoFrame);
    detail_->setAccessibleName(tr("The answer in full"));
    detail_->setFont(Theme::instance().mono(TypeStep::table));
    detail_->setPlaceholderText(tr("Choose an answer to read it with the end of its question."));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setHandleWidth(1);
    split->addWidget(table_);
    split->addWidget(detail_);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 1);
    split->setSizes({600, 300});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    body_ = new QWidget;
    auto* body = new QVBoxLayout(body_);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(0);
    body->addLayout(line);
    body->addWidget(split, 1);
    none_ = new EmptyState(tr("This kind of score keeps no answers."));
    none_->hide();
    layout->addWidget(body_, 1);
    layout->addWidget(none_, 1);
    connect(which_, &Segments::chosen, this, [this](int chosen) {
        proxy_->setWhich(AnswersProxy::Which(chosen));
        refresh();
    });
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        proxy_->setText(text);
        refresh();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &AnswersView::showCurrent);
    refresh();
}

void AnswersView::show(std::optional<ScoreRecord> record) {
    const bool same =
        record && record_ && record->file == record_->file && record->created == record_->created;
    if (same) return;
    record_ = std::move(record);
    read_ = false;
    problem_.clear();
    model_->show(nullptr);
    refresh();
    if (isVisible()) read();
}

void AnswersView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!read_) read();
}

void AnswersView::read() {
    read_ = true;
    if (!record_ || record_->answers.empty()) {
        refresh();
        return;
    }
    const int number = ++asked_;
    QPointer<AnswersView> self(this);
    QThreadPool::globalInstance()->start([self, number, record = *record_] {
        Result<std::vector<ScoreAnswer>> answers = read_answers(record);
        AnswersPointer shared;
        QString problem;
        if (answers)
            shared = std::make_shared<const std::vector<ScoreAnswer>>(std::move(*answers));
        else
            problem = QString::fromStdString(describe(answers.error()));
        QMetaObject::invokeMethod(qApp, [self, number, shared, problem] {
            if (!self || number != self->asked_) return;
            self->problem_ = problem;
            self->model_->show(shared);
            self->fitColumns();
            self->refresh();
            if (self->proxy_->rowCount() > 0) self->table_->selectRow(0);
        });
    });
}

// What all answers share is no column.
void AnswersView::fitColumns() {
    bool tasks = false, truncated = false, lengths = false, depths = false;
    for (int row = 0; row < model_->rowCount(); ++row) {
        const ScoreAnswer& answer = *model_->at(row);
        tasks = tasks || answer.task != model_->at(0)->task;
        truncated = truncated || answer.truncated;
        lengths = lengths || answer.length;
        depths = depths || answer.depth;
    }
    table_->setColumnHidden(AnswersModel::Task, !tasks);
    table_->setColumnHidden(AnswersModel::Cut, !truncated);
    table_->setColumnHidden(AnswersModel::Length, !lengths);
    table_->setColumnHidden(AnswersModel::Depth, !depths);
    if (truncated != (which_->count() > int(AnswersProxy::Which::truncated))) {
        QStringList choices{tr("All"), tr("Wrong"), tr("Right")};
        if (truncated) choices << tr("Truncated");
        which_->setChoices(choices);
        which_->setCurrent(0);
        proxy_->setWhich(AnswersProxy::Which::all);
    }
}

void AnswersView::setPlace(std::optional<AnswersProxy::Place> place, const QString& text) {
    place_ = place ? text : QString();
    proxy_->setPlace(std::move(place));
    refresh();
}

void AnswersView::refresh() {
    const int all = model_->rowCount(), shown = proxy_->rowCount();
    const bool none = record_ && record_->answers.empty();
    body_->setVisible(!none);
    none_->setVisible(none);
    QString text;
    if (!problem_.isEmpty())
        text = problem_;
    else if (!record_)
        text = QString();
    else if (all == 0)
        text = tr("Reading the answers...");
    else
        text = shown == all ? tr("%1 answers").arg(formatCount(all))
                            : tr("%1 of %2 answers").arg(formatCount(shown), formatCount(all));
    if (!place_.isEmpty()) text += QStringLiteral(" · ") + place_;
    note_->setText(text);
    note_->setStatus(problem_.isEmpty() ? QString() : QStringLiteral("error"));
    showCurrent();
}

void AnswersView::showCurrent() {
    const ScoreAnswer* answer = proxy_->at(table_->currentIndex().row());
    if (!answer) {
        detail_->clear();
        return;
    }
    QStringList expected;
    for (const std::string& one : answer->expected) expected << QString::fromStdString(one);
    QString text = tr("EXPECTED\n%1\n\nANSWER\n%2")
                       .arg(expected.join(QLatin1Char('\n')), QString::fromStdString(answer->answer));
    if (answer->truncated) text += tr("\n\nTRUNCATED\n%1").arg(AnswersModel::truncatedText());
    text += tr("\n\nEND OF THE QUESTION\n…%1").arg(QString::fromStdString(answer->prompt_tail));
    detail_->setPlainText(text);
}

QString AnswersView::detail() const { return detail_->toPlainText(); }

}  // namespace braid::ui
