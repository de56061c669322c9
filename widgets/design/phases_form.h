// The phases after the first: a list with what each changes, edited as the text that the command line takes
// too ("steps=4769,context=32768,full.rope_base=5e5").
#pragma once

#include <QWidget>
#include <vector>

#include "core/spec/phases.h"

class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class Field;
class TextLabel;

class PhasesForm : public QWidget {
    Q_OBJECT

public:
    explicit PhasesForm(QWidget* parent = nullptr);

    const std::vector<TrainingPhase>& phases() const { return phases_; }
    void add(const TrainingPhase& phase);
    void remove(int index);
    // At the phases whose text is right; a text that is no phase keeps its own problem.
    void showProblems(const Diagnostics& problems);
    // Problems of texts that are no phase yet: the plan must not be started with them.
    bool hasBrokenText() const;
    Field* field(int index) const;
    QPushButton* addButton() const { return add_; }
    QPushButton* extendButton() const { return extend_; }

Q_SIGNALS:
    void changed();

private:
    struct Row {
        QWidget* box;
        TextLabel* title;
        Field* text;
        bool broken = false;
    };
    void rebuild();
    void commit(int index, const QString& text);
    void retitle();

    std::vector<TrainingPhase> phases_;
    std::vector<Row> rows_;
    QVBoxLayout* list_;
    TextLabel* hint_;
    QPushButton *add_, *extend_;
};

// "Phase 2, extend to 32K: 4,769 steps, context 32,768, RoPE base of F 5e5"
QString phaseText(const TrainingPhase& phase);

}  // namespace braid::ui
