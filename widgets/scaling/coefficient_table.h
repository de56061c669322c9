// The table of coefficients with its title, formula and ways out: LaTeX, CSV.
#pragma once

#include <QWidget>

#include "widgets/scaling/scaling_content.h"

class QPushButton;
class QTableView;

namespace braid::ui {

class CoefficientModel;
class EmptyState;
class ProjectSession;
class SectionTitle;
class Shell;
class TextLabel;

class CoefficientTable : public QWidget {
    Q_OBJECT

public:
    CoefficientTable(ProjectSession& session, Shell& shell, QWidget* parent = nullptr);

    void show(const ScalingContentPtr& content);
    QTableView* table() const { return table_; }
    QPushButton* latexButton() const { return latex_; }
    QPushButton* csvButton() const { return csv_; }
    EmptyState* empty() const { return empty_; }
    void exportCsv();  // figures/STUDY-METRIC-*.csv

Q_SIGNALS:
    void fitWanted();
    void curveChosen(int curve);

private:
    void copyLatex();

    ProjectSession& session_;
    Shell& shell_;
    ScalingContentPtr content_;
    SectionTitle* title_;
    CoefficientModel* model_;
    QTableView* table_;
    QPushButton *latex_, *csv_;
    EmptyState* empty_;
    TextLabel* note_;
};

}  // namespace braid::ui
