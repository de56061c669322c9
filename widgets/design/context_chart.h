// One cost against context, log-log: this design solid, what it is compared with dashed and dotted, a marker
// at the chosen context.
#pragma once

#include <QString>
#include <QVector>
#include <QWidget>
#include <functional>
#include <vector>

namespace braid::ui {

struct ContextLine {
    enum class Stroke { solid, dashed, dotted };
    QString label;
    Stroke stroke = Stroke::solid;
    std::vector<std::pair<double, double>> points;  // context, cost; ascending
    bool own = false;                               // the design itself
};

class ContextChart : public QWidget {
    Q_OBJECT

public:
    enum class Unit { bytes, quantity };
    ContextChart(const QString& title, const QString& note, Unit unit, QWidget* parent = nullptr);

    void setLines(QVector<ContextLine> lines);
    const QVector<ContextLine>& lines() const { return lines_; }
    void setContext(std::int64_t context);
    // "128k: edge-24 684 MiB, base 786 MiB": the tool tip, and what a screen reader says.
    QString reading(double context) const;

    QSize sizeHint() const override { return {320, 200}; }
    QSize minimumSizeHint() const override { return {220, 160}; }

Q_SIGNALS:
    void contextChosen(std::int64_t context);  // a click: the nearest power of two

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Frame;
    Frame frame() const;
    QString amount(double value) const;
    void paintAxes(QPainter& painter, const Frame& frame) const;
    void paintLines(QPainter& painter, const Frame& frame) const;
    void paintLabels(QPainter& painter, const Frame& frame) const;
    void paintMarker(QPainter& painter, const Frame& frame) const;

    QString title_, note_;
    Unit unit_;
    QVector<ContextLine> lines_;
    std::int64_t context_ = 0;
    double hover_ = 0;  // context under the pointer; 0: none
};

}  // namespace braid::ui
