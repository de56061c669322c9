// Likelihood profiles of an exponent: how much worse the fit gets where it is held, a curve each.
#pragma once

#include <QWidget>

#include "widgets/scaling/scaling_content.h"

namespace braid::ui {

class ProfileChart : public QWidget {
    Q_OBJECT

public:
    explicit ProfileChart(QWidget* parent = nullptr);
    void show(const ScalingContentPtr& content, const QString& exponent);
    bool isEmpty() const { return profiles_.empty(); }
    QSize sizeHint() const override { return {200, 150}; }
    QSize minimumSizeHint() const override { return {160, 130}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ScalingContentPtr content_;
    std::vector<std::pair<const ScalingProfile*, int>> profiles_;  // and their colour
};

}  // namespace braid::ui
