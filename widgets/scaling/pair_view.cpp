#include "widgets/scaling/pair_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/spec/study_points.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

QString signedText(double value, int digits) {
    return (value > 0 ? QStringLiteral("+") : QString()) + formatSignificant(value, digits);
}

}  // namespace

void PairModel::show(const ScalingContentPtr& content, std::size_t first, std::size_t second) {
    beginResetModel();
    content_ = content;
    first_ = first;
    second_ = second;
    pairs_.clear();
    if (content_ && first != second) pairs_ = scaling_pairs(content_->view, first, second);
    endResetModel();
}

int PairModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(pairs_.size()); }
int PairModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant PairModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ScalingPair& pair = pairs_[std::size_t(index.row())];
    const bool decided = pair.seeds > 1 && std::abs(pair.difference) > pair.half_width;
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Place ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == BestRole) return index.column() == Difference && decided;
    if (role == Qt::ToolTipRole && index.column() == Difference)
        return pair.seeds < 2 ? tr("one seed: no interval")
               : decided      ? tr("the 90 % interval does not hold 0")
                              : tr("the 90 % interval holds 0");
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Place: {
            QString place = QString::fromStdString(content_->view.scales[pair.scale].name);
            place += QStringLiteral(", ") + (pair.budget ? QString::fromStdString(budget_text(*pair.budget))
                                                         : formatSi(pair.tokens));
            return place;
        }
        case First:
            return valueTextOf(pair.first);
        case Second:
            return valueTextOf(pair.second);
        case Difference: {
            const QString difference = signedText(pair.difference, 3);
            return pair.seeds > 1 ? tr("%1 ± %2").arg(difference, formatSignificant(pair.half_width, 2))
                                  : difference;
        }
        case Relative:
            return pair.first != 0 ? signedText(pair.difference / pair.first * 100, 2) + QStringLiteral(" %")
                                   : QStringLiteral("–");
        case Seeds:
            return QString::number(pair.seeds);
        default:
            return {};
    }
}

QVariant PairModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Place ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const auto name = [&](std::size_t curve) {
        return content_ && curve < content_->view.curves.size()
                   ? QString::fromStdString(content_->view.curves[curve].name)
                   : QString();
    };
    const QStringList titles{tr("Scale, budget"), name(first_),        name(second_),
                             tr("Difference"),    tr("Difference, %"), tr("Seeds")};
    return titles.value(section);
}

PairView::PairView(QWidget* parent)
    : QWidget(parent),
      first_(new QComboBox),
      second_(new QComboBox),
      verdict_(new TextLabel({}, TypeStep::table, 400, 2)),
      plot_(new ScalingPlot),
      model_(new PairModel(this)),
      table_(new DataTable(tr("Differences of the two curves"))) {
    first_->setAccessibleName(tr("First curve"));
    second_->setAccessibleName(tr("Second curve"));
    table_->setModel(model_);
    table_->setSortingEnabled(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap1);
    line->setSpacing(metrics::gap2);
    line->addWidget(first_);
    line->addWidget(new TextLabel(tr("against"), TypeStep::table, 400, 2));
    line->addWidget(second_);
    verdict_->setElided(Qt::ElideRight);
    line->addWidget(verdict_, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(plot_);
    split->addWidget(table_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setSizes({480, 200});
    split->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(split, 1);
    for (QComboBox* box : {first_, second_}) connect(box, &QComboBox::activated, this, &PairView::refresh);
    connect(plot_, &ScalingPlot::chosen, this, &PairView::chosen);
    connect(plot_, &ScalingPlot::opened, this, &PairView::opened);
}

QString PairView::verdict() const { return verdict_->text(); }

std::vector<std::string> PairView::curves() const {
    return {first_->currentText().toStdString(), second_->currentText().toStdString()};
}

void PairView::show(const ScalingContentPtr& content, const ScalingPlotOptions& options) {
    content_ = content;
    options_ = options;
    QStringList names;
    if (content_)
        for (const ScalingViewCurve& curve : content_->view.curves)
            names << QString::fromStdString(curve.name);
    for (QComboBox* box : {first_, second_}) {
        const QString before = box->currentText();
        box->clear();
        box->addItems(names);
        const int at = box->findText(before);
        box->setCurrentIndex(at >= 0 ? at : std::min<int>(box == first_ ? 0 : 1, int(names.size()) - 1));
    }
    refresh();
}

void PairView::refresh() {
    if (!content_ || first_->count() == 0) return plot_->show(nullptr, options_);
    const auto first = std::size_t(first_->currentIndex()), second = std::size_t(second_->currentIndex());
    ScalingPlotOptions options = options_;
    options.curves = {first, second};
    plot_->show(content_, options);
    model_->show(content_, first, second);
    std::size_t below = 0, above = 0, decided = 0;
    for (const ScalingPair& pair : model_->pairs()) {
        below += pair.difference < 0;
        above += pair.difference > 0;
        decided += pair.seeds > 1 && std::abs(pair.difference) > pair.half_width;
    }
    QString said = model_->pairs().empty() ? tr("They have no finished point in common.")
                                           : tr("%1 is lower at %2 of %3 common points")
                                                 .arg(second_->currentText())
                                                 .arg(below)
                                                 .arg(model_->pairs().size());
    if (decided > 0) said += tr(", %1 of them beyond the spread of the seeds").arg(decided);
    verdict_->setText(first == second ? tr("Choose two curves that differ.") : said);
}

}  // namespace braid::ui
