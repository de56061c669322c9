// Scores and measurements to compute: one engine at a time, in order. Belongs to the launcher's thread.
#pragma once

#include <QObject>
#include <QString>
#include <deque>
#include <optional>

#include "core/launch/launcher.h"
#include "widgets/common/run_commands.h"

namespace braid::ui {

// "braid-engine eval niah a91f@400 ..." without the program.
QStringList scoreWords(const ScoreRequest& request, const QString& projectFolder);

// How far an engine says that it is: "  43%  3 of 7 lengths" in the last such line of its output. A negative
// fraction: nothing of the kind yet.
struct ScoreProgress {
    double fraction = -1;
    QString text;
};
ScoreProgress scoreProgress(const std::string& output);

class ScoreQueue : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    void add(const ScoreJob& job, const RunFolder& folder, const QString& projectFolder);
    // A waiting one is taken out; a working one is told to stop and is cancelled when it has ended.
    void cancel(int job);
    void poll();

Q_SIGNALS:
    void changed(const braid::ui::ScoreJob& job);
    void failed(const braid::Error& error);

private:
    struct Item {
        ScoreJob job;
        RunFolder folder;
        QStringList words;
    };
    void startNext();
    void ended(int code);

    std::deque<Item> waiting_;
    std::optional<Item> current_;
    std::optional<EngineProcess> process_;
    bool cancelling_ = false;
};

}  // namespace braid::ui
