// The accuracy of each class as a small bar with its number beneath.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/common/measured_views.h"

namespace braid::ui {

class ClassBars : public QWidget {
    Q_OBJECT

public:
    explicit ClassBars(QWidget* parent = nullptr);
    void show(const std::vector<MeasuredCell>& classes);  // percent
    QString text(std::size_t index) const;                // "class 3: 75.0 % (60.1 to 85.9), 50 samples"
    QSize sizeHint() const override { return {220, 62}; }
    QSize minimumSizeHint() const override { return {120, 62}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    double pitch() const;
    std::vector<MeasuredCell> classes_;
};

}  // namespace braid::ui
