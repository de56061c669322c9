// HeadsChoice: what is asked of the engine, and how what it captured joins the rest.
#include <QApplication>
#include <QMetaObject>
#include <QPointer>
#include <algorithm>

#include "widgets/heads/heads_choice.h"

namespace braid::ui {

namespace {

constexpr std::int64_t all_heads_tokens = 4'096;  // as the engine has it

}  // namespace

CaptureRequest HeadsChoice::requestLike(const Capture& capture) const {
    CaptureRequest request{.run = RunId(capture.checkpoint.run), .step = capture.checkpoint.step.value};
    if (capture.checkpoint.run.empty()) request.folder = QString::fromStdString(capture.checkpoint.folder);
    if (const auto made = made_.find(QString::fromStdString(capture.folder)); made != made_.end()) {
        request = made->second;
        request.step = capture.checkpoint.step.value;
        request.heads.clear();
        return request;
    }
    const auto number = [&capture](const char* key) -> std::optional<double> {
        const auto at = capture.settings.find(key);
        if (at == capture.settings.end() || !at->is_number()) return {};
        return at->get<double>();
    };
    request.source = capture.source;
    if (capture.source == CaptureSource::needle) {
        request.sample = std::int64_t(number("sample").value_or(0));
        if (const auto seed = number("seed")) request.seed = std::int64_t(*seed);
        if (const auto context = number("context")) request.context = std::int64_t(*context);
        request.depth = number("depth");
    } else {
        request.source = CaptureSource::tokens;
        request.tokens = capture.tokens;
    }
    return request;
}

void HeadsChoice::captureAgain(HeadSide which) {
    const Side& mine = side(which);
    if (!mine.capture || !mine.head) return;
    CaptureRequest request = requestLike(*mine.capture);
    const auto tokens = std::int64_t(mine.capture->tokens.size());
    if (tokens > all_heads_tokens)  // of a short text the engine takes every head
        for (const CaptureHead& each : mine.capture->heads)
            if (isDetailed(each, tokens) || HeadPlaceOf(each.layer, each.head) == *mine.head)
                request.heads << headName(each);
    jobSide_ = which;
    jobIsNew_ = false;
    jobHead_ = mine.head;
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::captureDetail() {
    if (job_ && job_->active()) return;
    for (const HeadSide which : {HeadSide::b, HeadSide::a}) {
        const Side& mine = side(which);
        if (!mine.capture || !mine.head) continue;
        const auto tokens = std::int64_t(mine.capture->tokens.size());
        const CaptureHead* head = mine.capture->find(mine.head->first, mine.head->second);
        if (!head || isDetailed(*head, tokens)) continue;
        CaptureRequest request = requestLike(*mine.capture);
        request.heads << headName(*head);
        for (const CaptureHead& each : mine.capture->heads)
            if (isDetailed(each, tokens)) request.heads << headName(each);
        jobSide_ = which;
        jobIsNew_ = false;
        jobHead_ = mine.head;
        job_ = CaptureJob{.id = commands_.start(request), .request = request};
        Q_EMIT jobChanged();
        return;
    }
}

void HeadsChoice::pickCheckpoint(HeadSide which, std::int64_t step) {
    const CapturePointer like = leading();
    if (!like) return;
    std::optional<HeadPlaceOf> head = side(which).head ? side(which).head : this->head(state_.leading());
    if (const CapturePointer capture = find(run_, step, like.get(), head)) {
        show(which, capture, head);
        Q_EMIT openedChanged();
        return;
    }
    CaptureRequest request = requestLike(*like);
    request.step = step;
    // Of a short text the engine takes every head; of a long one this.
    if (head && std::int64_t(like->tokens.size()) > all_heads_tokens)
        request.heads = {QStringLiteral("%1.%2").arg(head->first).arg(head->second)};
    jobSide_ = which;
    jobIsNew_ = false;
    jobHead_ = head;
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::start(const CaptureRequest& request) {
    jobSide_ = HeadSide::b;
    jobIsNew_ = true;
    jobHead_.reset();
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::cancel() {
    if (job_ && job_->active()) commands_.cancel(job_->id);
}

void HeadsChoice::retry(bool allow_long) {
    if (!job_ || job_->active()) return;
    CaptureRequest request = job_->request;
    request.allow_long = allow_long;
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::dismiss() {
    if (!job_ || job_->active()) return;
    job_.reset();
    Q_EMIT jobChanged();
}

void HeadsChoice::jobArrived(const CaptureJob& job) {
    if (!job_ || job.id != job_->id) return;
    job_ = job;
    if (job.state == CaptureJob::State::done) openFolder(job.folder);
    if (job.state == CaptureJob::State::cancelled) job_.reset();
    Q_EMIT jobChanged();
}

// What was captured joins those that are known; the view stays where the text is the same.
void HeadsChoice::openFolder(const QString& folder) {
    QPointer<HeadsChoice> self(this);
    pool_.start([self, folder, job = *job_, which = jobSide_, isNew = jobIsNew_, head = jobHead_,
                 project = projects_] {
        Result<Capture> read = read_capture(folder.toStdString());
        QMetaObject::invokeMethod(
            qApp, [self, read = std::move(read), job, which, isNew, head, project]() mutable {
                if (!self || self->projects_ != project) return;
                if (!read) {
                    self->problem_ = QString::fromStdString(describe(read.error()));
                    Q_EMIT self->capturesChanged();
                    return;
                }
                read->checkpoint.run = job.request.run.str();
                if (job.request.run.empty()) read->checkpoint.folder = job.request.folder.toStdString();
                const auto capture = std::make_shared<const Capture>(*read);
                self->made_[QString::fromStdString(capture->folder)] = job.request;
                const RunPointer run = self->session_.run(job.request.run);
                std::erase_if(self->captures_, [&](const CaptureEntry& entry) {
                    return entry.capture->folder == capture->folder;
                });
                std::erase_if(self->damaged_, [&](const auto& file) {
                    return file.first.starts_with(capture->folder + "/");
                });
                self->captures_.insert(self->captures_.begin(),
                                       {job.request.run, run ? run->name : QString(), capture});
                if (isNew || !self->leading() || !sameText(*capture, *self->leading())) {
                    self->open(capture, head);
                } else {
                    self->show(which, capture, head);
                    // The other side may show another head of what was written anew.
                    const HeadSide other = which == HeadSide::a ? HeadSide::b : HeadSide::a;
                    if (const Side& beside = self->side(other);
                        beside.capture && beside.capture->folder == capture->folder)
                        self->show(other, capture, std::optional(beside.head));
                    self->markCaptured();
                    Q_EMIT self->openedChanged();
                }
                self->refresh();
                Q_EMIT self->capturesChanged();
            });
    });
}

}  // namespace braid::ui
