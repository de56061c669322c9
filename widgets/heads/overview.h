// The whole text as one tile with what the maps show of it; a click or a drag moves them.
#pragma once

#include <QImage>
#include <QWidget>

#include "widgets/heads/heads_state.h"

namespace braid::ui {

class Overview : public QWidget {
    Q_OBJECT

public:
    Overview(HeadsState& state, TileStore& tiles, QWidget* parent = nullptr);
    ~Overview() override;
    QSize sizeHint() const override { return {98, 98}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void fetch();
    QRectF square() const;

    HeadsState& state_;
    TileStore& tiles_;
    QImage picture_;
};

// Colours with their values.
class ScaleBar : public QWidget {
    Q_OBJECT

public:
    explicit ScaleBar(HeadsState& state, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {200, 46}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    HeadsState& state_;
};

}  // namespace braid::ui
