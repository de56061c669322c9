#include "app/workbench/capture_session.h"

#include <algorithm>

#include "app/workbench/command_text.h"
#include "core/launch/launcher.h"
#include "widgets/common/project_session.h"

namespace braid::ui {

namespace {

constexpr int stop_ms = 3'000;          // an engine that has not stopped by then is ended
constexpr std::size_t most_losses = 3;  // within loss_window_ms: then it is not started again by itself
constexpr qint64 loss_window_ms = 60'000;

std::string checkpointOf(const CaptureRequest& request) {
    if (!request.folder.isEmpty()) return request.folder.toStdString();
    std::string text = request.run.str();
    text.append("@").append(std::to_string(request.step));
    return text;
}

QString textIn(const Json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? QString::fromStdString(at->get<std::string>()) : QString();
}

}  // namespace

Json captureParameters(const CaptureRequest& request, const QString& projectFolder) {
    Json params = {{"checkpoint", checkpointOf(request)}};
    if (!projectFolder.isEmpty()) params["project"] = projectFolder.toStdString();
    switch (request.source) {
        case CaptureSource::needle:
            params["sample"] = request.sample;
            if (request.depth) params["depth"] = *request.depth;
            break;
        case CaptureSource::prompt:
            params["prompt"] = request.prompt.toStdString();
            break;
        case CaptureSource::tokens:
            params["tokens"] = request.tokens;
            break;
    }
    if (request.context) params["context"] = *request.context;
    if (request.seed) params["seed"] = *request.seed;
    if (request.heads == QStringList{QStringLiteral("all")} ||
        request.heads == QStringList{QStringLiteral("none")}) {
        params["heads"] = request.heads.front().toStdString();
    } else if (!request.heads.isEmpty()) {
        params["heads"] = Json::array();
        for (const QString& head : request.heads) params["heads"].push_back(head.toStdString());
    }
    if (request.allow_long) params["allow_long"] = true;
    return params;
}

CaptureSession::CaptureSession(const ProjectSession& session, QString program, QObject* parent)
    : CaptureCommands(parent), session_(session), child_(program) {
    clock_.start();
    if (program.isEmpty())
        if (const Result<std::string> engine = find_engine(); !engine)
            unavailable_ = QString::fromStdString(describe(engine.error()));
    connect(&child_, &EngineChild::progress, this, [this](int request, double fraction, const QString& text) {
        const auto job = requests_.find(request);
        if (job == requests_.end()) return;
        CaptureJob& mine = jobs_.at(job->second);
        if (mine.state == CaptureJob::State::stopping) return;
        mine.state = CaptureJob::State::running;
        mine.fraction = fraction;
        mine.text = text;
        Q_EMIT jobChanged(mine);
    });
    connect(&child_, &EngineChild::lost, this, &CaptureSession::lost);
    connect(
        &child_, &EngineChild::failedToStart, this,
        [this](const QString& why) {
            requests_.clear();
            const std::map<int, CaptureJob> failed = jobs_;
            for (const auto& [id, job] : failed) fail(id, why);
        },
        Qt::QueuedConnection);  // start() has returned the job's number by then
}

int CaptureSession::start(const CaptureRequest& request) {
    const int id = ++last_;
    jobs_[id] = CaptureJob{.id = id, .request = request};
    const int sent = child_.request(
        "capture", captureParameters(request, session_.folder()),
        [this](int answered, const Json* result, const Json* error) { finish(answered, result, error); });
    requests_[sent] = id;
    return id;
}

void CaptureSession::finish(int request, const Json* result, const Json* error) {
    const auto found = requests_.find(request);
    if (found == requests_.end()) return;
    const int id = found->second;
    requests_.erase(found);
    CaptureJob job = jobs_.at(id);
    if (result && result->is_object()) {
        job.state = CaptureJob::State::done;
        job.fraction = 1;
        job.text.clear();
        job.folder = textIn(*result, "folder");
        const auto seconds = result->find("seconds");
        if (seconds != result->end() && seconds->is_number()) job.seconds = seconds->get<double>();
        jobs_.erase(id);
        Q_EMIT jobChanged(job);
        return;
    }
    const Json none = Json::object();
    const Json& told = error && error->is_object() ? *error : none;
    const auto data = told.find("data");
    const Json& more = data != told.end() && data->is_object() ? *data : none;
    if (textIn(more, "kind") == QLatin1String("interrupted")) {
        job.state = CaptureJob::State::cancelled;
        job.text.clear();
        jobs_.erase(id);
        Q_EMIT jobChanged(job);
        return;
    }
    QString text = textIn(told, "message");
    // What is refused for its length alone names the option that allows it.
    jobs_.at(id).too_long = !job.request.allow_long && text.contains(QLatin1String("--allow-long"));
    if (const QString path = textIn(more, "path"); !path.isEmpty()) text = path + QStringLiteral(": ") + text;
    fail(id, text.isEmpty() ? tr("the engine refused the capture without a reason") : text,
         textIn(more, "hint"));
}

void CaptureSession::fail(int id, const QString& text, const QString& hint) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    CaptureJob job = found->second;
    jobs_.erase(found);
    job.state = CaptureJob::State::failed;
    job.text = text;
    job.hint = hint;
    Q_EMIT jobChanged(job);
}

void CaptureSession::cancel(int id) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    found->second.state = CaptureJob::State::stopping;
    Q_EMIT jobChanged(CaptureJob(found->second));
    int request = 0;
    for (const auto& [sent, job] : requests_)
        if (job == id) request = sent;
    if (request == 0) return;
    child_.request("cancel", {{"id", request}}, {});
    QTimer::singleShot(stop_ms, this, [this, id] {
        const auto late = jobs_.find(id);
        if (late == jobs_.end()) return;
        child_.kill();
        CaptureJob job = late->second;
        jobs_.erase(late);
        std::erase_if(requests_, [id](const auto& each) { return each.second == id; });
        job.state = CaptureJob::State::cancelled;
        Q_EMIT jobChanged(job);
        // Others that waited behind it are told what happened.
        const std::map<int, CaptureJob> others = jobs_;
        requests_.clear();
        for (const auto& [other, ignored] : others)
            fail(other, tr("the engine did not stop another capture and was ended"), tr("Try again."));
    });
}

// Its requests fail; the engine itself comes back, so that the next one finds it ready.
void CaptureSession::lost(const QString& what, const QList<int>& unanswered) {
    losses_.push_back(clock_.elapsed());
    while (!losses_.empty() && losses_.front() < clock_.elapsed() - loss_window_ms) losses_.pop_front();
    const bool again = losses_.size() <= most_losses;
    QList<int> failed;
    for (const int request : unanswered)
        if (const auto job = requests_.find(request); job != requests_.end()) {
            failed << job->second;
            requests_.erase(job);
        }
    if (again) child_.request("ping", Json::object(), {});
    for (const int id : failed) {
        // What was to be stopped has stopped.
        const auto found = jobs_.find(id);
        if (found != jobs_.end() && found->second.state == CaptureJob::State::stopping) {
            CaptureJob job = found->second;
            jobs_.erase(found);
            job.state = CaptureJob::State::cancelled;
            Q_EMIT jobChanged(job);
            continue;
        }
        fail(id, tr("the engine ended while it captured (%1)").arg(what));
    }
    Q_EMIT engineLost(what, again);
}

QString CaptureSession::commandFor(const CaptureRequest& request) const {
    QStringList words{QStringLiteral("braid-engine"), QStringLiteral("capture"),
                      shellQuoted(QString::fromStdString(checkpointOf(request)))};
    const auto option = [&words](const char* name, const QString& value) {
        words << QLatin1String(name) << shellQuoted(value);
    };
    switch (request.source) {
        case CaptureSource::needle:
            option("--sample", QString::number(request.sample));
            if (request.depth) option("--depth", QString::number(*request.depth));
            break;
        case CaptureSource::prompt:
            option("--prompt", request.prompt);
            break;
        case CaptureSource::tokens:
            option("--tokens", QStringLiteral("FILE.npy"));
            break;
    }
    if (request.context) option("--context", QString::number(*request.context));
    if (request.seed) option("--seed", QString::number(*request.seed));
    if (!request.heads.isEmpty()) option("--heads", request.heads.join(QLatin1Char(',')));
    if (!session_.folder().isEmpty()) option("--project", session_.folder());
    return words.join(QLatin1Char(' '));
}

}  // namespace braid::ui
