// What a run needs beside its architecture: data, length, recipe, phases, where it starts from. Made from the
// descriptions of TrainingSpec and of the data; every problem is shown at its field while one types.
#pragma once

#include <QDialog>
#include <map>
#include <string>

#include "core/spec/mixer_kind.h"
#include "core/spec/training.h"
#include "widgets/common/run_commands.h"

class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class CommandFoot;
class DataForm;
class Field;
class OriginForm;
class ParameterEditor;
class ParameterForm;
class PhasesForm;
class ProjectSession;

class TrainDialog : public QDialog {
    Q_OBJECT

public:
    TrainDialog(const ArchitectureSpec& spec, const MixerCatalog& catalog, const ProjectSession& session,
                RunCommands& commands, QWidget* parent);

    TrainingPlan plan() const;
    ParameterEditor* editor(const std::string& key) const;  // of a training field
    DataForm* dataForm() const { return data_; }
    PhasesForm* phasesForm() const { return phases_; }
    OriginForm* originForm() const { return origin_; }
    Field* nameField() const { return name_; }
    Field* tokensField() const { return tokens_; }
    Field* ratioField() const { return ratio_; }
    QPushButton* startButton() const;
    QPushButton* recipeButton() const { return recipe_; }
    QString summary() const;
    QString problemText() const;

private:
    QWidget* makeLeft();
    QWidget* makeRight();
    void setTokens(const QString& text);
    void applyRecipe();
    Diagnostics problems() const;
    void showProblems();
    void update_();

    ArchitectureSpec spec_;
    const MixerCatalog& catalog_;
    RunCommands& commands_;
    std::string scale_;  // with the paper's dimensions of this architecture; empty: none
    TrainingSpec training_;
    QString tokensRefusal_;  // why the field of tokens shows no number
    DataForm* data_;
    PhasesForm* phases_;
    OriginForm* origin_;
    ParameterForm *main_, *more_;
    Field *name_, *tokens_, *ratio_;
    QPushButton *more_button_, *recipe_;
    CommandFoot* foot_;
};

}  // namespace braid::ui
