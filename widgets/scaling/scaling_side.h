// The left side of Scale: studies, the grid of one, what trains and waits, what it costs.
#pragma once

#include <QScrollArea>

#include "widgets/common/workspace.h"
#include "widgets/scaling/scaling_choice.h"

class QPushButton;
class QStandardItemModel;
class QToolButton;
class QTreeView;
class QVBoxLayout;

namespace braid::ui {

class FactList;
class QueueList;
class SectionTitle;
class StudyGrid;
class TextLabel;

class ScalingSide : public QWidget {
    Q_OBJECT

public:
    ScalingSide(const WorkspaceContext& context, ScalingChoice& choice, QWidget* parent = nullptr);

    QTreeView* studies() const { return studies_; }
    StudyGrid* grid() const { return grid_; }
    QueueList* queue() const { return queue_; }
    QPushButton* runButton() const { return run_; }
    QPushButton* pauseButton() const { return pause_; }
    QPushButton* stopButton() const { return stop_; }
    QPushButton* nextButton() const { return next_; }
    QToolButton* newButton() const { return new_; }
    QPushButton* editButton() const { return edit_; }
    QString costText() const;

public Q_SLOTS:
    void runStudy();
    void pauseOrResume();
    void stopStudy();
    void runNext();  // the point that is read before the others

Q_SIGNALS:
    void newWanted();
    void editWanted();

private:
    void fillStudies();
    void refresh();
    void refreshCurrent();
    void refreshButtons();

    WorkspaceContext context_;
    ScalingChoice& choice_;
    QStandardItemModel* model_;
    QTreeView* studies_;
    QToolButton* new_;
    SectionTitle *grid_title_, *queue_title_;
    StudyGrid* grid_;
    QueueList* queue_;
    FactList* cost_;
    QPushButton *run_, *pause_, *stop_, *next_, *edit_;
    QWidget* content_;
    bool filling_ = false;
};

}  // namespace braid::ui
