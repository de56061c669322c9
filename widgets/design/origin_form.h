// What weights a run starts from: fresh ones, or those of a checkpoint of the project.
#pragma once

#include <QWidget>

#include "core/base/error.h"
#include "core/spec/architecture.h"

class QComboBox;

namespace braid::ui {

class Field;
class ProjectSession;
class Segments;
class TextLabel;

class OriginForm : public QWidget {
    Q_OBJECT

public:
    explicit OriginForm(const ProjectSession& session, QWidget* parent = nullptr);

    QString from() const;  // "RUN@STEP", "RUN" for its last checkpoint; empty: fresh weights
    Diagnostics problems(const ArchitectureSpec& architecture) const;  // paths start with "from"
    void showProblems(const Diagnostics& problems);

    Segments* choice() const { return choice_; }
    QComboBox* runs() const { return runs_; }
    Field* step() const { return step_; }

Q_SIGNALS:
    void changed();

private:
    const ProjectSession& session_;
    Segments* choice_;
    QWidget* box_;
    QComboBox* runs_;
    Field* step_;
    TextLabel* problem_;
};

}  // namespace braid::ui
