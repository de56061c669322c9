#include "app/workbench/score_queue.h"

#include <QRegularExpression>
#include <algorithm>
#include <csignal>

#include "core/base/file.h"

namespace braid::ui {

namespace {

bool isMeasurement(const ScoreJob& job) { return job.request.isMeasurement(); }

std::string answersFolder(const ScoreJob& job, const RunFolder& folder) {
    return isMeasurement(job) ? folder.measurements_folder() : folder.path() + "/scores";
}

std::string logFile(const ScoreJob& job, const RunFolder& folder) {
    return answersFolder(job, folder) + (isMeasurement(job) ? "/measure.log" : "/eval.log");
}

// The engine ends with its error, after whatever else it had to tell.
QString lastSentence(std::string words) {
    while (words.ends_with('\n')) words.pop_back();
    constexpr std::string_view sign = "braid-engine: ";
    if (const std::size_t at = words.rfind(sign); at != std::string::npos) words.erase(0, at + sign.size());
    return QString::fromStdString(words);
}

}  // namespace

QStringList scoreWords(const ScoreRequest& request, const QString& projectFolder) {
    QStringList words{
        request.isMeasurement() ? QStringLiteral("measure") : QStringLiteral("eval"), request.kind,
        QStringLiteral("%1@%2").arg(QString::fromStdString(request.run.str())).arg(request.step)};
    words << request.options << QStringLiteral("--project") << projectFolder;
    return words;
}

ScoreProgress scoreProgress(const std::string& output) {
    static const QRegularExpression line(QStringLiteral("^ *(\\d{1,3})%  ?(.*)$"),
                                         QRegularExpression::MultilineOption);
    ScoreProgress progress;
    auto matches = line.globalMatch(QString::fromStdString(output));
    while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        progress.fraction = std::min(100, match.captured(1).toInt()) / 100.0;
        progress.text = match.captured(2).trimmed();
    }
    return progress;
}

void ScoreQueue::add(const ScoreJob& job, const RunFolder& folder, const QString& projectFolder) {
    waiting_.push_back({job, folder, scoreWords(job.request, projectFolder)});
    Q_EMIT changed(job);
    startNext();
}

void ScoreQueue::cancel(int job) {
    if (current_ && current_->job.id == job) {
        if (!process_) return;
        cancelling_ = true;
        current_->job.text = tr("stopping");
        Q_EMIT changed(current_->job);
        signal_process(process_->identity(), SIGTERM);
        return;
    }
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [job](const Item& item) { return item.job.id == job; });
    if (found == waiting_.end()) return;
    ScoreJob cancelled = found->job;
    waiting_.erase(found);
    cancelled.state = ScoreJob::State::cancelled;
    Q_EMIT changed(cancelled);
}

void ScoreQueue::startNext() {
    while (!current_ && !waiting_.empty()) {
        current_ = std::move(waiting_.front());
        waiting_.pop_front();
        cancelling_ = false;
        LaunchRequest request{.log_file = logFile(current_->job, current_->folder)};
        for (const QString& word : current_->words) request.arguments.push_back(word.toStdString());
        Result<void> made = make_folder(answersFolder(current_->job, current_->folder));
        Result<EngineProcess> process = made ? EngineProcess::start(request) : fail(made.error());
        if (!process) {
            current_->job.state = ScoreJob::State::failed;
            current_->job.text = QString::fromStdString(describe(process.error()));
            Q_EMIT changed(current_->job);
            Q_EMIT failed(process.error());
            current_.reset();
            continue;
        }
        process_ = std::move(*process);
        current_->job.state = ScoreJob::State::running;
        Q_EMIT changed(current_->job);
    }
}

void ScoreQueue::ended(int code) {
    ScoreJob& job = current_->job;
    if (cancelling_ && code != 0) {
        job.state = ScoreJob::State::cancelled;
        job.text.clear();
    } else if (code == 0) {
        job.state = ScoreJob::State::done;
        job.fraction = 1;
        job.text.clear();
    } else {
        job.state = ScoreJob::State::failed;
        job.text = lastSentence(process_->last_words());
        if (job.text.isEmpty()) job.text = tr("the engine ended with code %1").arg(code);
        std::string what = isMeasurement(job) ? "measurement " : "score ";
        what.append(job.request.kind.toStdString()).append(" of run ").append(job.request.run.str());
        what.append(": ").append(job.text.toStdString());
        Q_EMIT failed({.kind = ErrorKind::internal,
                       .message = what,
                       .path = {},
                       .hint = "All of it: " + logFile(job, current_->folder)});
    }
    Q_EMIT changed(job);
    current_.reset();
    process_.reset();
}

void ScoreQueue::poll() {
    if (current_ && process_) {
        if (const std::optional<int> code = process_->poll()) {
            ended(*code);
        } else if (!cancelling_) {
            const ScoreProgress progress = scoreProgress(process_->last_words(4'000));
            if (progress.fraction >= 0 &&
                (progress.fraction != current_->job.fraction || progress.text != current_->job.text)) {
                current_->job.fraction = progress.fraction;
                current_->job.text = progress.text;
                Q_EMIT changed(current_->job);
            }
        }
    }
    startNext();
}

}  // namespace braid::ui
