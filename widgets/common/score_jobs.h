// Scores, or measurements, that are being computed: a line each with progress and Cancel; failed ones stay
// until they are dismissed. Of many that wait the first are shown.
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
    QPushButton* allButton() const { return all_; }  // Cancel all, or Dismiss all where all have failed
    QString moreText() const;                        // of those that wait behind the lines that are shown
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
    void arrange();
    void endAll();

    const ProjectSession& session_;
    RunCommands& commands_;
    ScoreRequest::Verb verb_;
    std::map<int, Line> lines_;
    QVBoxLayout* layout_;
    QWidget* foot_;
    TextLabel* more_;
    QPushButton* all_;
};

}  // namespace braid::ui
