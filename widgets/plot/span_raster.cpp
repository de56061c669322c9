#include "widgets/plot/span_raster.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

namespace braid::ui {
namespace {

constexpr float none_low = std::numeric_limits<float>::max();
constexpr float none_high = std::numeric_limits<float>::lowest();

// Each channel x alpha / 255, rounded.
quint32 scaled(quint32 pixel, unsigned alpha) {
    quint32 even = (pixel & 0xff00ffu) * alpha;
    quint32 odd = ((pixel >> 8) & 0xff00ffu) * alpha;
    even = ((even + ((even >> 8) & 0xff00ffu) + 0x800080u) >> 8) & 0xff00ffu;
    odd = (odd + ((odd >> 8) & 0xff00ffu) + 0x800080u) & 0xff00ff00u;
    return even | odd;
}

}  // namespace

void SpanRaster::reset(QSize size) {
    if (size != size_) {
        size_ = size;
        const auto columns = static_cast<std::size_t>(std::max(0, size.width()));
        pixels_.assign(columns * static_cast<std::size_t>(std::max(0, size.height())), 0);
        low_.assign(columns, none_low);
        high_.assign(columns, none_high);
        wideLow_.resize(columns);
        wideHigh_.resize(columns);
        image_ = {};
        dirtyFirst_ = 0;
        dirtyLast_ = -1;
    }
}

void SpanRaster::extend(int column, float y) {
    const auto c = static_cast<std::size_t>(column);
    low_[c] = std::min(low_[c], y);
    high_[c] = std::max(high_[c], y);
}

void SpanRaster::paintColumn(int column, float low, float high, quint32 premultiplied, int alpha) {
    const int height = size_.height();
    low = std::max(low, 0.0f);
    high = std::min(high, static_cast<float>(height));
    if (!(low < high)) {
        return;
    }
    quint32* pixels = pixels_.data() + static_cast<std::size_t>(column) * static_cast<std::size_t>(height);
    const auto blend = [&](int row, float coverage) {
        const auto share = static_cast<unsigned>(coverage * 255 + 0.5f);
        const quint32 source = share == 255 ? premultiplied : scaled(premultiplied, share);
        pixels[row] = source + scaled(pixels[row], 255 - (source >> 24));
    };
    const int first = static_cast<int>(low);
    const int last = std::min(height - 1, static_cast<int>(high));
    if (first == last) {
        blend(first, high - low);
        return;
    }
    blend(first, static_cast<float>(first + 1) - low);
    if (alpha == 255) {
        std::fill(pixels + first + 1, pixels + last, premultiplied);
    } else {
        for (int row = first + 1; row < last; ++row) {
            pixels[row] = premultiplied + scaled(pixels[row], 255 - static_cast<unsigned>(alpha));
        }
    }
    blend(last, high - static_cast<float>(last));
}

void SpanRaster::addPolyline(std::span<const QPointF> points, const QColor& colour, qreal width,
                             const QVector<qreal>& dashes) {
    const int columns = size_.width();
    if (points.empty() || columns <= 0) {
        return;
    }
    int first = columns;
    int last = -1;
    const auto touch = [&](int column, double y) {
        if (column >= 0 && column < columns) {
            extend(column, static_cast<float>(y));
            first = std::min(first, column);
            last = std::max(last, column);
        }
    };
    const auto columnOf = [&](double x) {
        return static_cast<int>(std::floor(std::clamp(x, -1.0, static_cast<double>(columns))));
    };
    int from = columnOf(points[0].x());
    touch(from, points[0].y());
    for (std::size_t i = 1; i < points.size(); ++i) {
        const QPointF& a = points[i - 1];
        const QPointF& b = points[i];
        const int to = columnOf(b.x());
        if (to != from) {
            const double slope = (b.y() - a.y()) / (b.x() - a.x());
            for (int column = from; column <= to;
                 ++column) {  // where the segment enters and leaves each column
                touch(column, a.y() + slope * (std::max<double>(column, a.x()) - a.x()));
                touch(column, a.y() + slope * (std::min<double>(column + 1, b.x()) - a.x()));
            }
        }
        touch(to, b.y());
        from = to;
    }
    paintExtended(first, last, colour, width, dashes);
}

void SpanRaster::addColumns(std::span<const Column> columns, const QColor& colour, qreal width,
                            const QVector<qreal>& dashes) {
    if (columns.empty()) {
        return;
    }
    const Column* before = nullptr;
    for (const Column& column : columns) {
        const auto c = static_cast<std::size_t>(column.column);
        low_[c] = column.low;
        high_[c] = column.high;
        if (before) {
            // Half of the way between neighbours belongs to each; columns without points lie on the line.
            const int gap = column.column - before->column;
            const float step = (column.first - before->last) / static_cast<float>(gap);
            extend(before->column, before->last + step / 2);
            extend(column.column, column.first - step / 2);
            for (int between = 1; between < gap; ++between) {
                extend(before->column + between, before->last + step * (static_cast<float>(between) - 0.5f));
                extend(before->column + between, before->last + step * (static_cast<float>(between) + 0.5f));
            }
        }
        before = &column;
    }
    paintExtended(columns.front().column, columns.back().column, colour, width, dashes);
}

// Paints what low_ and high_ hold in [first, last] and clears them.
void SpanRaster::paintExtended(int first, int last, const QColor& colour, qreal width,
                               const QVector<qreal>& dashes) {
    if (last < first) {
        return;
    }
    const int columns = size_.width();
    // A wide line reaches into the columns beside it.
    const int wide = std::max(1, static_cast<int>(std::lround(width)));
    const int left = (wide - 1) / 2;
    const int right = wide / 2;
    const int outFirst = std::max(0, first - left);
    const int outLast = std::min(columns - 1, last + right);
    const auto half = static_cast<float>(width / 2);
    // Which columns of a dash period are gaps.
    std::vector<bool> gaps;
    bool gap = false;
    qreal end = 0;
    for (const qreal dash : dashes) {
        end += dash;
        while (static_cast<qreal>(gaps.size()) + 0.5 < end) {
            gaps.push_back(gap);
        }
        gap = !gap;
    }
    const quint32 premultiplied = qPremultiply(colour.rgba());
    const int alpha = colour.alpha();
    for (int column = outFirst; column <= outLast; ++column) {
        float low = none_low;
        float high = none_high;
        for (int from_column = std::max(first, column - right); from_column <= std::min(last, column + left);
             ++from_column) {
            low = std::min(low, low_[static_cast<std::size_t>(from_column)]);
            high = std::max(high, high_[static_cast<std::size_t>(from_column)]);
        }
        if (low <= high && (gaps.empty() || !gaps[static_cast<std::size_t>(column) % gaps.size()])) {
            paintColumn(column, low - half, high + half, premultiplied, alpha);
        }
    }
    std::fill(low_.begin() + first, low_.begin() + last + 1, none_low);
    std::fill(high_.begin() + first, high_.begin() + last + 1, none_high);
    if (dirtyLast_ < dirtyFirst_) {
        dirtyFirst_ = outFirst;
        dirtyLast_ = outLast;
    } else {
        dirtyFirst_ = std::min(dirtyFirst_, outFirst);
        dirtyLast_ = std::max(dirtyLast_, outLast);
    }
}

void SpanRaster::flush(QPainter& painter, const QRectF& target) {
    if (dirtyLast_ < dirtyFirst_ || size_.isEmpty()) {
        return;
    }
    if (image_.isNull()) {
        image_ = QImage(size_, QImage::Format_ARGB32_Premultiplied);
    }
    image_.fill(0);
    const int height = size_.height();
    constexpr int block = 16;  // columns at a time: a cache line of a row
    for (int column = dirtyFirst_; column <= dirtyLast_; column += block) {
        const int end = std::min(column + block, dirtyLast_ + 1);
        for (int row = 0; row < height; ++row) {
            auto* line = reinterpret_cast<quint32*>(image_.scanLine(row));
            for (int c = column; c < end; ++c) {
                line[c] = pixels_[static_cast<std::size_t>(c) * static_cast<std::size_t>(height) +
                                  static_cast<std::size_t>(row)];
            }
        }
    }
    std::fill(pixels_.begin() + static_cast<std::ptrdiff_t>(dirtyFirst_) * height,
              pixels_.begin() + static_cast<std::ptrdiff_t>(dirtyLast_ + 1) * height, 0u);
    dirtyFirst_ = 0;
    dirtyLast_ = -1;
    painter.drawImage(target, image_, QRectF(QPointF(0, 0), QSizeF(size_)));
}

}  // namespace braid::ui
