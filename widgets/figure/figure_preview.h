// The figure at its true size with rulers in mm, and small on the page it is for.
#pragma once

#include <QImage>
#include <QSizeF>
#include <QWidget>

namespace braid::ui {

class FigurePreview : public QWidget {
    Q_OBJECT

public:
    explicit FigurePreview(QWidget* parent = nullptr);

    // `image` shows a page of this size; it is drawn at true size, or smaller where there is no room.
    void setPage(const QImage& image, const QSizeF& millimetres);
    void setMessage(const QString& message);          // instead of a page: why there is none
    double scale() const { return scaleFor(page_); }  // 1: true size
    double scaleFor(const QSizeF& millimetres) const;
    double pixelsPerMm() const;  // at true size on this screen, logical
    QSizeF pageSize() const { return page_; }
    QSize sizeHint() const override { return {680, 330}; }
    QSize minimumSizeHint() const override { return {360, 200}; }

Q_SIGNALS:
    // The user dragged the corner or the lower edge.
    void resized(const QSizeF& millimetres);
    void scaleChanged(double scale);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    enum class Grip { none, corner, bottom };
    QRectF pageRect() const;
    QRectF gripRect(Grip grip) const;
    Grip gripAt(const QPointF& place) const;

    QImage image_;
    QSizeF page_{174, 72};
    QString message_;
    double lastScale_ = 1;
    Grip grip_ = Grip::none;
    QPointF pressed_;
    QSizeF pressedSize_;
};

// A4 with two columns of grey lines and the figure where it would stand.
class PagePreview : public QWidget {
    Q_OBJECT

public:
    explicit PagePreview(QWidget* parent = nullptr);
    void setFigure(const QImage& image, const QSizeF& millimetres);
    QSize sizeHint() const override { return {240, 280}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QImage image_, small_;  // as given, and at the size it is drawn
    QSizeF size_{174, 72};
};

}  // namespace braid::ui
