// The architectures of the project that are being worked on: one document each, kept with its undo stack
// while another one is shown. Saves, autosaves, and knows what each is based on.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>

#include "widgets/design/spec_document.h"

class QUndoGroup;

namespace braid::ui {

class ProjectSession;

struct OpenDesign {
    QString name;
    std::unique_ptr<SpecDocument> document;
    std::shared_ptr<const ArchitectureSpec> saved;  // as on disk; null: never saved
    std::vector<LayerId> selection;
    QTimer* autosave = nullptr;
    bool autosaved = false;  // a side file may exist
};

// What a design is compared with.
struct DesignBase {
    QString name;  // "base FSSS", "saved"; empty: nothing
    std::shared_ptr<const ArchitectureSpec> spec;
};

class DesignDocuments : public QObject {
    Q_OBJECT

public:
    DesignDocuments(ProjectSession& session, const MixerCatalog& catalog, QObject* parent = nullptr);
    ~DesignDocuments() override;

    const MixerCatalog& catalog() const { return catalog_; }
    QUndoGroup* undoGroup() { return undo_group_; }

    // Null: the project has no readable architecture of this name.
    OpenDesign* open(const QString& name);
    OpenDesign* find(const QString& name) const;  // null: not open
    bool isModified(const QString& name) const;
    QStringList modified() const;

    void save(const QString& name);
    // A new file with this content, based on `base` (a stored choice, see setBase); it becomes the current
    // one.
    void create(const QString& name, ArchitectureSpec spec, const QString& base);
    void rename(const QString& from, const QString& to);
    void remove(const QString& name);
    // Unsaved work of a session that ended badly, as an edit that can be undone.
    void restoreAutosave(const QString& name);
    void discardAutosave(const QString& name);
    // Side files of everything unsaved, now.
    void autosaveAll();

    // Choice: the name of an architecture, "preset:<name>", or "" (the saved version, once there are
    // changes). Kept between sessions.
    void setBase(const QString& name, const QString& choice);
    QString baseChoice(const QString& name) const;
    DesignBase base(const QString& name) const;

    // Reason why a name cannot be used; empty: it can.
    QString nameProblem(const QString& name) const;

Q_SIGNALS:
    void modifiedChanged(const QString& name);
    void baseChanged(const QString& name);
    void reloaded(const QString& name);  // the file changed on disk and had no unsaved edits here
    void closed(const QString& name);    // before the document goes

private:
    void followFiles();
    void closeAll();
    void scheduleAutosave(OpenDesign& design);
    void autosave(OpenDesign& design);
    QString settingsKey(const QString& name) const;

    ProjectSession& session_;
    const MixerCatalog& catalog_;
    QUndoGroup* undo_group_;
    std::map<QString, std::unique_ptr<OpenDesign>> designs_;
};

}  // namespace braid::ui
