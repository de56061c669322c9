// Tokens that each curve needs for the loss of the baseline, as a share of the baseline's: a dot with its
// interval about the line of 1.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/analysis/interval.h"

namespace braid::ui {

struct GainBar {
    QString name;
    int colour = 0;
    std::optional<double> share = {};  // tokens / tokens of the baseline; none: never reaches the loss
    std::optional<Interval> interval = {};
    QString warning = {};
};

class GainBars : public QWidget {
    Q_OBJECT

public:
    explicit GainBars(QWidget* parent = nullptr);
    void show(std::vector<GainBar> bars);
    const std::vector<GainBar>& bars() const { return bars_; }
    static QString text(const GainBar& bar);  // "0.93 ×"
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::vector<GainBar> bars_;
};

}  // namespace braid::ui
