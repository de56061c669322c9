#include "app/workbench/engine_child.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/launch/launcher.h"

namespace braid::ui {

namespace {

constexpr qsizetype kept_errors = 4'096;
constexpr int farewell_ms = 300;  // for the child to end when we do
constexpr qsizetype longest_line = qsizetype{16} << 20;

// The last line of what an engine that failed had to say.
QString lastWords(const QByteArray& output) {
    const QList<QByteArray> lines = output.trimmed().split('\n');
    return lines.isEmpty() ? QString() : QString::fromUtf8(lines.last()).left(300);
}

}  // namespace

EngineChild::EngineChild(QString program, QObject* parent) : QObject(parent), program_(std::move(program)) {}

EngineChild::~EngineChild() {
    if (!process_) return;
    process_->disconnect(this);
    // Its input ends: it does, too. A capture that is being made is of no use to anybody any more.
    process_->closeWriteChannel();
    if (waiting_.empty() && process_->waitForFinished(farewell_ms)) return;
    process_->kill();
    process_->waitForFinished(farewell_ms);
}

void EngineChild::start() {
    QString program = program_;
    if (program.isEmpty()) {
        const Result<std::string> found = find_engine();
        if (!found) {
            Q_EMIT failedToStart(QString::fromStdString(describe(found.error())));
            return;
        }
        program = QString::fromStdString(*found);
    }
    delete process_;
    process_ = new QProcess(this);
    buffer_.clear();
    errors_.clear();
    connect(process_, &QProcess::readyReadStandardOutput, this, &EngineChild::read);
    connect(process_, &QProcess::readyReadStandardError, this,
            [this] { errors_ = (errors_ + process_->readAllStandardError()).right(kept_errors); });
    connect(process_, &QProcess::finished, this, &EngineChild::ended);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        waiting_.clear();
        Q_EMIT failedToStart(tr("%1: %2").arg(process_->program(), process_->errorString()));
    });
    process_->start(program, {QStringLiteral("serve")});
}

int EngineChild::request(const std::string& method, const Json& params, Answer answer) {
    const int id = ++last_;
    waiting_[id] = std::move(answer);
    if (!isRunning()) start();
    if (!process_ || process_->state() == QProcess::NotRunning) return id;
    const Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
    process_->write(
        QByteArray::fromStdString(message.dump(-1, ' ', false, Json::error_handler_t::replace)).append('\n'));
    return id;
}

void EngineChild::read() {
    buffer_ += process_->readAllStandardOutput();
    for (qsizetype end = buffer_.indexOf('\n'); end >= 0; end = buffer_.indexOf('\n')) {
        const QByteArray line = buffer_.left(end);
        buffer_.remove(0, end + 1);
        take(line);
    }
    if (buffer_.size() > longest_line) buffer_.clear();
}

void EngineChild::take(const QByteArray& line) {
    const Result<Json> message = parse_json(line.toStdString());
    if (!message || !message->is_object()) return;  // nothing of ours
    if (message->value("method", std::string()) == "progress") {
        const auto params = message->find("params");
        if (params == message->end() || !params->is_object()) return;
        const auto id = params->find("id"), fraction = params->find("fraction"), text = params->find("text");
        if (id == params->end() || !id->is_number_integer()) return;
        Q_EMIT progress(
            id->get<int>(), fraction != params->end() && fraction->is_number() ? fraction->get<double>() : -1,
            text != params->end() && text->is_string() ? QString::fromStdString(text->get<std::string>())
                                                       : QString());
        return;
    }
    const auto id = message->find("id");
    if (id == message->end() || !id->is_number_integer()) return;
    const auto found = waiting_.find(id->get<int>());
    if (found == waiting_.end()) return;
    const Answer answer = std::move(found->second);
    waiting_.erase(found);
    const auto result = message->find("result"), error = message->find("error");
    if (answer)
        answer(id->get<int>(), result != message->end() ? &*result : nullptr,
               error != message->end() ? &*error : nullptr);
}

void EngineChild::ended() {
    read();  // what it had still to say
    QList<int> unanswered;
    for (const auto& [id, answer] : waiting_) unanswered << id;
    waiting_.clear();
    QString what = process_->exitStatus() == QProcess::CrashExit ? tr("signal %1").arg(process_->exitCode())
                                                                 : tr("code %1").arg(process_->exitCode());
    if (const QString words = lastWords(errors_ + process_->readAllStandardError()); !words.isEmpty())
        what += QStringLiteral(": ") + words;
    Q_EMIT lost(what, unanswered);
}

void EngineChild::kill() {
    if (!process_) return;
    waiting_.clear();
    // It dies on its own: what is asked for next goes to a new one.
    process_->disconnect(this);
    connect(process_, &QProcess::finished, process_, &QObject::deleteLater);
    process_->kill();
    process_ = nullptr;
}

}  // namespace braid::ui
