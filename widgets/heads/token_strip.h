// The text around the cursor, a chip for each token, coloured by its weight: keys of the locked row, or the
// query's own surroundings. A click moves the cursor there; with the keyboard Left and Right.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/heads/heads_state.h"

namespace braid::ui {

class TokenStrip : public QWidget {
    Q_OBJECT

public:
    enum class Axis { keys, queries };
    TokenStrip(Axis axis, HeadSide side, HeadsState& state, QWidget* parent = nullptr);

    QString text() const;                     // of the tokens shown
    QRectF chipOf(std::int64_t token) const;  // empty: it is not shown
    QSize sizeHint() const override { return {300, 2 * line_height + 8}; }
    QSize minimumSizeHint() const override { return {120, line_height + 8}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    static constexpr int line_height = 23;
    struct Chip {
        std::int64_t token;
        QRectF rect;
        QString text;
    };
    void arrange();
    std::int64_t centre() const;
    void go(std::int64_t token);

    Axis axis_;
    HeadSide side_;
    HeadsState& state_;
    std::vector<Chip> chips_;
};

}  // namespace braid::ui
