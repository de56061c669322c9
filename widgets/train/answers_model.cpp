#include "widgets/train/answers_model.h"

#include <QStringList>
#include <cmath>

#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/needle_grid.h"

namespace braid::ui {

namespace {

constexpr double all_right = 1;
constexpr double same_depth = 1e-9;

QString oneLine(const std::string& text) { return QString::fromStdString(text).simplified(); }

QString expectedText(const ScoreAnswer& answer) {
    QStringList all;
    for (const std::string& one : answer.expected) all << oneLine(one);
    return all.join(QStringLiteral(" · "));
}

}  // namespace

QString AnswersModel::truncatedText() {
    return tr("The answer reached its limit of tokens, or its question was cut to fit.");
}

int AnswersModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !answers_ ? 0 : int(answers_->size());
}
int AnswersModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

void AnswersModel::show(AnswersPointer answers) {
    beginResetModel();
    answers_ = std::move(answers);
    endResetModel();
}

const ScoreAnswer* AnswersModel::at(int row) const {
    return row >= 0 && row < rowCount() ? &(*answers_)[std::size_t(row)] : nullptr;
}

QVariant AnswersModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Length || section == Depth ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Right:
            return tr("Right");
        case Cut:
            return tr("Truncated");
        case Task:
            return tr("Task");
        case Length:
            return tr("Length");
        case Depth:
            return tr("Depth");
        case Expected:
            return tr("Expected");
        case Answer:
            return tr("Answer");
        default:
            return {};
    }
}

QVariant AnswersModel::data(const QModelIndex& index, int role) const {
    const ScoreAnswer* answer = index.isValid() ? at(index.row()) : nullptr;
    if (!answer) return {};
    const bool right = answer->correct >= all_right;
    if (role == Qt::TextAlignmentRole) return headerData(index.column(), Qt::Horizontal, role);
    if (index.column() == Cut && answer->truncated) {
        if (role == StatusRole) return QStringLiteral("warn");
        if (role == Qt::ToolTipRole) return truncatedText();
    }
    if (role == StatusRole && index.column() == Right)
        return right                 ? QStringLiteral("ok")
               : answer->correct > 0 ? QStringLiteral("warn")
                                     : QStringLiteral("error");
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Right:
            return right ? tr("right") : answer->correct > 0 ? formatPercent(answer->correct) : tr("wrong");
        case Cut:
            return answer->truncated ? tr("truncated") : QString();
        case Task:
            return oneLine(answer->task);
        case Length:
            return answer->length ? QVariant(formatCount(*answer->length)) : QVariant(QStringLiteral("—"));
        case Depth:
            return answer->depth ? QVariant(depthText(*answer->depth)) : QVariant(QStringLiteral("—"));
        case Expected:
            return expectedText(*answer);
        case Answer:
            return oneLine(answer->answer);
        default:
            return {};
    }
}

AnswersProxy::AnswersProxy(AnswersModel* model, QObject* parent)
    : QSortFilterProxyModel(parent), model_(model) {
    setSourceModel(model);
    sort(AnswersModel::Right);  // wrong ones first
}

void AnswersProxy::setWhich(Which which) {
    which_ = which;
    invalidateFilter();
}

void AnswersProxy::setText(const QString& text) {
    text_ = text.trimmed();
    invalidateFilter();
}

void AnswersProxy::setPlace(std::optional<Place> place) {
    place_ = std::move(place);
    invalidateFilter();
}

const ScoreAnswer* AnswersProxy::at(int row) const {
    return row < 0 || row >= rowCount() ? nullptr : model_->at(mapToSource(index(row, 0)).row());
}

bool AnswersProxy::filterAcceptsRow(int row, const QModelIndex&) const {
    const ScoreAnswer* answer = model_->at(row);
    const bool right = answer->correct >= all_right;
    if (which_ == Which::truncated && !answer->truncated) return false;
    if (which_ == Which::wrong && right) return false;
    if (which_ == Which::right && !right) return false;
    if (place_ && (answer->task != place_->task || answer->length != place_->length || !answer->depth ||
                   std::abs(*answer->depth - place_->depth) > same_depth))
        return false;
    if (text_.isEmpty()) return true;
    const auto has = [this](const std::string& text) {
        return QString::fromStdString(text).contains(text_, Qt::CaseInsensitive);
    };
    return has(answer->task) || has(answer->answer) || has(answer->prompt_tail) ||
           expectedText(*answer).contains(text_, Qt::CaseInsensitive);
}

bool AnswersProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const ScoreAnswer &a = *model_->at(left.row()), &b = *model_->at(right.row());
    switch (left.column()) {
        case AnswersModel::Right:
            return a.correct < b.correct;
        case AnswersModel::Cut:
            return a.truncated < b.truncated;
        case AnswersModel::Length:
            return a.length < b.length;
        case AnswersModel::Depth:
            return a.depth < b.depth;
        default:
            return QSortFilterProxyModel::lessThan(left, right);
    }
}

}  // namespace braid::ui
