#include "widgets/scaling/coefficient_model.h"

#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

const char* parameterOf(int column) {
    switch (column) {
        case CoefficientModel::A:
            return "a";
        case CoefficientModel::Alpha:
            return "alpha";
        case CoefficientModel::B:
            return "b";
        case CoefficientModel::Beta:
            return "beta";
        case CoefficientModel::E:
            return "E";
        default:
            return nullptr;
    }
}

QString shareText(const std::optional<double>& r2) { return r2 ? formatFixed(*r2, 3) : QStringLiteral("–"); }

}  // namespace

void CoefficientModel::show(const ScalingContentPtr& content) {
    beginResetModel();
    content_ = content;
    rows_.clear();
    if (content_)
        for (std::size_t i = 0; i < content_->view.curves.size(); ++i)
            if (content_->view.curves[i].fit) rows_.push_back(i);
    endResetModel();
}

int CoefficientModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}
int CoefficientModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

const ScalingFit* CoefficientModel::fitOf(int row) const {
    return content_->view.curves[rows_[std::size_t(row)]].fit;
}

bool CoefficientModel::hasIrreducible() const {
    return !rows_.empty() && fitOf(0)->form == ScalingForm::chinchilla;
}

QString CoefficientModel::textOf(int row, int column) const {
    const ScalingFit& fit = *fitOf(row);
    if (const char* name = parameterOf(column)) {
        const ScalingEstimate* estimate = fit.estimate(name);
        if (!estimate) return QStringLiteral("–");
        return estimate->identified() ? estimateText(*estimate) : tr("not identified");
    }
    switch (column) {
        case Name:
            return QString::fromStdString(content_->view.curves[rows_[std::size_t(row)]].name);
        case Fitted:
            return shareText(fit.r2_train);
        case HeldOut:
            return shareText(fit.r2_heldout);
        case Points: {
            QString text = QString::number(fit.fitted);
            if (fit.held_out > 0) text += QStringLiteral(" + %1").arg(fit.held_out);
            return text;
        }
        case Identified: {
            QStringList loose;
            for (const ScalingEstimate& estimate : fit.estimates)
                if (!estimate.identified()) loose << estimateName(estimate.name);
            return loose.isEmpty() ? tr("✓ well") : tr("⚠ not %1").arg(loose.join(QStringLiteral(", ")));
        }
        default:
            return {};
    }
}

QVariant CoefficientModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const int row = index.row(), column = index.column();
    const ScalingFit& fit = *fitOf(row);
    const ScalingEstimate* estimate = parameterOf(column) ? fit.estimate(parameterOf(column)) : nullptr;
    switch (role) {
        case Qt::DisplayRole:
            return textOf(row, column);
        case Qt::AccessibleTextRole:
        case Qt::ToolTipRole: {
            if (estimate && !estimate->identified())
                return tr("%1 is not identified: %2")
                    .arg(estimateName(estimate->name), QString::fromStdString(estimate->not_identified));
            if (estimate && estimate->interval)
                return tr("%1 = %2, interval %3 to %4")
                    .arg(estimateName(estimate->name), formatSignificant(estimate->value, 5),
                         formatSignificant(estimate->interval->low, 4),
                         formatSignificant(estimate->interval->high, 4));
            if (column == Identified) {
                QStringList lines;
                for (const ScalingEstimate& each : fit.estimates)
                    if (!each.identified())
                        lines << estimateName(each.name) + QStringLiteral(": ") +
                                     QString::fromStdString(each.not_identified);
                for (const std::string& warning : fit.warnings) lines << QString::fromStdString(warning);
                return lines.isEmpty() ? tr("every parameter is identified") : lines.join(QLatin1Char('\n'));
            }
            if (column == Points)
                return tr("%1 fitted, %2 held out, %3 excluded")
                    .arg(fit.fitted)
                    .arg(fit.held_out)
                    .arg(fit.excluded);
            return textOf(row, column);
        }
        case Qt::TextAlignmentRole:
            return int((column > Name && column < Identified ? Qt::AlignRight : Qt::AlignLeft) |
                       Qt::AlignVCenter);
        case DeviatingRole:
            return estimate && !estimate->identified();
        case StatusRole:
            if (column != Identified) return {};
            for (const ScalingEstimate& each : fit.estimates)
                if (!each.identified()) return QStringLiteral("warn");
            return QStringLiteral("ok");
        case RunIndexRole:
            return column == Colour ? QVariant(content_->view.curves[rows_[std::size_t(row)]].colour)
                                    : QVariant();
        default:
            return {};
    }
}

QVariant CoefficientModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section > Name && section < Identified ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const QStringList titles{QString(),           tr("Architecture"),  QStringLiteral("a"),
                             QStringLiteral("α"), QStringLiteral("b"), QStringLiteral("β"),
                             QStringLiteral("E"), tr("R² fit"),        tr("R² held"),
                             QStringLiteral("n"), tr("Identified")};
    return titles.value(section);
}

}  // namespace braid::ui
