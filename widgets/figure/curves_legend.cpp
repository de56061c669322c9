#include "widgets/figure/curves_legend.h"

#include <algorithm>

namespace braid::ui {

CurvesLegend::CurvesLegend(const FigureSpec& spec, const FigureData& data,
                           const std::vector<SeriesLook>& looks, FigureCanvas& canvas, double width)
    : looks_(looks), canvas_(canvas), line_pt_(spec.style.line_pt) {
    std::size_t seeds = 0;
    bool separate = false;
    for (const FigurePanelData& panel : data.panels) {
        for (const FigureSeries& series : panel.series) {
            seeds = std::max(seeds, series.lines.size());
            separate = separate || separate_seeds(spec, series);
        }
    }
    if (seeds > 1 && !separate) {
        band_ = spec.spread == SeedSpread::interval
                    ? QStringLiteral("90 % interval of the mean, %1 seeds").arg(seeds)
                    : QStringLiteral("range of %1 seeds").arg(seeds);
    }
    for (const FigurePanelData& panel : data.panels) {
        for (const FigureSeries& series : panel.series) {
            if (band_.isEmpty() && !series.band.empty()) {
                band_ = QString::fromStdString(series.band);
            }
            if (!series.level_name.empty()) {
                level_ = QString::fromStdString(series.level_name);
            }
        }
    }
    double left = 0;
    for (std::size_t i = 0; i < entries(); ++i) {
        const double entry = entryWidth(i);
        if (left > 0 && left + entry > width) {
            rows_.emplace_back();
            left = 0;
        }
        if (rows_.empty()) {
            rows_.emplace_back();
        }
        rows_.back().push_back(i);
        left += entry + gap();
    }
}

double CurvesLegend::width() const {
    double widest = 0;
    for (const auto& row : rows_) {
        widest = std::max(widest, rowWidth(row));
    }
    return widest;
}

void CurvesLegend::draw(const QRectF& rect, bool centred) {
    double y = rect.top() + canvas_.textHeight() / 2;
    for (const auto& row : rows_) {
        double x = centred ? rect.center().x() - rowWidth(row) / 2 : rect.left();
        for (const std::size_t entry : row) {
            drawEntry(entry, {x, y});
            x += entryWidth(entry) + gap();
        }
        y += canvas_.textHeight();
    }
    canvas_.facts().legend_entries = static_cast<int>(looks_.size());
}

double CurvesLegend::rowWidth(const std::vector<std::size_t>& row) const {
    double width = gap() * static_cast<double>(row.size() - 1);
    for (const std::size_t entry : row) {
        width += entryWidth(entry);
    }
    return width;
}

void CurvesLegend::drawEntry(std::size_t entry, const QPointF& place) {
    if (entry < looks_.size()) {
        const QPen pen = pen_of(looks_[entry], line_pt_);
        canvas_.painter().setPen(pen);
        canvas_.painter().drawLine(place, place + QPointF(sample(), 0));
    } else if (!isBand(entry)) {
        canvas_.line(place, place + QPointF(sample(), 0), FigureCanvas::faintInk(), 0.5, {5, 3});
        canvas_.marker(place + QPointF(sample() / 2, 0), 0, FigureCanvas::faintInk(),
                       FigureCanvas::pt(line_pt_) * 1.9);
    } else {
        const double half = canvas_.textHeight() * 0.28;
        canvas_.rectangle({place.x(), place.y() - half, sample(), 2 * half}, QColor(0xd6, 0xda, 0xe0));
    }
    canvas_.text(place + QPointF(sample() + pad(), 0), text(entry));
}

}  // namespace braid::ui
