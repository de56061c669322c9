#include "widgets/figure/figure_preview.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/common/theme.h"

namespace braid::ui {
namespace {

constexpr int ruler = 26;  // room for the upper ruler
constexpr int side = 36;   // room for the left one
constexpr int edge = 10;   // right and below the page
constexpr double grip_size = 8;

}  // namespace

FigurePreview::FigurePreview(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setAccessibleName(tr("Preview at print size"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

double FigurePreview::pixelsPerMm() const { return logicalDpiX() / 25.4; }

double FigurePreview::scaleFor(const QSizeF& millimetres) const {
    const double x = (width() - side - edge) / (millimetres.width() * pixelsPerMm());
    const double y = (height() - ruler - edge) / (millimetres.height() * pixelsPerMm());
    return std::clamp(std::min(x, y), 0.05, 1.0);
}

QRectF FigurePreview::pageRect() const {
    const double factor = scale() * pixelsPerMm();
    return {side, ruler, std::round(page_.width() * factor), std::round(page_.height() * factor)};
}

QRectF FigurePreview::gripRect(Grip grip) const {
    const QRectF page = pageRect();
    const QPointF centre =
        grip == Grip::corner ? page.bottomRight() : QPointF(page.center().x(), page.bottom());
    return {centre.x() - grip_size / 2, centre.y() - grip_size / 2, grip_size, grip_size};
}

FigurePreview::Grip FigurePreview::gripAt(const QPointF& place) const {
    for (const Grip grip : {Grip::corner, Grip::bottom}) {
        if (gripRect(grip).adjusted(-3, -3, 3, 3).contains(place)) {
            return grip;
        }
    }
    return Grip::none;
}

void FigurePreview::setPage(const QImage& image, const QSizeF& millimetres) {
    image_ = image;
    page_ = millimetres;
    message_.clear();
    if (scale() != lastScale_) {
        lastScale_ = scale();
        Q_EMIT scaleChanged(lastScale_);
    }
    update();
}

void FigurePreview::setMessage(const QString& message) {
    message_ = message;
    update();
}

void FigurePreview::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (scale() != lastScale_) {
        lastScale_ = scale();
        Q_EMIT scaleChanged(lastScale_);
    }
}

void FigurePreview::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    const Tokens& colours = tokens();
    const QRectF page = pageRect();
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(colours.text2);
    const double factor = scale() * pixelsPerMm();
    const auto length = [](int mm) { return mm % 20 == 0 ? 9 : mm % 10 == 0 ? 7 : mm % 5 == 0 ? 5 : 3; };
    const int every = factor < 1.6 ? 5 : factor < 2.5 ? 2 : 1;  // millimetres between the finest ticks
    for (int mm = 0; mm <= page_.width(); mm += every) {
        const double x = std::floor(page.left() + mm * factor) + 0.5;
        painter.drawLine(QPointF(x, page.top() - 4), QPointF(x, page.top() - 4 - length(mm)));
        if (mm % 20 == 0) {
            painter.drawText(QRectF(x - 20, 0, 40, ruler - 13), Qt::AlignHCenter | Qt::AlignBottom,
                             QString::number(mm));
        }
    }
    for (int mm = 0; mm <= page_.height(); mm += every) {
        const double y = std::floor(page.top() + mm * factor) + 0.5;
        painter.drawLine(QPointF(page.left() - 4, y), QPointF(page.left() - 4 - length(mm), y));
        if (mm % 20 == 0) {
            painter.drawText(QRectF(0, y - 8, side - 16, 16), Qt::AlignRight | Qt::AlignVCenter,
                             QString::number(mm));
        }
    }
    painter.fillRect(page, Qt::white);
    if (!image_.isNull() && message_.isEmpty()) {
        painter.drawImage(page, image_, QRectF(image_.rect()));
    }
    painter.setPen(QPen(colours.ink, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(page.adjusted(-0.5, -0.5, 0.5, 0.5));
    if (!message_.isEmpty()) {
        painter.setFont(Theme::instance().font(TypeStep::control));
        painter.setPen(QColor(0x43, 0x4b, 0x59));
        painter.drawText(page.adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap, message_);
        return;
    }
    painter.setBrush(Qt::white);
    for (const Grip grip : {Grip::corner, Grip::bottom}) {
        painter.drawRect(gripRect(grip));
    }
}

void FigurePreview::mousePressEvent(QMouseEvent* event) {
    grip_ = event->button() == Qt::LeftButton ? gripAt(event->position()) : Grip::none;
    pressed_ = event->position();
    pressedSize_ = page_;
}

void FigurePreview::mouseMoveEvent(QMouseEvent* event) {
    if (grip_ == Grip::none) {
        const Grip under = gripAt(event->position());
        setCursor(under == Grip::corner   ? Qt::SizeFDiagCursor
                  : under == Grip::bottom ? Qt::SizeVerCursor
                                          : Qt::ArrowCursor);
        return;
    }
    const QPointF moved = (event->position() - pressed_) / (scale() * pixelsPerMm());
    QSizeF wanted = pressedSize_;
    wanted.setHeight(std::clamp(std::round(pressedSize_.height() + moved.y()), 20.0, 1000.0));
    if (grip_ == Grip::corner) {
        wanted.setWidth(std::clamp(std::round(pressedSize_.width() + moved.x()), 20.0, 1000.0));
    }
    if (wanted != page_) {
        Q_EMIT resized(wanted);
    }
}

void FigurePreview::mouseReleaseEvent(QMouseEvent*) { grip_ = Grip::none; }

PagePreview::PagePreview(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("The figure on an A4 page"));
    setMinimumSize(200, 120);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
}

void PagePreview::setFigure(const QImage& image, const QSizeF& millimetres) {
    image_ = image;
    small_ = {};
    size_ = millimetres;
    update();
}

void PagePreview::paintEvent(QPaintEvent*) {
    constexpr double page_width = 210;
    constexpr double margin = 18;
    constexpr double gap = 6;
    constexpr double line = 4.2;
    QPainter painter(this);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.setPen(QPen(tokens().border, 1));
    painter.setBrush(Qt::white);
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, 0.5));  // the page goes on below
    painter.setClipRect(rect().adjusted(1, 1, -1, 0));
    const double factor = width() / page_width;
    painter.scale(factor, factor);
    const double column = (page_width - 2 * margin - gap) / 2;
    const bool wide = size_.width() > column + 5;
    const double shown = std::min(size_.width(), page_width - 2 * margin);
    const double height = size_.height() * shown / std::max(1.0, size_.width());
    const double left = wide ? (page_width - shown) / 2 : margin + (column - shown) / 2;
    // Averaged, not sampled: thin lines survive being small.
    const QSize wanted = (QSizeF(shown, height) * factor * devicePixelRatioF()).toSize();
    if (small_.size() != wanted && !image_.isNull() && !wanted.isEmpty()) {
        small_ = image_.scaled(wanted, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    }
    painter.drawImage(QRectF(left, margin, shown, height), small_, QRectF(small_.rect()));
    const QColor grey(0xd9, 0xdd, 0xe3);
    const double bottom = this->height() / factor;
    const auto text = [&](double x, double from) {
        for (int row = 0; from + row * line < bottom; ++row) {
            const double length = row % 7 == 6 ? column * 0.6 : column;
            painter.fillRect(QRectF(x, from + row * line, length, 1.1), grey);
        }
    };
    const double below = margin + height + 4;
    const double caption_width = wide ? page_width - 2 * margin : column;
    painter.fillRect(QRectF(margin, below, caption_width, 1.1), grey);
    painter.fillRect(QRectF(margin, below + line, caption_width * 0.55, 1.1), grey);
    text(margin, below + 3 * line);
    text(margin + column + gap, wide ? below + 3 * line : margin);
}

}  // namespace braid::ui
