#include "widgets/runs/project_model.h"

#include <algorithm>
#include <unordered_set>

#include "widgets/common/format.h"
#include "widgets/common/run_list_model.h"

namespace braid::ui {

namespace {

// A heading has no parent; its children carry its number + 1.
quintptr idOfChildren(int section) { return quintptr(section) + 1; }

QString titleOf(ProjectModel::Section section) {
    switch (section) {
        case ProjectModel::architectures:
            return ProjectModel::tr("Architectures");
        case ProjectModel::studies:
            return ProjectModel::tr("Studies");
        case ProjectModel::runs:
            return ProjectModel::tr("Runs");
        case ProjectModel::figures:
            return ProjectModel::tr("Figures");
        default:
            return {};
    }
}

}  // namespace

ProjectModel::ProjectModel(ProjectSession& session, QObject* parent)
    : QAbstractItemModel(parent), session_(session) {
    connect(&session_, &ProjectSession::opened, this, &ProjectModel::refresh);
    connect(&session_, &ProjectSession::closed, this, &ProjectModel::refresh);
    connect(&session_, &ProjectSession::architecturesChanged, this, [this] { update(architectures); });
    connect(&session_, &ProjectSession::studiesChanged, this, [this] { update(studies); });
    connect(&session_, &ProjectSession::figuresChanged, this, [this] { update(figures); });
    connect(session_.runs(), &QAbstractItemModel::rowsInserted, this, [this] { update(runs); });
    connect(session_.runs(), &QAbstractItemModel::rowsRemoved, this, [this] { update(runs); });
    connect(session_.runs(), &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) {
                const QModelIndex heading = sectionIndex(runs);
                Q_EMIT dataChanged(index(first.row(), 0, heading), index(last.row(), 0, heading));
            });
    refresh();
}

void ProjectModel::refresh() {
    beginResetModel();
    for (int section = 0; section < section_count; ++section)
        keys_[std::size_t(section)] = keysNow(Section(section));
    endResetModel();
}

std::vector<QString> ProjectModel::keysNow(Section section) const {
    std::vector<QString> keys;
    const auto names = [&keys](const auto& entries) {
        for (const auto& entry : entries) keys.push_back(entry.name);
    };
    switch (section) {
        case architectures:
            names(session_.architectures());
            break;
        case studies:
            names(session_.studies());
            break;
        case figures:
            names(session_.figures());
            break;
        case runs:
            for (const RunPointer& run : session_.runs()->runs())
                keys.push_back(QString::fromStdString(run->id.str()));
            break;
        default:
            break;
    }
    return keys;
}

// Both lists are in the same order, so what is gone goes and what is new is put in its place.
void ProjectModel::update(Section section) {
    std::vector<QString>& shown = keys_[std::size_t(section)];
    const std::vector<QString> now = keysNow(section);
    const QModelIndex heading = sectionIndex(section);
    const std::unordered_set<QString> wanted(now.begin(), now.end());
    for (int row = int(shown.size()) - 1; row >= 0; --row) {
        if (wanted.contains(shown[std::size_t(row)])) continue;
        beginRemoveRows(heading, row, row);
        shown.erase(shown.begin() + row);
        endRemoveRows();
    }
    for (std::size_t row = 0; row < now.size(); ++row) {
        if (row < shown.size() && shown[row] == now[row]) continue;
        beginInsertRows(heading, int(row), int(row));
        shown.insert(shown.begin() + std::ptrdiff_t(row), now[row]);
        endInsertRows();
    }
    if (!shown.empty()) {
        Q_EMIT dataChanged(index(0, 0, heading), index(int(shown.size()) - 1, 0, heading));
    }
    Q_EMIT dataChanged(heading, heading);
}

void ProjectModel::setModified(const QStringList& names) {
    if (names == modified_) return;
    modified_ = names;
    const QModelIndex heading = sectionIndex(architectures);
    const int rows = rowCount(heading);
    if (rows > 0) Q_EMIT dataChanged(index(0, 0, heading), index(rows - 1, 0, heading));
}

QModelIndex ProjectModel::sectionIndex(Section section) const {
    return createIndex(int(section), 0, quintptr(0));
}

QModelIndex ProjectModel::find(Section section, const QString& key) const {
    const std::vector<QString>& keys = keys_[std::size_t(section)];
    const auto found = std::find(keys.begin(), keys.end(), key);
    return found == keys.end() ? QModelIndex() : index(int(found - keys.begin()), 0, sectionIndex(section));
}

QModelIndex ProjectModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? idOfChildren(parent.row()) : quintptr(0));
}

QModelIndex ProjectModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == 0) return {};
    return createIndex(int(child.internalId()) - 1, 0, quintptr(0));
}

int ProjectModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return section_count;
    if (parent.internalId() != 0 || parent.column() != 0) return 0;
    return int(keys_[std::size_t(parent.row())].size());
}

int ProjectModel::columnCount(const QModelIndex&) const { return 1; }

Qt::ItemFlags ProjectModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    // A heading can be reached with the keys and folded, but is no selection.
    return index.internalId() == 0 ? Qt::ItemIsEnabled
                                   : Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

QVariant ProjectModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const bool heading = index.internalId() == 0;
    const auto section = Section(heading ? index.row() : int(index.internalId()) - 1);
    if (role == SectionRole) return int(section);
    if (heading) return headingData(section, role);
    const QString& key = keys_[std::size_t(section)][std::size_t(index.row())];
    if (role == KeyRole) return key;
    switch (section) {
        case architectures:
            return architectureData(key, role);
        case studies:
            return studyData(key, role);
        case runs:
            return runData(key, role);
        default:
            return figureData(key, role);
    }
}

QVariant ProjectModel::headingData(Section section, int role) const {
    if (role == Qt::DisplayRole) return titleOf(section);
    if (role == StateRole) {
        const std::size_t count = keys_[std::size_t(section)].size();
        return count == 0 || section == architectures || section == studies ? QString()
                                                                            : QString::number(count);
    }
    return {};
}

QVariant ProjectModel::architectureData(const QString& name, int role) const {
    const ArchitectureEntry* entry = session_.architecture(name);
    if (!entry) return {};
    switch (role) {
        case Qt::DisplayRole:
            if (modified_.contains(name)) return tr("%1 (edited)").arg(name);
            return entry->autosave ? tr("%1 (unsaved work)").arg(name) : name;
        case Qt::ToolTipRole:
            return entry->problem.isEmpty() ? name : entry->problem;
        case StateRole:
            return entry->problem.isEmpty() ? QString() : tr("unreadable");
        case StatusRole:
            return entry->problem.isEmpty() ? QString() : QStringLiteral("error");
        case ModifiedRole:
            return modified_.contains(name);
        case LayersPointerRole:
            return QVariant::fromValue(entry->spec ? entry->spec : entry->autosave);
        default:
            return {};
    }
}

QVariant ProjectModel::studyData(const QString& name, int role) const {
    const StudyEntry* entry = session_.study(name);
    if (!entry) return {};
    const bool done = entry->runs > 0 && entry->finished >= entry->runs;
    const bool begun = entry->finished + entry->active + entry->failed + entry->planned > 0;
    switch (role) {
        case Qt::DisplayRole:
            return name;
        case Qt::ToolTipRole:
            return entry->problem.isEmpty() ? entry->title : entry->problem;
        case StateRole:
            if (!entry->problem.isEmpty()) return tr("unreadable");
            if (done) return tr("done");
            if (begun) return tr("%1 / %2").arg(entry->finished).arg(entry->runs);
            return entry->runs == 1 ? tr("1 run") : tr("%1 runs").arg(entry->runs);
        case StatusRole:
            if (!entry->problem.isEmpty()) return QStringLiteral("error");
            return done ? QStringLiteral("ok") : QString();
        default:
            return {};
    }
}

QVariant ProjectModel::runData(const QString& id, int role) const {
    const RunPointer run = session_.run(RunId(id.toStdString()));
    if (!run) return {};
    const RunState state = run->state();
    switch (role) {
        case Qt::DisplayRole:
            return run->name;
        case Qt::ToolTipRole:
            return run->problem.isEmpty() ? id : id + QLatin1Char('\n') + run->problem;
        case Qt::AccessibleTextRole:
            return run->name + QStringLiteral(", ") + runStateText(state);
        case StateRole:
            return state == RunState::running ? formatPercent(run->progress()) : runStateText(state);
        case StatusRole:
            if (state == RunState::failed) return QStringLiteral("error");
            if (state == RunState::lost || state == RunState::paused) return QStringLiteral("warn");
            return state == RunState::planned ? QStringLiteral("faint") : QString();
        case RunPointerRole:
            return QVariant::fromValue(run);
        default:
            return {};
    }
}

QVariant ProjectModel::figureData(const QString& name, int role) const {
    const auto& entries = session_.figures();
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&name](const FigureEntry& entry) { return entry.name == name; });
    if (found == entries.end()) return {};
    switch (role) {
        case Qt::DisplayRole:
            return found->title;
        case Qt::ToolTipRole:
            return found->problem.isEmpty() ? name : found->problem;
        case StateRole:
            return found->problem.isEmpty() ? QString() : tr("unreadable");
        case StatusRole:
            return found->problem.isEmpty() ? QString() : QStringLiteral("error");
        default:
            return {};
    }
}

}  // namespace braid::ui
