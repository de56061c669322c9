// The runs of a study as cells: a row a curve, a group a scale, a cell a budget (all its seeds). The arrow
// keys walk; a click or Return chooses.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/scaling/scaling_content.h"

namespace braid::ui {

class StudyGrid : public QWidget {
    Q_OBJECT

public:
    enum class State { planned, queued, running, finished, failed };
    struct Cell {
        std::size_t curve = 0, scale = 0;
        int column = 0;                // within its scale
        std::vector<int> points = {};  // of the view: one a seed
        int finished = 0;
        double progress = 0;           // of all its seeds
        State state = State::planned;  // the most pressing of them
        bool excluded = false;
    };

    explicit StudyGrid(QWidget* parent = nullptr);
    void show(const ScalingContentPtr& content);
    const std::vector<Cell>& cells() const { return cells_; }
    int current() const { return current_; }
    void setCurrentPoint(int point);  // without chosen()
    QRectF rectOf(int cell) const;
    QString textOf(int cell) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosen(int point);  // the first of the cell's

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    int cellAt(const QPointF& place) const;
    double nameWidth() const;
    void walk(int right, int down);
    void setCurrent(int cell);

    ScalingContentPtr content_;
    std::vector<Cell> cells_;  // row by row, from left to right
    std::vector<int> widest_;  // columns of each scale
    QStringList names_;        // of the rows
    int current_ = -1;
};

}  // namespace braid::ui
