// The open project and what is selected in it, shared by all workspaces. Disk and SQLite are touched on
// worker threads only: every call here returns at once and the answer comes as a signal in the GUI thread.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/spec/architecture.h"
#include "widgets/common/run_view.h"

class QAbstractItemModel;

namespace braid {
struct StudySpec;
}

namespace braid::ui {

class RunListModel;

struct ArchitectureEntry {
    QString name;  // file name without .json; unique
    QString file;
    std::shared_ptr<const ArchitectureSpec> spec;      // null: the file cannot be read, see problem
    std::shared_ptr<const ArchitectureSpec> autosave;  // unsaved work of a session that ended badly, or null
    QString problem;
};

struct StudyEntry {
    QString name;
    QString title;
    QString file;
    std::shared_ptr<const StudySpec> spec;  // null: see problem
    QString problem;
    int runs = 0, finished = 0, active = 0, failed = 0, planned = 0;  // of `runs` = variants x seeds
};

struct FigureEntry {
    QString name;
    QString title;
    QString file;
    QString problem;
};

// A head of a checkpoint that is to be looked at.
struct HeadChoice {
    RunId run = {};
    Step step = Step(0);  // of the checkpoint
    std::size_t layer = 0;
    std::size_t head = 0;  // within the layer, over all its groups
    bool operator==(const HeadChoice&) const = default;
};

class ProjectSession : public QObject {
    Q_OBJECT

public:
    explicit ProjectSession(QObject* parent = nullptr);
    ~ProjectSession() override;

    // Opens in the background: opened(), or openFailed() and the earlier project stays.
    void open(const QString& folder);
    void close();
    bool isOpen() const;
    QString folder() const;
    QString name() const;
    bool isReadOnly() const;

    // In order of name.
    const std::vector<ArchitectureEntry>& architectures() const;
    const std::vector<StudyEntry>& studies() const;
    const std::vector<FigureEntry>& figures() const;
    const ArchitectureEntry* architecture(const QString& name) const;
    const StudyEntry* study(const QString& name) const;

    // Newest first. A row's RunPointer is RunListModel::RunRole.
    RunListModel* runs() const;
    RunPointer run(const RunId& id) const;  // null: no such run
    std::vector<RunPointer> runsOfStudy(const QString& study) const;

    // Curves on `axes`, whole series and events of these runs are kept up to date for `view` (replaces its
    // earlier wish, ends with the view). They arrive with runChanged().
    void wantCurves(const QObject* view, const std::vector<RunId>& runs,
                    const std::vector<XAxis>& axes = {XAxis::step});

    // Selection, shared by all workspaces.
    const std::vector<RunId>& selectedRuns() const;  // the current one first
    void setSelectedRuns(const std::vector<RunId>& runs);
    RunPointer currentRun() const;
    QString currentArchitecture() const;  // shown in Design; empty: none
    void setCurrentArchitecture(const QString& name);
    QString currentStudy() const;
    void setCurrentStudy(const QString& name);
    const std::vector<LayerId>& selectedLayers() const;  // of the current architecture; the current one first
    void setSelectedLayers(const std::vector<LayerId>& layers);
    // Told even where it is the same as before: it is a wish to see it. A view that is made later finds it
    // here.
    const std::optional<HeadChoice>& chosenHead() const;
    void selectHead(const RunId& run, Step step, std::size_t layer, std::size_t head);

    // Documents. Each ends in saved() or saveFailed(); writes are atomic and in order.
    void saveArchitecture(const QString& name, const ArchitectureSpec& spec);
    void renameArchitecture(const QString& from, const QString& to);
    // Moves the file to the project's trash folder; restoreArchitecture() brings it back (undo).
    void removeArchitecture(const QString& name);
    void restoreArchitecture(const QString& name);
    // Side file beside the document, offered as ArchitectureEntry::autosave on the next start; removed by
    // saveArchitecture() and discardAutosave().
    void autosaveArchitecture(const QString& name, const ArchitectureSpec& spec);
    void discardAutosave(const QString& name);
    QString freeArchitectureName(const QString& wish) const;  // "edge", "edge-2", ...
    void saveStudy(const StudySpec& spec);  // as studies/NAME.json, in place of what is there
    // A figure description or any other small document: written atomically in the background.
    void saveFigure(const QString& name, const Json& description);

    // Moves a run folder to the trash of the project (refused for active runs); restoreRun() brings it back.
    void removeRun(const RunId& id);
    void restoreRun(const RunId& id);
    void setRunPaletteIndex(const RunId& id, int index);

    // Looks for new run folders now instead of at the next poll (a run was just started).
    void refresh();

Q_SIGNALS:
    void opened();
    void openFailed(const QString& folder, const braid::Error& error);
    void closed();
    void architecturesChanged();
    void studiesChanged();
    void figuresChanged();
    void runChanged(const braid::ui::RunPointer& run);  // a newer snapshot; also for new runs
    void runRemoved(const braid::RunId& id);
    void runStateChanged(const braid::ui::RunPointer& run, braid::RunState before);
    void selectedRunsChanged();
    void currentArchitectureChanged(const QString& name);
    void currentStudyChanged(const QString& name);
    void selectedLayersChanged();
    void headChosen(const braid::ui::HeadChoice& head);
    void saved(const QString& file);
    void saveFailed(const QString& file, const braid::Error& error);

private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace braid::ui
