// Runs that train, with their progress, and the first of those that wait.
#pragma once

#include <QWidget>

#include "widgets/scaling/study_forecast.h"

namespace braid::ui {

class QueueList : public QWidget {
    Q_OBJECT

public:
    explicit QueueList(QWidget* parent = nullptr);
    void show(const ScalingContentPtr& content, const StudyForecast& forecast);
    QStringList lines() const;  // "full S5 at 100N 61 %"
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void chosen(int point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Line {
        int point = -1;  // -1: words alone
        QString name = {}, note = {};
        bool working = false;
        bool failed = false;
    };
    int lineAt(double y) const;
    int heightOf(const Line& line) const;

    ScalingContentPtr content_;
    std::vector<Line> lines_;
};

}  // namespace braid::ui
