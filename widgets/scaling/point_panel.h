// The right side of Scale: the point that is read; what the curves save; whether they are one; what is left
// out; how well an exponent is known.
#pragma once

#include <QScrollArea>

#include "widgets/scaling/scaling_choice.h"

class QComboBox;
class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class FactList;
class GainBars;
class ProfileChart;
class SectionTitle;
class Segments;
class StatePie;
class TextLabel;

class PointPanel : public QScrollArea {
    Q_OBJECT

public:
    explicit PointPanel(ScalingChoice& choice, QWidget* parent = nullptr);

    QPushButton* openButton() const { return open_; }
    QPushButton* excludeButton() const { return exclude_; }
    GainBars* gains() const { return gains_; }
    ProfileChart* profile() const { return profile_; }
    QComboBox* budgetChoice() const { return budgets_; }
    QString pointText() const;       // a line a fact
    QString comparisonText() const;  // likewise
    // One a rule that excludes something, in the order of the study's file.
    const std::vector<QPushButton*>& undoButtons() const { return undo_; }

Q_SIGNALS:
    void openRun();
    void excludeWanted();
    void includeWanted(const QString& rule);  // undoes an exclusion

private:
    QWidget* makePoint();
    QWidget* makeGains();
    void refreshPoint();
    void refreshGains();
    void refreshComparison();
    void refreshExcluded();
    void refresh();
    QWidget* section(SectionTitle* title, QWidget* content);

    ScalingChoice& choice_;
    QVBoxLayout* layout_;
    TextLabel *title_, *hint_;
    StatePie* pie_;
    FactList* facts_;
    QWidget* point_;
    QPushButton *open_, *exclude_;
    QWidget* gains_box_;
    TextLabel* gains_note_;
    QComboBox* budgets_;
    GainBars* gains_;
    QWidget* comparison_box_;
    FactList* comparison_;
    TextLabel* answer_;
    SectionTitle* excluded_title_;
    QWidget* excluded_box_;
    QVBoxLayout* excluded_;
    std::vector<QPushButton*> undo_;
    QWidget* profile_box_;
    Segments* exponent_;
    ProfileChart* profile_;
};

}  // namespace braid::ui
