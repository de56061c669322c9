// Scores a checkpoint: which, what kind, its main options. The work is done in the background by RunCommands.
#pragma once

#include <QDialog>
#include <map>

#include "core/spec/parameter.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/run_view.h"

class QComboBox;
class QMenu;
class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class CommandFoot;
class ParameterForm;
class ProjectSession;
class TextLabel;

class ScoreDialog : public QDialog {
    Q_OBJECT

public:
    ScoreDialog(const RunPointer& run, const ProjectSession& session, RunCommands& commands, QWidget* parent);

    ScoreRequest request() const;
    void setKind(const std::string& kind);
    QComboBox* kinds() const { return kind_; }
    QComboBox* steps() const { return step_; }
    ParameterForm* form() const { return form_; }
    QPushButton* startButton() const;
    QString command() const;

private:
    void rebuild();
    void update_();
    void browse(const std::string& key, bool several);
    QMenu* makeCheckpointMenu(const std::string& key, QPushButton* button);
    void setOption(const std::string& key, const std::string& value);

    RunPointer run_;
    const ProjectSession& session_;
    QString project_;
    RunCommands& commands_;
    std::map<std::string, ParameterValues> values_;  // of each kind: a change of kind loses nothing
    QComboBox *kind_, *step_;
    TextLabel* help_;
    CommandFoot* foot_;
    ParameterForm* form_ = nullptr;
    QVBoxLayout* rows_;
};

}  // namespace braid::ui
