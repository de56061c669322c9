// Maps over layers and bars on paper: panels beneath each other with one layer axis.
#pragma once

#include <vector>

#include "widgets/common/measured_views.h"
#include "widgets/figure/figure_canvas.h"

namespace braid::ui {

class MeasuredMaps {
public:
    explicit MeasuredMaps(FigureCanvas& canvas) : canvas_(canvas) {}

    void addMap(const QString& title, LayerMap map);
    void addBars(const QString& title, const std::vector<MeasuredRun>& runs, const std::string& array);
    void addNote(const QString& text);
    void draw();

private:
    struct Panel {
        QString title;
        LayerMap map = {};
        std::vector<MeasuredRun> runs = {};
        std::vector<MeasuredBar> bars = {};
        std::string unit = {};
    };
    static double weight(const Panel& panel);
    void drawMap(const Panel& panel, const QRectF& area);
    void drawScale(const Panel& panel, const QRectF& area);
    void drawTop(const Panel& panel, const QRectF& area, double row, double column);
    void drawBars(const Panel& panel, const QRectF& area);
    void drawAxis(const Panel& panel, const QRectF& area);

    FigureCanvas& canvas_;
    std::vector<Panel> panels_;
};

}  // namespace braid::ui
