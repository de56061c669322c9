// What to look at: a capture that is on disk opens at once; a new one is of a needle sample or of one's own
// words.
#pragma once

#include <QDialog>
#include <vector>

#include "widgets/heads/heads_choice.h"

class QCheckBox;
class QComboBox;
class QPlainTextEdit;
class QSpinBox;
class QStackedWidget;
class QTableView;
class QStandardItemModel;

namespace braid::ui {

class CommandFoot;
class Field;
class Segments;

class PromptDialog : public QDialog {
    Q_OBJECT

public:
    explicit PromptDialog(HeadsChoice& choice, QWidget* parent = nullptr);

    CaptureRequest request() const;
    QTableView* list() const { return list_; }
    QComboBox* runs() const { return runs_; }
    QComboBox* steps() const { return steps_; }
    Segments* source() const { return source_; }
    QPlainTextEdit* prompt() const { return prompt_; }
    QSpinBox* sample() const { return sample_; }
    Field* context() const { return context_; }
    Field* depth() const { return depth_; }
    CommandFoot* foot() const { return foot_; }
    void addFolder(const QString& folder);  // of a checkpoint; chooses it

private:
    QWidget* makeList();
    QWidget* makeForm();
    void fillList();
    void fillRuns();
    void fillSteps();
    void update_();
    void browse();
    void describeReading();
    std::vector<std::int64_t> writtenTokens(QStringList* wrong = nullptr) const;
    QString folder() const;  // of the checkpoint, where it belongs to no run
    QStringList problems() const;

    HeadsChoice& choice_;
    QStandardItemModel* model_;
    std::vector<CapturePointer> shown_;  // by row of the list
    QTableView* list_;
    QComboBox *runs_, *steps_, *heads_;
    Segments* source_;
    QStackedWidget* pages_;
    QPlainTextEdit* prompt_;
    QString task_;            // that the model was trained on: it reads numbers; empty: text
    std::int64_t vocab_ = 0;  // of such a model
    QSpinBox* sample_;
    Field *context_, *depth_;
    CommandFoot* foot_;
};

// "needle sample 17, depth 32 %", "“Call me Ishmael. Some years ago”": what a text is called.
QString captureTitle(const Capture& capture);

}  // namespace braid::ui
