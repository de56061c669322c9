// `braid-engine serve` as a child process: requests and answers of JSON-RPC, one message a line. Started when
// it is first needed, and again when it has ended by itself.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <functional>
#include <map>

#include "core/base/json.h"

namespace braid::ui {

class EngineChild : public QObject {
    Q_OBJECT

public:
    // `program` empty: find_engine().
    explicit EngineChild(QString program = {}, QObject* parent = nullptr);
    ~EngineChild() override;

    // Called with the request's id and the result, or the error object of JSON-RPC. Not at all when the child
    // ends before: then lost() tells.
    using Answer = std::function<void(int id, const Json* result, const Json* error)>;
    // Starts the child where there is none. Returns the request's id; the answer comes later.
    int request(const std::string& method, const Json& params, Answer answer);
    bool isRunning() const { return process_ && process_->state() != QProcess::NotRunning; }
    qint64 processId() const { return process_ ? process_->processId() : 0; }
    // Ends a child that does not do what it is told; lost() is not emitted.
    void kill();

Q_SIGNALS:
    void progress(int id, double fraction, const QString& text);
    // Ended by itself, with these requests unanswered.
    void lost(const QString& what, const QList<int>& unanswered);
    // Could not be started at all.
    void failedToStart(const QString& why);

private:
    void start();
    void read();
    void take(const QByteArray& line);
    void ended();

    QString program_;
    QProcess* process_ = nullptr;
    QByteArray buffer_, errors_;  // of its errors the last words
    int last_ = 0;
    std::map<int, Answer> waiting_;
};

}  // namespace braid::ui
