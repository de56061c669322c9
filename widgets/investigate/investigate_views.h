// What an investigation found: the finding as a sentence, the charts and maps of one seed, the table of all.
// Narrow pages stand its parts beneath each other.
#pragma once

#include <QScrollArea>
#include <cstdint>

#include "core/base/id.h"
#include "widgets/investigate/investigation.h"

class QBoxLayout;
class QTableView;

namespace braid::ui {

class CurvePlot;
class FormationTableModel;
class LayerMapView;
class RunLegend;
class RunProgressBar;
class TextLabel;

struct InvestigatedPair {
    std::size_t early = 0, late = 0;  // variants
    QString early_name = {}, late_name = {};
    std::uint64_t seed = 0;  // of the charts
};

class InvestigateViews : public QScrollArea {
    Q_OBJECT

public:
    explicit InvestigateViews(QWidget* parent = nullptr);

    void show(const Investigation& found, const InvestigatedPair& pair, const QString& description);
    // What is being done, or went wrong; empty: nothing.
    void setState(const QString& text, bool error);
    void setProgress(double fraction);  // negative: none is shown

    QTableView* table() const { return table_; }
    CurvePlot* massPlot() const { return mass_; }
    CurvePlot* entropyPlot() const { return entropy_; }
    CurvePlot* gradientPlot() const { return gradient_; }
    LayerMapView* earlyMap() const { return early_map_; }
    LayerMapView* lateMap() const { return late_map_; }
    RunLegend* legend() const { return legend_; }
    QString headline() const;
    QString description() const;
    QString state() const;
    bool isNarrow() const { return narrow_; }

Q_SIGNALS:
    void seedChosen(quint64 seed);
    void runChosen(const QString& run);
    void headChosen(const braid::RunId& run, qlonglong step, int layer, int head);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makePlots();
    void makeMaps();
    void showPlots(const Investigation& found, std::uint64_t seed);
    void showMap(LayerMapView* view, const InvestigatedRun* run);
    void arrange();

    TextLabel *headline_, *explanation_, *state_, *description_;
    RunProgressBar* progress_;
    RunLegend* legend_;
    CurvePlot *mass_, *entropy_, *gradient_;
    LayerMapView *early_map_, *late_map_;
    FormationTableModel* model_;
    QTableView* table_;
    QBoxLayout *plots_ = nullptr, *beneath_ = nullptr;
    bool narrow_ = false;
};

}  // namespace braid::ui
