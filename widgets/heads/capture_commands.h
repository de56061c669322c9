// What the Heads workspace may ask of an engine. The main program implements it with a long-lived child
// process; tests implement it with a recorder. Calls return at once.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/record/capture.h"

namespace braid::ui {

struct CaptureRequest {
    RunId run = {};
    std::int64_t step = 0;  // of a checkpoint of the run
    QString folder = {};    // of a checkpoint that belongs to no run; then run is empty
    CaptureSource source = CaptureSource::needle;
    QString prompt = {};                    // of CaptureSource::prompt
    std::vector<std::int64_t> tokens = {};  // of CaptureSource::tokens
    std::int64_t sample = 0;                // of CaptureSource::needle
    std::optional<std::int64_t> context = {};
    std::optional<double> depth = {};
    std::optional<std::int64_t> seed = {};
    QStringList heads = {};  // "8.3": in detail; empty: what the engine thinks fit
    bool allow_long = false;
    bool operator==(const CaptureRequest&) const = default;
};

struct CaptureJob {
    enum class State { waiting, running, stopping, done, failed, cancelled };
    int id = 0;
    CaptureRequest request = {};
    State state = State::waiting;
    double fraction = -1;   // 0 to 1; negative: not known yet
    QString text = {};      // how far it is, or why it failed
    QString hint = {};      // what to do about it
    QString folder = {};    // of the capture, when it is done
    double seconds = 0;     // that it took
    bool too_long = false;  // refused for its length alone: with allow_long it would be done
    bool active() const {
        return state == State::waiting || state == State::running || state == State::stopping;
    }
};

class CaptureCommands : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // Answers by jobChanged(); returns the job's number.
    virtual int start(const CaptureRequest& request) = 0;
    virtual void cancel(int job) = 0;
    // Why nothing can be captured now ("braid-engine not found ..."); empty: all is well.
    virtual QString unavailableReason() const = 0;
    // braid-engine line that does the same.
    virtual QString commandFor(const CaptureRequest& request) const = 0;

Q_SIGNALS:
    void jobChanged(const braid::ui::CaptureJob& job);
    // The engine ended without being asked to; `what` says how. It has been started again, or not.
    void engineLost(const QString& what, bool restarted);
};

}  // namespace braid::ui

Q_DECLARE_METATYPE(braid::ui::CaptureJob)
