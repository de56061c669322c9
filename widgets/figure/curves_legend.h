// The legend of a curves figure.
#pragma once

#include <vector>

#include "widgets/figure/series_look.h"

namespace braid::ui {

// "Window 4", a line and, with bands, what they mean; wrapped into rows.
class CurvesLegend {
public:
    CurvesLegend(const FigureSpec& spec, const FigureData& data, const std::vector<SeriesLook>& looks,
                 FigureCanvas& canvas, double width);

    double height() const { return static_cast<double>(rows_.size()) * canvas_.textHeight(); }
    double width() const;

    // Rows centred in `rect` (below), or each entry in a row of its own from its left (inside).
    void draw(const QRectF& rect, bool centred);

private:
    static double sample() { return FigureCanvas::mm(5.5); }
    static double pad() { return FigureCanvas::mm(1); }
    static double gap() { return FigureCanvas::mm(3.5); }
    std::size_t entries() const {
        return looks_.size() + (band_.isEmpty() ? 0 : 1) + (level_.isEmpty() ? 0 : 1);
    }
    bool isBand(std::size_t entry) const { return !band_.isEmpty() && entry == looks_.size(); }
    QString text(std::size_t entry) const {
        return entry < looks_.size() ? looks_[entry].label : isBand(entry) ? band_ : level_;
    }
    double entryWidth(std::size_t entry) const { return sample() + pad() + canvas_.textWidth(text(entry)); }
    double rowWidth(const std::vector<std::size_t>& row) const;
    void drawEntry(std::size_t entry, const QPointF& place);

    const std::vector<SeriesLook>& looks_;
    FigureCanvas& canvas_;
    double line_pt_;
    QString band_, level_;
    std::vector<std::vector<std::size_t>> rows_;
};

}  // namespace braid::ui
