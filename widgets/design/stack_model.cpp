#include "widgets/design/stack_model.h"

#include <QMimeData>
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "widgets/design/layer_text.h"

namespace braid::ui {

namespace {

const std::string& leading_mixer(const LayerSpec& layer) {
    static const std::string none;
    return layer.groups.empty() ? none : layer.groups.front().mixer;
}

}  // namespace

bool StackModel::Row::operator==(const Row& other) const {
    return id == other.id && *layer == *other.layer && problem == other.problem &&
           begins_unit == other.begins_unit && cost.paper_parameters == other.cost.paper_parameters &&
           cost.kv_bytes == other.cost.kv_bytes && cost.state_bytes == other.cost.state_bytes;
}

StackModel::StackModel(SpecDocument& document, QObject* parent)
    : QAbstractTableModel(parent), document_(document), snapshot_(document.snapshot()), rows_(read()) {
    connect(&document, &SpecDocument::changed, this, &StackModel::update);
    connect(&document, &SpecDocument::contextChanged, this, [this] {
        update();
        Q_EMIT headerDataChanged(Qt::Horizontal, CacheColumn, CacheColumn);
    });
    for (const Row& row : rows_) {
        largest_cache_ = std::max(largest_cache_, row.cost.kv_bytes);
    }
}

StackModel::~StackModel() = default;

std::vector<StackModel::Row> StackModel::read() const {
    const ArchitectureSpec& spec = document_.spec();
    std::vector<Row> rows(spec.layers.size());
    const DesignCost& cost = document_.cost();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].id = spec.layers[i].id;
        rows[i].layer = &spec.layers[i];
        if (cost.known) {
            rows[i].cost = cost.total.layers[i];
        }
        // A repeat begins where the first layer's kind comes back.
        rows[i].begins_unit = i > 0 && leading_mixer(spec.layers[i]) == leading_mixer(spec.layers[0]) &&
                              leading_mixer(spec.layers[i - 1]) != leading_mixer(spec.layers[0]);
    }
    for (const DesignProblem& problem : document_.problems()) {
        if (problem.layer && *problem.layer < rows.size() && !problem.in_text) {
            QString& text = rows[*problem.layer].problem;
            text += (text.isEmpty() ? QString() : QStringLiteral("; ")) + problem.rowText();
        }
    }
    return rows;
}

void StackModel::update() {
    const std::shared_ptr<const ArchitectureSpec> before = snapshot_;  // rows_ points into it until the end
    snapshot_ = document_.snapshot();
    std::vector<Row> next = read();

    std::unordered_map<LayerId, std::size_t> place;
    for (std::size_t i = 0; i < next.size(); ++i) {
        place.emplace(next[i].id, i);
    }
    for (std::size_t end = rows_.size(); end > 0;) {
        if (place.contains(rows_[end - 1].id)) {
            --end;
            continue;
        }
        std::size_t begin = end - 1;
        while (begin > 0 && !place.contains(rows_[begin - 1].id)) {
            --begin;
        }
        beginRemoveRows({}, static_cast<int>(begin), static_cast<int>(end) - 1);
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                    rows_.begin() + static_cast<std::ptrdiff_t>(end));
        endRemoveRows();
        end = begin;
    }
    std::vector<LayerId> order;
    order.reserve(rows_.size());
    std::unordered_set<LayerId> kept;
    for (const Row& row : rows_) {
        kept.insert(row.id);
    }
    for (const Row& row : next) {
        if (kept.contains(row.id)) {
            order.push_back(row.id);
        }
    }
    reorder(order);
    for (std::size_t i = 0; i < next.size();) {
        if (kept.contains(next[i].id)) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < next.size() && !kept.contains(next[end].id)) {
            ++end;
        }
        beginInsertRows({}, static_cast<int>(i), static_cast<int>(end) - 1);
        rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(i),
                     next.begin() + static_cast<std::ptrdiff_t>(i),
                     next.begin() + static_cast<std::ptrdiff_t>(end));
        endInsertRows();
        i = end;
    }
    std::int64_t largest = 0;
    std::size_t first_changed = next.size();
    std::size_t last_changed = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
        largest = std::max(largest, next[i].cost.kv_bytes);
        if (!(rows_[i] == next[i])) {
            first_changed = std::min(first_changed, i);
            last_changed = i;
        }
    }
    rows_ = std::move(next);
    if (largest != largest_cache_ && !rows_.empty()) {
        largest_cache_ = largest;
        first_changed = 0;
        last_changed = rows_.size() - 1;
    }
    if (first_changed <= last_changed && first_changed < rows_.size()) {
        Q_EMIT dataChanged(index(static_cast<int>(first_changed), 0),
                           index(static_cast<int>(last_changed), ColumnCount - 1));
    }
}

void StackModel::reorder(const std::vector<LayerId>& order) {
    const auto in_place = [](const Row& row, LayerId id) { return row.id == id; };
    if (std::equal(rows_.begin(), rows_.end(), order.begin(), order.end(), in_place)) {
        return;
    }
    Q_EMIT layoutAboutToBeChanged();
    std::unordered_map<LayerId, int> place;
    for (std::size_t i = 0; i < order.size(); ++i) {
        place.emplace(order[i], static_cast<int>(i));
    }
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    to.reserve(from.size());
    for (const QModelIndex& index : from) {
        to << createIndex(place.at(row(index.row()).id), index.column());
    }
    std::vector<Row> sorted(rows_.size());
    for (const Row& row : rows_) {
        sorted[static_cast<std::size_t>(place.at(row.id))] = row;
    }
    rows_ = std::move(sorted);
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged();
}

int StackModel::rowOf(LayerId id) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].id == id) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int StackModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int StackModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant StackModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const Row& row = this->row(index.row());
    const bool number = index.column() == ParametersColumn || index.column() == CacheColumn;
    switch (role) {
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter |
                            (number || index.column() == LayerColumn ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ToolTipRole:
            return row.problem.isEmpty() ? QVariant() : row.problem;
        case Qt::DisplayRole:
            switch (index.column()) {
                // Row numbers are the delegate's: data of a layer does not change when one is put before it.
                case LayerColumn:
                case MixerColumn:
                    return layerTitle(*row.layer, document_.catalog());
                case SettingsColumn:
                    return row.problem.isEmpty() ? layerSettings(*row.layer, document_.catalog())
                                                 : row.problem;
                case ParametersColumn:
                    return row.problem.isEmpty()
                               ? quantityText(static_cast<double>(row.cost.paper_parameters))
                               : QString();
                default: {
                    if (!row.problem.isEmpty()) {
                        return QString();
                    }
                    const std::int64_t bytes =
                        row.cost.kv_bytes > 0 ? row.cost.kv_bytes : row.cost.state_bytes;
                    return byteText(static_cast<double>(bytes));
                }
            }
        case Qt::AccessibleTextRole: {
            const auto text = [&](int column) {
                return data(this->index(index.row(), column), Qt::DisplayRole).toString();
            };
            if (index.column() != LayerColumn) {
                return text(index.column());
            }
            if (!row.problem.isEmpty()) {
                return tr("Layer %1, %2, problem: %3").arg(index.row()).arg(text(MixerColumn), row.problem);
            }
            return tr("Layer %1, %2, %3, %4 parameters, %5 cache")
                .arg(index.row())
                .arg(text(MixerColumn), text(SettingsColumn), text(ParametersColumn), text(CacheColumn));
        }
        default:
            return {};
    }
}

QVariant StackModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number = section == ParametersColumn || section == CacheColumn;
        return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }
    const bool spoken = role == Qt::AccessibleTextRole;
    if (role != Qt::DisplayRole && !spoken) {
        return {};
    }
    switch (section) {
        case LayerColumn:
            return spoken ? tr("Layer") : QString();
        case MixerColumn:
            return tr("Mixer");
        case SettingsColumn:
            return tr("Settings");
        case ParametersColumn:
            return tr("Params");
        case CacheColumn:
            return tr("KV at %1").arg(contextText(document_.context()));
        default:
            return {};
    }
}

Qt::ItemFlags StackModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) {
        return Qt::ItemIsDropEnabled;  // layers are dropped between rows, never on one
    }
    return Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
}

QString StackModel::rowsMimeType() { return QStringLiteral("application/x-braid-layer-rows"); }
QString StackModel::mixerMimeType() { return QStringLiteral("application/x-braid-mixer"); }
QStringList StackModel::mimeTypes() const { return {rowsMimeType(), mixerMimeType()}; }

QMimeData* StackModel::mimeData(const QModelIndexList& indexes) const {
    QByteArrayList rows;
    for (const QModelIndex& index : indexes) {
        if (index.column() == LayerColumn) {
            rows << QByteArray::number(index.row());
        }
    }
    auto* data = new QMimeData;
    data->setData(rowsMimeType(), rows.join(' '));
    return data;
}

bool StackModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int, const QModelIndex&) const {
    return data->hasFormat(rowsMimeType()) || data->hasFormat(mixerMimeType());
}

bool StackModel::dropMimeData(const QMimeData* data, Qt::DropAction, int row, int, const QModelIndex&) {
    const auto count = static_cast<std::size_t>(rowCount());
    const std::size_t to = row < 0 ? count : std::min(count, static_cast<std::size_t>(row));
    if (data->hasFormat(mixerMimeType())) {
        document_.insertLayer(to, data->data(mixerMimeType()).toStdString());
        return true;
    }
    SpecDocument::Layers layers;
    for (const QByteArray& text : data->data(rowsMimeType()).split(' ')) {
        bool good = false;
        const qulonglong from = text.toULongLong(&good);
        if (good && from < count) {
            layers.push_back(rows_[static_cast<std::size_t>(from)].id);
        }
    }
    if (!layers.empty()) {
        document_.moveLayers(layers, to);
    }
    return false;  // the rows have been moved; the view has none to remove
}

}  // namespace braid::ui
