#include "widgets/train/comparison_model.h"

#include <cmath>
#include <set>

#include "core/spec/training.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"

namespace braid::ui {

namespace {

// Settings that are shown even where all runs agree.
const std::set<std::string> always_shown = {"learning_rate", "batch", "context", "seed"};
// How a run is carried out, not what it learns.
const std::set<std::string> not_compared = {"activation_memory", "device",           "gpus",
                                            "threads",           "checkpoint_every", "keep_checkpoints",
                                            "trace_checkpoints"};

QString settingText(const RunPointer& run, const std::string& key) {
    if (!run->plan) return {};
    const ParameterValue value = training_value(run->plan->training, key);
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole ? formatCount(*whole) : QString::fromStdString(to_text(value));
}

QString metricText(const RunPointer& run, const char* metric, int decimals) {
    const std::optional<double> value = run->latest(metric);
    return value ? formatFixed(*value, decimals) : QStringLiteral("—");
}

}  // namespace

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(runs_.size());
}
int ComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns_.size());
}

RunPointer ComparisonModel::runAt(int row) const {
    return row >= 0 && row < rowCount() ? runs_[std::size_t(row)] : nullptr;
}

void ComparisonModel::show(std::vector<RunPointer> runs) {
    const bool same = runs.size() == runs_.size() &&
                      std::equal(runs.begin(), runs.end(), runs_.begin(),
                                 [](const RunPointer& a, const RunPointer& b) { return a->id == b->id; });
    if (!same) beginResetModel();
    runs_ = std::move(runs);
    if (same && !runs_.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    rebuild();
    if (!same) endResetModel();
}

void ComparisonModel::setOnlyDiffering(bool only) {
    if (only == only_differing_) return;
    beginResetModel();
    only_differing_ = only;
    rebuild();
    endResetModel();
}

void ComparisonModel::rebuild() {
    columns_ = {{.title = QString(), .key = QStringLiteral("@colour")},
                {.title = tr("Run"), .key = QStringLiteral("@name")},
                {.title = tr("Layers"), .key = QStringLiteral("@layers")},
                {.title = tr("State"), .key = QStringLiteral("@state")}};
    differing_ = settings_ = 0;
    for (const ParameterDescription& parameter : training_parameters()) {
        if (not_compared.contains(parameter.key)) continue;
        ++settings_;
        std::set<QString> values;
        for (const RunPointer& run : runs_) values.insert(settingText(run, parameter.key));
        const bool differs = values.size() > 1;
        differing_ += differs ? 1 : 0;
        if (differs || (!only_differing_ && always_shown.contains(parameter.key)))
            columns_.push_back({.title = QString::fromStdString(parameter.label) +
                                         (differs ? QStringLiteral(" •") : QString()),
                                .key = QString::fromStdString(parameter.key),
                                .right = true,
                                .differs = differs});
    }
    for (const auto& [title, key] :
         std::initializer_list<std::pair<QString, QString>>{{tr("Loss"), QStringLiteral("@loss")},
                                                            {tr("Evaluation"), QStringLiteral("@evaluation")},
                                                            {tr("Tokens"), QStringLiteral("@tokens")},
                                                            {tr("Time"), QStringLiteral("@time")}})
        columns_.push_back({.title = title, .key = key, .right = true});
}

QString ComparisonModel::text(const RunPointer& run, const Column& column) const {
    if (!column.key.startsWith(QLatin1Char('@'))) return settingText(run, column.key.toStdString());
    if (column.key == QLatin1String("@name")) return run->name;
    if (column.key == QLatin1String("@state"))
        return run->active() ? runStateText(run->state()) + QLatin1Char(' ') + formatPercent(run->progress())
                             : runStateText(run->state());
    if (column.key == QLatin1String("@loss")) return metricText(run, "loss", 3);
    if (column.key == QLatin1String("@evaluation"))
        return run->latest("recall/far") ? metricText(run, "recall/far", 3) : metricText(run, "eval/loss", 3);
    if (column.key == QLatin1String("@tokens")) return formatSi(run->tokens());
    if (column.key == QLatin1String("@time")) return formatDuration(run->latest("time_s").value_or(0));
    return {};
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= int(columns_.size())) return {};
    const Column& column = columns_[std::size_t(section)];
    if (role == Qt::TextAlignmentRole)
        return int((column.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole && column.differs) return tr("The runs differ in this setting");
    return {};
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Column& column = columns_[std::size_t(index.column())];
    const RunPointer& run = runs_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return text(run, column);
        case Qt::TextAlignmentRole:
            return headerData(index.column(), Qt::Horizontal, role);
        case RunIndexRole:
            return index.column() == 0 || (column.key == QLatin1String("@state") && run->active())
                       ? QVariant(run->paletteIndex)
                       : QVariant();
        case LayersRole:
            return column.key == QLatin1String("@layers") && run->plan
                       ? QVariant::fromValue(run->plan->architecture.layers)
                       : QVariant();
        case DeviatingRole:
            return column.differs;
        case ProgressRole:
            return column.key == QLatin1String("@state") && run->active() ? QVariant(run->progress())
                                                                          : QVariant();
        case StatusRole:
            if (column.key != QLatin1String("@state")) return {};
            return run->state() == RunState::failed || run->state() == RunState::lost
                       ? QVariant(QStringLiteral("error"))
                       : QVariant();
        case Qt::ToolTipRole:
            return run->problem.isEmpty() ? QVariant() : QVariant(run->problem);
        default:
            return {};
    }
}

}  // namespace braid::ui
