#include "app/workbench/fit_process.h"

#include <QTimer>

#include "app/workbench/score_queue.h"
#include "core/launch/launcher.h"
#include "widgets/common/project_session.h"

namespace braid::ui {

namespace {

constexpr int patience_ms = 3'000;  // one that has not stopped by then is ended

// The engine ends with its error, after whatever else it had to tell.
QString lastSentence(const QByteArray& said) {
    QString words = QString::fromUtf8(said).trimmed();
    const QString sign = QStringLiteral("braid-engine: ");
    if (const qsizetype at = words.lastIndexOf(sign); at >= 0) words = words.mid(at + sign.size());
    return words.isEmpty() ? FitProcess::tr("the engine ended without saying why") : words;
}

}  // namespace

FitProcess::FitProcess(const ProjectSession& session, QString program, QObject* parent)
    : FitCommands(parent), session_(session), program_(std::move(program)) {
    if (!program_.isEmpty()) return;
    if (const Result<std::string> engine = find_engine())
        program_ = QString::fromStdString(*engine);
    else
        unavailable_ = QString::fromStdString(describe(engine.error()));
}

FitProcess::~FitProcess() { drop(); }

void FitProcess::drop() {
    if (!process_) return;
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished(patience_ms);
    delete process_;
}

void FitProcess::fit(const QString& study, const QString& metric) {
    drop();
    said_.clear();
    cancelling_ = false;
    process_ = new QProcess(this);
    process_->setProcessChannelMode(QProcess::SeparateChannels);
    process_->setStandardOutputFile(QProcess::nullDevice());
    connect(process_, &QProcess::readyReadStandardError, this, &FitProcess::read);
    connect(process_, &QProcess::finished, this, &FitProcess::finished);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) Q_EMIT ended(process_->errorString(), false);
    });
    Q_EMIT progress(-1, {});
    process_->start(
        program_, {QStringLiteral("study"), QStringLiteral("fit"), study, QStringLiteral("--metric"), metric,
                   QStringLiteral("--project"), session_.folder()});
}

void FitProcess::cancel() {
    if (!process_ || process_->state() == QProcess::NotRunning) return;
    cancelling_ = true;
    process_->terminate();
    QTimer::singleShot(patience_ms, process_, [process = process_] {
        if (process && process->state() != QProcess::NotRunning) process->kill();
    });
}

void FitProcess::read() {
    said_ += process_->readAllStandardError();
    // What is written over in place counts as lines, too.
    said_.replace('\r', '\n');
    const ScoreProgress now = scoreProgress(said_.toStdString());
    if (now.fraction >= 0) Q_EMIT progress(now.fraction, now.text);
}

void FitProcess::finished(int code, QProcess::ExitStatus status) {
    const bool well = status == QProcess::NormalExit && code == 0;
    Q_EMIT ended(well || cancelling_ ? QString() : lastSentence(said_), cancelling_ && !well);
}

}  // namespace braid::ui
