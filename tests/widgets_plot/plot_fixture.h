// Curves and pictures for the tests of CurvePlot.
#pragma once

#include <QDir>
#include <QImage>
#include <QTest>
#include <cmath>
#include <limits>
#include <vector>

#include "core/analysis/curve.h"
#include "widgets/common/theme.h"
#include "widgets/plot/curve_plot.h"

namespace braid::ui {

inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline CurvePtr curveOf(const std::vector<double>& y, double step = 1) {
    std::vector<double> x(y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = step * static_cast<double>(i);
    }
    return Curve::make(x, y);
}

// A recall curve that takes off at `middle` (in evaluations of 20 steps, 4,096 tokens a step).
inline CurvePtr recallCurve(double middle, double last = 0.98) {
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i <= 30; ++i) {
        x.push_back(20.0 * 4096 * i);
        y.push_back(0.03 + (last - 0.03) / (1 + std::exp(-(i - middle) / 0.8)));
    }
    return Curve::make(x, y);
}

inline CurvePtr noisyLoss(std::size_t count, unsigned seed, double level) {
    std::vector<double> y(count);
    std::uint64_t state = seed;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double noise = static_cast<double>(state >> 33) / 4294967296.0 - 0.25;
        y[i] =
            level + 1.6 * std::exp(-8.0 * static_cast<double>(i) / static_cast<double>(count)) + 0.12 * noise;
    }
    return curveOf(y);
}

inline QVector<PlotSeries> fourHybrids() {
    return {{QStringLiteral("w4"), QStringLiteral("Window 4"), recallCurve(9.5), 0},
            {QStringLiteral("w16"), QStringLiteral("Window 16"), recallCurve(11.5), 4},
            {QStringLiteral("nope"), QStringLiteral("Window 64, NoPE"), recallCurve(9), 2},
            {QStringLiteral("w64"), QStringLiteral("Window 64"), recallCurve(26), 1}};
}

// Kept for looking at when BRAID_PICTURES names a folder.
inline void keepPicture(const QImage& image, const QString& name) {
    const QString folder = qEnvironmentVariable("BRAID_PICTURES");
    if (!folder.isEmpty()) {
        QDir().mkpath(folder);
        image.save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
    }
}

inline int pixelsLike(const QImage& image, const QColor& colour, const QRect& area = {}, int tolerance = 24) {
    int count = 0;
    const QRect rect = area.isNull() ? image.rect() : area.intersected(image.rect());
    for (int y = rect.top(); y <= rect.bottom(); ++y) {
        for (int x = rect.left(); x <= rect.right(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            count += std::abs(pixel.red() - colour.red()) <= tolerance &&
                             std::abs(pixel.green() - colour.green()) <= tolerance &&
                             std::abs(pixel.blue() - colour.blue()) <= tolerance
                         ? 1
                         : 0;
        }
    }
    return count;
}

}  // namespace braid::ui
