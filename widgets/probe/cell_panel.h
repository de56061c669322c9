// What is known of one cell of the maps: its values with intervals and samples; beneath it the receptive
// field of every run.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/probe/cell_facts.h"

class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace braid::ui {

class ClassBars;
class EmptyState;
class MixerBadge;
class RestrictionBars;
class SectionTitle;
class TextLabel;

class CellPanel : public QWidget {
    Q_OBJECT

public:
    // `withHeads`: there is a workspace that shows heads.
    explicit CellPanel(bool withHeads, QWidget* parent = nullptr);

    void showCell(const CellFacts* facts);  // null: none is read
    void showRestrictions(const std::vector<MeasuredRun>& runs, const std::string& current);

    RestrictionBars* bars() const { return bars_; }
    QPushButton* openButton() const { return open_; }
    QPushButton* headsButton() const { return heads_; }
    QToolButton* copyButton() const { return copy_; }
    ClassBars* classBars() const { return classes_; }
    EmptyState* restrictionsEmpty() const { return bars_empty_; }
    QString title() const;
    QString valuesText() const;  // "Accuracy 73.5 % 69.2 to 77.8, 400 samples", a line each

Q_SIGNALS:
    void openRun();
    void openHeads();
    void measureWanted(const QString& kind);
    void runChosen(const QString& run);

private:
    struct ValueBlock {
        QWidget* box;
        TextLabel *name, *value, *interval;
    };
    MixerBadge* badge_;
    TextLabel *title_, *note_, *hint_;
    QWidget* cell_;
    std::vector<ValueBlock> blocks_;
    TextLabel* classes_title_;
    ClassBars* classes_;
    QToolButton* copy_;
    QPushButton *heads_, *open_;
    SectionTitle* bars_title_;
    TextLabel* bars_note_;
    RestrictionBars* bars_;
    QWidget* legend_;
    QVBoxLayout* legend_rows_;
    EmptyState* bars_empty_;
    QString copied_;
};

}  // namespace braid::ui
