// The page of Probe: maps over layers, curves beside them, or all values as a table; jobs beneath.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/common/workspace.h"
#include "widgets/probe/cell_panel.h"
#include "widgets/probe/layer_map_view.h"

class QComboBox;
class QPushButton;
class QStackedWidget;
class QTableView;
class QVBoxLayout;

namespace braid::ui {

class EmptyState;
class MeasureDialog;
class MeasuredModel;
class PageToolbar;
class ProbeCharts;
class ProbeChoice;
class Segments;
class TextLabel;

class ProbePage : public QWidget {
    Q_OBJECT

public:
    ProbePage(const WorkspaceContext& context, ProbeChoice& choice, CellPanel* panel,
              QWidget* parent = nullptr);

    // Asks what to measure of the chosen runs; null: there is no run.
    MeasureDialog* measure(const std::string& kind);
    void exportFigure();  // the menu of figures
    void openRun();       // of the cell that is read, in Train
    void openHeads();     // the head of the cell that is read, in Heads
    QString commandLine() const;

    LayerMapView* maps() const { return maps_; }
    ProbeCharts* charts() const { return charts_; }
    QTableView* table() const { return table_; }
    QComboBox* arrayChoice() const { return arrays_; }
    QComboBox* classifierChoice() const { return classifiers_; }
    Segments* form() const { return form_; }
    Segments* rows() const { return rows_; }
    QPushButton* measureButton() const { return measure_; }
    QPushButton* figureButton() const { return figure_; }
    EmptyState* empty() const { return empty_; }
    QString reading() const;

private:
    void makeToolbar();
    QWidget* makeViews();
    void refresh();
    void showMaps();
    void fillMissing();
    void showCell();
    void openCell();
    void fillArrays();
    void fillClassifiers();
    void fillTable();
    void applyForm();
    void fillFigures();
    void setKindOfCharts();

    WorkspaceContext context_;
    ProbeChoice& choice_;
    CellPanel* panel_;
    std::string charts_kind_;
    PageToolbar* toolbar_;
    Segments *rows_, *form_;
    QComboBox *classifiers_, *arrays_;
    QPushButton *figure_, *measure_;
    QStackedWidget* pages_;
    LayerMapView* maps_;
    QVBoxLayout* missing_;  // a button for each kind of map that is not there
    ProbeCharts* charts_;
    MeasuredModel* model_;
    QTableView* table_;
    EmptyState* empty_;
    TextLabel *reading_, *problem_;
};

}  // namespace braid::ui
