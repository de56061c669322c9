#include "widgets/train/study_table.h"

#include <QHeaderView>
#include <QPainter>
#include <cmath>

#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_style.h"

namespace braid::ui {

namespace {

class StudyDelegate : public DataDelegate {
public:
    using DataDelegate::DataDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        DataDelegate::paint(painter, option, index);
        if (index.column() != StudyTableModel::Bar) return;
        const double fraction = index.data(StudyTableModel::FractionRole).toDouble();
        if (fraction == 0) return;
        const int colour = index.siblingAtColumn(StudyTableModel::Run).data(RunIndexRole).toInt();
        QRectF bar = QRectF(option.rect).adjusted(8, 0, -8, 0);
        bar = QRectF(bar.left(), bar.center().y() - 3.5, bar.width() * std::abs(fraction), 7);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QColor run = runColour(colour, tokens());
        if (fraction < 0) {  // still climbing at the end of the record: open to the right
            QLinearGradient fade(bar.topLeft(), bar.topRight());
            QColor clear = run;
            clear.setAlphaF(0.15F);
            fade.setColorAt(0.6, run);
            fade.setColorAt(1, clear);
            painter->setBrush(fade);
        } else {
            painter->setBrush(run);
        }
        painter->setPen(Qt::NoPen);
        painter->drawRoundedRect(bar, 2, 2);
        painter->restore();
    }
};

}  // namespace

int StudyTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(summary_.rows.size());
}
int StudyTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

void StudyTableModel::show(const StudySpec& spec, StudySummary summary) {
    const bool same_rows = summary.rows.size() == summary_.rows.size();
    if (!same_rows) beginResetModel();
    measure_ = QString::fromStdString(spec.measure.metric);
    threshold_ = spec.measure.threshold;
    summary_ = std::move(summary);
    if (!same_rows) {
        endResetModel();
    } else if (!summary_.rows.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    }
}

RunPointer StudyTableModel::runAt(int row) const {
    return row >= 0 && row < rowCount() ? summary_.rows[std::size_t(row)].run : nullptr;
}

QVariant StudyTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const bool right =
        section == Step || section == Tokens || section == Final || section == Error || section == Time;
    if (role == Qt::TextAlignmentRole)
        return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const QString threshold = formatFixed(threshold_, 1);
    switch (section) {
        case Hybrid:
            return tr("Hybrid");
        case Layers:
            return tr("Layers");
        case Position:
            return tr("Position");
        case Step:
            return tr("Step at %1").arg(threshold);
        case Tokens:
            return tr("Tokens to %1").arg(threshold);
        case Final:
            return tr("Far recall");
        case Time:
            return tr("Time");
        default:
            return QString();
    }
}

QVariant StudyTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const StudyRow& row = summary_.rows[std::size_t(index.row())];
    const bool finished = row.run && is_final(row.run->state());
    switch (role) {
        case RunIndexRole:
            return index.column() == Run && row.run ? QVariant(row.run->paletteIndex) : QVariant();
        case LayersRole:
            return index.column() == Layers && !row.layers.empty() ? QVariant::fromValue(row.layers)
                                                                   : QVariant();
        case Qt::TextAlignmentRole:
            return headerData(index.column(), Qt::Horizontal, role);
        case BestRole:
            return index.column() == Hybrid || (index.column() == Tokens && row.tokens);
        case StatusRole:
            return finished && !row.step && (index.column() == Step) ? QVariant(QStringLiteral("warn"))
                                                                     : QVariant();
        case FractionRole: {
            double longest = 0;
            for (const StudyRow& other : summary_.rows)
                if (other.run) longest = std::max(longest, other.tokens.value_or(other.run->tokens()));
            if (!row.run || longest <= 0) return 0.0;
            return row.tokens ? *row.tokens / longest : -row.run->tokens() / longest;
        }
        case Qt::DisplayRole:
            break;
        case Qt::AccessibleTextRole:
            return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + QLatin1Char(' ') +
                   data(index, Qt::DisplayRole).toString();
        default:
            return {};
    }
    switch (index.column()) {
        case Hybrid:
            return row.label;
        case Position:
            return row.position;
        case Step:
            if (row.step) return formatCount(*row.step);
            return finished ? tr("not in %1").arg(formatCount(row.run->step())) : QStringLiteral("—");
        case Tokens:
            return row.tokens ? formatSi(*row.tokens) : QStringLiteral("—");
        case Final:
            return row.last ? formatFixed(*row.last, 3) : QStringLiteral("—");
        case Error:
            if (!row.last || row.queries == 0) return {};
            return QStringLiteral("± ") +
                   formatFixed(std::sqrt(*row.last * (1 - *row.last) / double(row.queries)), 3);
        case Time:
            return row.seconds > 0 ? formatDuration(row.seconds) : QStringLiteral("—");
        default:
            return {};
    }
}

QTableView* makeStudyTable(StudyTableModel* model) {
    auto* table = new DataTable(StudyTableModel::tr("Tokens to far recall"));
    table->setModel(model);
    table->setItemDelegate(new StudyDelegate(table));
    table->setSortingEnabled(false);
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView* header = table->horizontalHeader();
    header->setStretchLastSection(false);
    const std::pair<int, int> widths[] = {
        {StudyTableModel::Run, 34},    {StudyTableModel::Hybrid, hybrid_width},
        {StudyTableModel::Layers, 62}, {StudyTableModel::Position, 70},
        {StudyTableModel::Step, 80},   {StudyTableModel::Tokens, 104},
        {StudyTableModel::Final, 80},  {StudyTableModel::Error, 64},
        {StudyTableModel::Time, 84}};
    for (const auto& [column, width] : widths) {
        header->setSectionResizeMode(column, QHeaderView::Fixed);
        header->resizeSection(column, width);
    }
    header->setSectionResizeMode(StudyTableModel::Bar, QHeaderView::Stretch);
    return table;
}

}  // namespace braid::ui
