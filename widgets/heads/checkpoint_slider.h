// The checkpoints of a run on a line of tokens, with a handle for each map; above it the entropy of the head,
// where the run was traced. Tab goes from handle to handle, Left and Right to the neighbouring checkpoint.
#pragma once

#include <QPointF>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "widgets/heads/heads_choice.h"

namespace braid::ui {

class CheckpointSlider : public QWidget {
    Q_OBJECT

public:
    explicit CheckpointSlider(QWidget* parent = nullptr);

    void setCheckpoints(std::vector<CheckpointMark> marks);
    void setSteps(std::optional<std::int64_t> a, std::optional<std::int64_t> b);
    void setEntropy(std::vector<QPointF> line);  // tokens, H
    double handleX(HeadSide side) const;         // of its middle
    double xOf(std::int64_t step) const;
    QString summary() const { return summary_; }
    HeadSide currentHandle() const { return current_; }
    QSize sizeHint() const override { return {400, line_.empty() ? 48 : 74}; }
    QSize minimumSizeHint() const override { return {160, line_.empty() ? 48 : 74}; }

Q_SIGNALS:
    // By the user, when the handle is let go. B may be told before it has a step: it was pulled off A.
    void chosen(braid::ui::HeadSide side, std::int64_t step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF track() const;
    double xOfTokens(double tokens) const;
    std::int64_t nearest(double x) const;
    std::optional<std::int64_t>& step(HeadSide side) { return steps_[std::size_t(side)]; }
    void describe();

    std::vector<CheckpointMark> marks_;
    std::array<std::optional<std::int64_t>, 2> steps_;
    std::vector<QPointF> line_;
    QString summary_;
    HeadSide current_ = HeadSide::a;
    std::optional<HeadSide> dragged_;
    std::int64_t draggedTo_ = 0;
};

}  // namespace braid::ui
