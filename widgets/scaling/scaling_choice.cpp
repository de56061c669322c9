#include "widgets/scaling/scaling_choice.h"

#include <QMetaObject>
#include <algorithm>

#include "widgets/common/latest_worker.h"
#include "widgets/common/project_session.h"

namespace braid::ui {

namespace {

constexpr int refresh_ms = 200;

}  // namespace

ScalingChoice::ScalingChoice(ProjectSession& session, QObject* parent)
    : QObject(parent),
      session_(session),
      throttle_(refresh_ms, this, [this] { make(); }),
      worker_(std::make_unique<LatestWorker>()) {
    const auto later = [this] {
        if (active_) throttle_.request();
    };
    connect(&session, &ProjectSession::runChanged, this, later);
    connect(&session, &ProjectSession::runRemoved, this, later);
    connect(&session, &ProjectSession::architecturesChanged, this, later);
    connect(&session, &ProjectSession::studiesChanged, this, &ScalingChoice::followStudies);
    connect(&session, &ProjectSession::opened, this, [this] {
        study_.clear();
        metric_.clear();
        take(nullptr);
        followStudies();
    });
    connect(&session, &ProjectSession::currentStudyChanged, this, &ScalingChoice::setStudy);
    study_ = session.currentStudy();
    followStudies();
}

ScalingChoice::~ScalingChoice() = default;

void ScalingChoice::setActive(bool active) {
    active_ = active;
    if (active) followStudies();
}

void ScalingChoice::refresh() { throttle_.request(); }

// A study with a grid before one without.
void ScalingChoice::followStudies() {
    const std::vector<StudyEntry>& studies = session_.studies();
    if (!session_.study(study_)) {
        study_.clear();
        for (const StudyEntry& entry : studies)
            if (entry.spec && (!entry.spec->budgets.empty() || !entry.spec->scales.empty()) &&
                study_.isEmpty())
                study_ = entry.name;
        if (study_.isEmpty() && !studies.empty()) study_ = studies.front().name;
    }
    if (active_) throttle_.request();
}

void ScalingChoice::setStudy(const QString& name) {
    if (name == study_ || !session_.study(name)) return;
    study_ = name;
    metric_.clear();
    take(nullptr);
    setCurrent(-1);
    if (active_) make();
}

QString ScalingChoice::metric() const {
    return QString::fromStdString(content_ && metric_.empty() ? content_->view.metric : metric_);
}

void ScalingChoice::setMetric(const QString& metric) {
    if (metric.toStdString() == metric_) return;
    metric_ = metric.toStdString();
    make();
}

void ScalingChoice::setFlops(bool flops) {
    if (flops == flops_) return;
    flops_ = flops;
    Q_EMIT changed();
}

void ScalingChoice::make() {
    const StudyEntry* entry = session_.study(study_);
    const int question = ++asked_;
    if (!entry || !entry->spec) return take(nullptr);
    ScalingRequest request{.folder = session_.folder().toStdString(),
                           .file = entry->file.toStdString(),
                           .spec = entry->spec,
                           .runs = session_.runsOfStudy(study_),
                           .metric = metric_,
                           .previous = content_};
    for (const ArchitectureEntry& architecture : session_.architectures())
        request.architectures[architecture.name.toStdString()] = architecture.spec;
    worker_->post(0, [this, question, request = std::move(request)] {
        ScalingContentPtr content = make_content(request);
        QMetaObject::invokeMethod(this, [this, question, content] {
            if (question == asked_) take(content);
        });
    });
}

void ScalingChoice::take(const ScalingContentPtr& content) {
    content_ = content;
    const int before = current_;
    current_ = -1;
    if (content_ && !currentKey_.empty()) {
        const std::vector<ScalingViewPoint>& points = content_->view.points;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (content_->state.points[points[i].point].planned.point.key == currentKey_) current_ = int(i);
    }
    Q_EMIT changed();
    if (before >= 0 || current_ >= 0) Q_EMIT currentChanged();
}

void ScalingChoice::setCurrent(int point) {
    if (!content_ || point >= int(content_->view.points.size())) point = -1;
    if (point == current_) return;
    current_ = point;
    const ScalingViewPoint* at = currentPoint();
    currentKey_ = at ? content_->state.points[at->point].planned.point.key : std::string();
    Q_EMIT currentChanged();
}

const ScalingViewPoint* ScalingChoice::currentPoint() const {
    return content_ && current_ >= 0 ? &content_->view.points[std::size_t(current_)] : nullptr;
}

RunPointer ScalingChoice::runOf(int point) const {
    if (!content_ || point < 0 || point >= int(content_->view.points.size())) return nullptr;
    return content_->runs[content_->view.points[std::size_t(point)].point];
}

}  // namespace braid::ui
