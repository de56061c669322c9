// The curves beside the maps: gradient over distance, entropy over training, and one more of choice. Where
// nothing was measured, one button that does.
#pragma once

#include <QWidget>
#include <map>
#include <string>

class QComboBox;
class QStackedWidget;

namespace braid::ui {

class CurvePlot;
class EmptyState;
class HeadScatter;
class ProbeChoice;
class RunLegend;

class ProbeCharts : public QWidget {
    Q_OBJECT

public:
    explicit ProbeCharts(const ProbeChoice& choice, QWidget* parent = nullptr);

    void refresh();
    // Of the third chart: "trace/d_qk", "noise/change", "entropy".
    void chooseThird(const QString& what);
    QString third() const;

    CurvePlot* gradientPlot() const { return gradient_.plot; }
    CurvePlot* entropyPlot() const { return entropy_.plot; }
    CurvePlot* thirdPlot() const { return third_.plot; }
    HeadScatter* scatter() const { return scatter_; }
    RunLegend* legend() const { return legend_; }
    QComboBox* thirdChoice() const { return choices_; }
    EmptyState* gradientEmpty() const { return gradient_.empty; }

Q_SIGNALS:
    void measureWanted(const QString& kind);
    void runChosen(const QString& run);
    void thirdChanged();

private:
    struct Panel {
        QStackedWidget* pages = nullptr;
        CurvePlot* plot = nullptr;
        EmptyState* empty = nullptr;
        std::string kind = {};
    };
    Panel makePanel(const std::string& kind);
    void fill(const Panel& panel, const std::string& kind, const std::string& array);
    void fillGradientMarks();
    void fillLegend();
    void setEmpty(const Panel& panel, const std::string& kind);

    const ProbeChoice& choice_;
    QComboBox* choices_;
    HeadScatter* scatter_;
    RunLegend* legend_;
    std::map<std::string, int> dashes_;  // by run: of several in one colour each has its own
    Panel gradient_, entropy_, third_;
};

}  // namespace braid::ui
