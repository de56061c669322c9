// What the Scale workspace shows: the study, the metric, the point that is read. Follows the project; the
// numbers are made on a thread of its own.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "widgets/common/throttle.h"
#include "widgets/scaling/scaling_content.h"

namespace braid::ui {

class LatestWorker;
class ProjectSession;

class ScalingChoice : public QObject {
    Q_OBJECT

public:
    explicit ScalingChoice(ProjectSession& session, QObject* parent = nullptr);
    ~ScalingChoice() override;

    ProjectSession& session() const { return session_; }
    void setActive(bool active);  // a hidden workspace makes nothing
    void refresh();               // soon

    QString study() const { return study_; }
    void setStudy(const QString& name);
    QString metric() const;
    void setMetric(const QString& metric);
    bool flops() const { return flops_; }
    void setFlops(bool flops);

    // Null: not made yet, or there is no study that can be read.
    const ScalingContentPtr& content() const { return content_; }
    // Index into the view's points; -1: none.
    int current() const { return current_; }
    void setCurrent(int point);
    const ScalingViewPoint* currentPoint() const;
    RunPointer runOf(int point) const;

Q_SIGNALS:
    void changed();         // content, or how it is shown
    void currentChanged();  // the point that is read

private:
    void make();
    void take(const ScalingContentPtr& content);
    void followStudies();

    ProjectSession& session_;
    QString study_;
    std::string metric_;
    bool flops_ = false, active_ = false;
    ScalingContentPtr content_;
    int current_ = -1;
    std::string currentKey_;  // of the point, which keeps its name when the study grows
    int asked_ = 0;           // answers to earlier questions are passed over
    Throttle throttle_;
    std::unique_ptr<LatestWorker> worker_;
};

}  // namespace braid::ui
