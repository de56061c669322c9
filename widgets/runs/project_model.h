// The project as a tree of two levels: Architectures, Studies, Runs, Figures, and what is in them.
#pragma once

#include <QAbstractItemModel>
#include <QStringList>
#include <array>
#include <vector>

#include "widgets/common/project_session.h"

namespace braid::ui {

class ProjectModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Section { architectures, studies, runs, figures, section_count };
    enum Role {
        SectionRole = Qt::UserRole + 1,  // int: Section of the item, or of the heading
        KeyRole,                         // QString: name of a document, id of a run; empty for a heading
        StateRole,                       // QString at the right: "done", "4 runs", "43 %"
        StatusRole,                      // QString: "", "ok", "warn", "error", "faint": colour of it
        LayersPointerRole,               // std::shared_ptr<const ArchitectureSpec>
        RunPointerRole,                  // RunPointer
        ModifiedRole,                    // bool: has unsaved changes
    };

    explicit ProjectModel(ProjectSession& session, QObject* parent = nullptr);

    QModelIndex sectionIndex(Section section) const;
    QModelIndex find(Section section, const QString& key) const;
    // Architectures that are edited and not saved; shown so.
    void setModified(const QStringList& names);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    void refresh();
    void update(Section section);
    std::vector<QString> keysNow(Section section) const;
    QVariant headingData(Section section, int role) const;
    QVariant architectureData(const QString& name, int role) const;
    QVariant studyData(const QString& name, int role) const;
    QVariant runData(const QString& id, int role) const;
    QVariant figureData(const QString& name, int role) const;

    ProjectSession& session_;
    std::array<std::vector<QString>, section_count> keys_;  // as announced to the views
    QStringList modified_;
};

}  // namespace braid::ui
