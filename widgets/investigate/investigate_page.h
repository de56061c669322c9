// Investigate: why some variants of a study come to look far sooner than others. Two of them beside each
// other, seed by seed: the attention of the head that ends on top, its entropy, the gradient over distance,
// all heads.
#pragma once

#include <QWidget>
#include <map>

#include "widgets/common/run_commands.h"
#include "widgets/common/throttle.h"
#include "widgets/common/workspace.h"
#include "widgets/investigate/investigation.h"

class QComboBox;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace braid::ui {

class CurvePlot;
class EmptyState;
class FormationTableModel;
class LayerMapView;
class PageToolbar;
class RunProgressBar;
class TextLabel;

class InvestigatePage : public QWidget {
    Q_OBJECT

public:
    explicit InvestigatePage(const WorkspaceContext& context, QWidget* parent = nullptr);

    void showStudy(const QString& name);  // empty: none
    void setActive(bool active);
    // Measures what the finished runs have no answer of.
    void measure();
    void cancel();
    void exportFigure();
    QString commandLine() const;

    QPushButton* measureButton() const { return measure_; }
    QPushButton* cancelButton() const { return cancel_; }
    QPushButton* figureButton() const { return figure_; }
    EmptyState* empty() const { return empty_; }
    QComboBox* earlyChoice() const { return early_; }
    QComboBox* lateChoice() const { return late_; }
    QComboBox* seedChoice() const { return seed_; }
    QTableView* table() const { return table_; }
    CurvePlot* massPlot() const { return mass_; }
    CurvePlot* entropyPlot() const { return entropy_; }
    CurvePlot* gradientPlot() const { return gradient_; }
    LayerMapView* earlyMap() const { return early_map_; }
    LayerMapView* lateMap() const { return late_map_; }
    QString headline() const;
    QString description() const;  // of the study, beneath everything

private:
    void makeToolbar();
    QWidget* makeViews();
    void refresh();
    void refreshChoices(const StudySpec& spec);
    void refreshPlots();
    void refreshMaps();
    void refreshButtons();
    void follow(const ScoreJob& job);
    std::vector<ScoreRequest> missing() const;
    std::size_t early() const;
    std::size_t late() const;
    std::uint64_t seed() const;

    WorkspaceContext context_;
    QString name_;
    bool active_ = false;
    Throttle throttle_{100, this, [this] { refresh(); }};
    Investigation shown_;
    std::map<int, ScoreJob> jobs_;  // since measure()
    PageToolbar* toolbar_;
    QComboBox *early_, *late_, *seed_;
    QPushButton *figure_, *cancel_, *measure_;
    RunProgressBar* progress_;
    TextLabel *headline_, *explanation_, *state_, *description_;
    QStackedWidget* pages_;
    EmptyState* empty_;
    CurvePlot *mass_, *entropy_, *gradient_;
    LayerMapView *early_map_, *late_map_;
    FormationTableModel* model_;
    QTableView* table_;
};

}  // namespace braid::ui
