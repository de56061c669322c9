// Which captures and heads are looked at: finds captures on disk, opens their heads on a worker thread, asks
// the engine for what is missing.
#pragma once

#include <QObject>
#include <QPointF>
#include <QThreadPool>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/common/project_session.h"
#include "widgets/heads/capture_commands.h"
#include "widgets/heads/found_captures.h"
#include "widgets/heads/heads_state.h"

namespace braid::ui {

struct CheckpointMark {
    std::int64_t step = 0;
    double tokens = 0;
    bool captured = false;  // of the text that is shown
};

class HeadsChoice : public QObject {
    Q_OBJECT

public:
    HeadsChoice(ProjectSession& session, CaptureCommands& commands, HeadsState& state,
                QObject* parent = nullptr);
    ~HeadsChoice() override;

    // Looks at the disk; answers by capturesChanged().
    void refresh();
    bool searched() const { return searched_; }
    const std::vector<CaptureEntry>& captures() const { return captures_; }  // newest first
    QString problem() const { return problem_; }  // of captures that cannot be read
    // What is wrong with the file of the head that this side would show; empty: nothing.
    QString damage(HeadSide side) const;
    void captureAgain(HeadSide side);

    // A checkpoint that belongs to no run of the project: its captures are listed, too.
    void addFolder(const QString& checkpoint);
    const QStringList& folders() const { return folders_; }
    // Shows it; beside it, as A, the earliest checkpoint of the same run with the same text, if there is one.
    void open(const CapturePointer& capture, std::optional<HeadPlaceOf> head = {});
    const CapturePointer& capture(HeadSide side) const { return sides_[std::size_t(side)].capture; }
    const CapturePointer& leading() const;
    const std::optional<HeadPlaceOf>& head(HeadSide side) const { return sides_[std::size_t(side)].head; }
    RunPointer run() const;
    // `other`: as B beside A; else on both sides.
    void pickHead(std::int64_t layer, std::int64_t head, bool other);
    // Another checkpoint on one side: from disk, else from the engine.
    void pickCheckpoint(HeadSide side, std::int64_t step);
    void closeB();

    const std::vector<CheckpointMark>& checkpoints() const { return checkpoints_; }
    // H of the leading head over tokens, where the run was traced.
    std::vector<QPointF> entropyOverTokens() const;

    void start(const CaptureRequest& request);
    void cancel();
    void retry(bool allow_long);
    void dismiss();
    const std::optional<CaptureJob>& job() const { return job_; }
    // The same text for another checkpoint or more heads.
    CaptureRequest requestLike(const Capture& capture) const;
    // The head is a thumbnail only; what keeps it from more (empty: it can be asked for).
    bool lacksDetail() const;
    void captureDetail();

    CaptureCommands& commands() { return commands_; }
    ProjectSession& session() { return session_; }
    HeadsState& state() { return state_; }
    const HeadsState& state() const { return state_; }

Q_SIGNALS:
    void capturesChanged();
    void openedChanged();  // captures, heads or checkpoints of what is shown
    void jobChanged();

private:
    struct Side {
        CapturePointer capture;
        std::optional<HeadPlaceOf> head;
        int generation = 0;
    };
    void forget();
    Side& side(HeadSide which) { return sides_[std::size_t(which)]; }
    void show(HeadSide which, CapturePointer capture, std::optional<HeadPlaceOf> head);
    void load(HeadSide which);
    std::string fileOf(HeadSide which) const;  // of its head; empty: none
    void loaded(HeadSide which, int generation, Result<HeadPointer> head);
    void listCheckpoints();
    void markCaptured();
    void jobArrived(const CaptureJob& job);
    void openFolder(const QString& folder);
    void chosenElsewhere(const HeadChoice& choice);
    // The capture of this run and step with the text of `like` (null: any), best one with this head in
    // detail.
    CapturePointer find(const RunId& run, std::int64_t step, const Capture* like,
                        const std::optional<HeadPlaceOf>& head) const;

    ProjectSession& session_;
    CaptureCommands& commands_;
    HeadsState& state_;
    std::vector<CaptureEntry> captures_;
    bool searched_ = false;
    std::optional<HeadChoice> wished_;  // chosen elsewhere before the disk was searched
    int searches_ = 0, projects_ = 0;
    QString problem_;
    std::array<Side, 2> sides_;
    RunId run_;
    QStringList folders_;
    std::vector<CheckpointMark> checkpoints_;
    std::optional<CaptureJob> job_;
    HeadSide jobSide_ = HeadSide::b;
    bool jobIsNew_ = false;  // shows a text of its own
    std::optional<HeadPlaceOf> jobHead_;
    std::map<std::string, QString> damaged_;  // by file of a head
    std::map<QString, CaptureRequest> made_;  // by folder: how a text was asked for
    QThreadPool pool_;
};

}  // namespace braid::ui
