// Measures checkpoints: which kind, which runs, its parameters. The work is done in the background by
// RunCommands, one run after the other.
#pragma once

#include <QDialog>
#include <map>
#include <vector>

#include "core/spec/measurement_kind.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/run_view.h"

class QComboBox;
class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class CommandFoot;
class ParameterForm;
class TextLabel;

class MeasureDialog : public QDialog {
    Q_OBJECT

public:
    // `current`: one of `runs`, offered by itself, or null.
    MeasureDialog(const std::vector<RunPointer>& runs, const RunPointer& current, const std::string& kind,
                  const QString& projectFolder, RunCommands& commands, QWidget* parent);

    std::vector<ScoreRequest> requests() const;
    void setKind(const std::string& kind);
    QComboBox* kinds() const { return kind_; }
    QComboBox* runChoice() const { return run_; }
    QComboBox* steps() const { return step_; }
    ParameterForm* form() const { return form_; }
    QPushButton* startButton() const;
    QPushButton* cancelButton() const;
    QString command() const;
    QString problemText() const;
    QString summary() const;

private:
    const MeasurementKind& kind() const;
    std::vector<RunPointer> wanted() const;
    void rebuild();
    void readSteps();
    void findLacking();
    void update_();

    std::vector<RunPointer> runs_;
    std::vector<RunPointer> lacking_;  // their last checkpoint is not on disk
    QString project_;
    RunCommands& commands_;
    std::map<std::string, ParameterValues> values_;  // of each kind: a change of kind loses nothing
    QComboBox *kind_, *run_, *step_;
    TextLabel* help_;
    CommandFoot* foot_;
    ParameterForm* form_ = nullptr;
    QVBoxLayout* rows_;
};

}  // namespace braid::ui
