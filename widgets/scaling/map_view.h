// Two factors of a study against each other: a cell a pair of values, with mean, interval and number of runs.
// The arrow keys walk; a click or Return reads the cell's first point.
#pragma once

#include <QWidget>

#include "widgets/figure/study_map.h"
#include "widgets/scaling/scaling_content.h"

class QComboBox;
class QHBoxLayout;

namespace braid::ui {

class MapGrid : public QWidget {
    Q_OBJECT

public:
    explicit MapGrid(QWidget* parent = nullptr);
    void show(StudyMap map, const QString& metric);
    const StudyMap& map() const { return map_; }
    int current() const { return current_; }
    QRectF rectOf(int cell) const;
    QString textOf(int cell) const;
    QSize minimumSizeHint() const override { return {260, 160}; }

Q_SIGNALS:
    void chosen(int point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF area() const;
    int cellAt(const QPointF& place) const;
    void setCurrent(int cell);

    StudyMap map_;
    QString metric_;
    int current_ = -1;
};

class MapView : public QWidget {
    Q_OBJECT

public:
    explicit MapView(QWidget* parent = nullptr);
    void show(const ScalingContentPtr& content);
    // Why there is no map; empty: there is one.
    QString problem() const { return problem_; }
    MapGrid* grid() const { return grid_; }
    QComboBox* xChoice() const { return x_; }
    QComboBox* yChoice() const { return y_; }
    std::string wish() const;  // "eval/loss by budget and scale where ...", as a figure asks for it

Q_SIGNALS:
    void chosen(int point);

private:
    void refresh();

    ScalingContentPtr content_;
    std::vector<StudyFactor> factors_;
    QComboBox *x_, *y_;
    QHBoxLayout* line_;
    std::vector<std::pair<std::string, QComboBox*>> fixed_;
    MapGrid* grid_;
    QString problem_;
};

}  // namespace braid::ui
