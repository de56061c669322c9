// Captures for the Heads workspace, made by a long-lived engine that keeps the last models open.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <deque>
#include <map>

#include "app/workbench/engine_child.h"
#include "widgets/heads/capture_commands.h"

namespace braid::ui {

class ProjectSession;

class CaptureSession : public CaptureCommands {
    Q_OBJECT

public:
    // `program` empty: the engine beside this program, or $BRAID_ENGINE.
    explicit CaptureSession(const ProjectSession& session, QString program = {}, QObject* parent = nullptr);

    int start(const CaptureRequest& request) override;
    // Told at once as State::stopping; an engine that does not stop in time is ended and started again.
    void cancel(int job) override;
    QString unavailableReason() const override { return unavailable_; }
    QString commandFor(const CaptureRequest& request) const override;

    EngineChild& child() { return child_; }

private:
    void finish(int request, const Json* result, const Json* error);
    void lost(const QString& what, const QList<int>& unanswered);
    void fail(int job, const QString& text, const QString& hint = {});

    const ProjectSession& session_;
    EngineChild child_;
    QString unavailable_;
    int last_ = 0;
    std::map<int, CaptureJob> jobs_;  // active ones, by number
    std::map<int, int> requests_;     // of the child, to job
    std::deque<qint64> losses_;       // when the child ended by itself
    QElapsedTimer clock_;
};

// The parameters of the method "capture".
Json captureParameters(const CaptureRequest& request, const QString& projectFolder);

}  // namespace braid::ui
