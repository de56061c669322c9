// What a run needs beside its architecture: data, length, batch, seed, device. Made from the descriptions of
// TrainingSpec; shows what the run will be before it starts.
#pragma once

#include <QDialog>
#include <map>
#include <string>

#include "core/spec/mixer_kind.h"
#include "core/spec/training.h"
#include "widgets/common/run_commands.h"

class QFormLayout;
class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class Field;
class ParameterEditor;
class Segments;
class TextLabel;

class TrainDialog : public QDialog {
    Q_OBJECT

public:
    TrainDialog(const ArchitectureSpec& spec, const MixerCatalog& catalog, const QString& project_folder,
                RunCommands& commands, QWidget* parent);

    TrainingPlan plan() const;
    ParameterEditor* editor(const std::string& key) const;
    Field* nameField() const { return name_; }
    Field* tokensField() const { return tokens_; }
    Field* corpusField() const { return corpus_; }
    Segments* dataChoice() const { return data_; }
    QPushButton* startButton() const { return start_; }
    QString summary() const;

private:
    QWidget* makeEditors(const std::vector<std::string>& keys);
    void addRow(QVBoxLayout* layout, const QString& label, QWidget* widget);
    void update_();
    void setTokens(const QString& text);
    QString problem() const;

    ArchitectureSpec spec_;
    const MixerCatalog& catalog_;
    QString project_folder_;
    RunCommands& commands_;
    TrainingSpec training_;
    std::map<std::string, ParameterEditor*> editors_;
    Field *name_, *tokens_, *corpus_;
    Segments* data_;
    QWidget *corpus_row_, *more_;
    QPushButton *start_, *more_button_;
    TextLabel *summary_, *command_, *problem_;
};

}  // namespace braid::ui
