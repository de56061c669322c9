// Scores, or measurements, that are being computed: a line each with progress and Cancel; failed ones stay
// until they are dismissed.
#pragma once

#include <QWidget>
#include <map>

#include "widgets/common/run_commands.h"

class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class ProjectSession;
class RunProgressBar;
class TextLabel;

class ScoreJobs : public QWidget {
    Q_OBJECT

public:
    ScoreJobs(const ProjectSession& session, RunCommands& commands, ScoreRequest::Verb verb,
              QWidget* parent = nullptr);

    int count() const { return int(lines_.size()); }
    QPushButton* cancelButton(int job) const;
    QString text(int job) const;

private:
    struct Line {
        QWidget* row;
        TextLabel *title, *progress;
        RunProgressBar* bar;
        QPushButton* cancel;
        ScoreJob::State state;
    };
    void show(const ScoreJob& job);
    void remove(int job);

    const ProjectSession& session_;
    RunCommands& commands_;
    ScoreRequest::Verb verb_;
    std::map<int, Line> lines_;
    QVBoxLayout* layout_;
};

}  // namespace braid::ui
