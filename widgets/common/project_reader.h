// The reader thread of a project session: looks at documents and runs a few times a second and reports what
// changed, as immutable values. Part of the session; workspaces use ProjectSession.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/record/project.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_curves.h"
#include "widgets/common/run_palette.h"

class QTimer;

namespace braid::ui {

struct ProjectDocuments {
    std::vector<ArchitectureEntry> architectures;
    std::vector<StudyEntry> studies;  // without counts of runs
    std::vector<FigureEntry> figures;
};

struct ProjectContent {
    QString folder;
    QString title;
    bool readOnly = false;
    ProjectDocuments documents;
    std::vector<RunPointer> runs;
};

using RunWishes = std::map<RunId, std::set<XAxis>>;

// Lives in its own thread; slots are called through the event loop.
class ProjectReader : public QObject {
    Q_OBJECT

public:
    static constexpr int poll_ms = 250;
    static constexpr int scan_every = 4;  // polls between two looks for new run folders and documents

    ProjectReader() = default;
    ~ProjectReader() override;

    void open(const QString& folder);
    void close();
    void setWishes(const RunWishes& wishes);
    void setPaletteIndex(const RunId& id, int index);
    void forgetAutosave(const QString& name);
    void scan();  // documents and run folders, now

Q_SIGNALS:
    void opened(const std::shared_ptr<const braid::ui::ProjectContent>& content);
    void openFailed(const QString& folder, const braid::Error& error);
    void architecturesRead(const std::vector<braid::ui::ArchitectureEntry>& entries);
    void studiesRead(const std::vector<braid::ui::StudyEntry>& entries);
    void figuresRead(const std::vector<braid::ui::FigureEntry>& entries);
    void runsRead(const std::vector<braid::ui::RunPointer>& runs);  // new and changed ones
    void runsGone(const std::vector<braid::RunId>& ids);

private:
    // What is remembered of a run between two looks.
    struct Known {
        RunFolder folder;
        std::shared_ptr<const RunPlan> plan;  // null: unreadable
        QString planProblem;
        double trainingFlopsPerToken = 0;
        int paletteIndex = 0;
        RunEntry entry;                     // as last listed
        std::unique_ptr<RunReader> reader;  // while it is active or somebody looks at its curves
        RunCurves curves;
        RunPointer shown;
        std::int64_t scoresStamp = 0;  // of the folder as last read
        RunScoresPointer scores;       // null: none
        std::int64_t measurementsStamp = 0;
        std::shared_ptr<const RunMeasurements> measurements;  // null: none
    };

    void poll();
    bool readDocuments(bool report);
    std::vector<RunPointer> readRuns(std::vector<RunId>* gone);
    void readPlan(Known& known);
    void readAnswers(Known& known);  // scores and measurements, where their folder has changed
    bool isHot(const RunId& id, const Known& known) const;
    RunPointer look(const RunId& id, Known& known);  // null: as shown before
    RunPointer makeView(const RunId& id, Known& known, std::shared_ptr<const RunSnapshot> record);

    std::optional<Project> project_;
    bool readOnly_ = false;
    QTimer* timer_ = nullptr;
    int polls_ = 0;
    RunPalette palette_;
    RunWishes wishes_;
    std::map<RunId, Known> runs_;
    std::vector<ProjectDocument> listed_[3];
    ProjectDocuments documents_;
    std::map<QString, std::shared_ptr<const ArchitectureSpec>>
        autosaves_;  // found when the project was opened
};

}  // namespace braid::ui
