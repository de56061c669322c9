// Fits of scaling laws for the window: `braid-engine study fit` as a child process.
#pragma once

#include <QByteArray>
#include <QPointer>
#include <QProcess>

#include "widgets/scaling/fit_commands.h"

namespace braid::ui {

class ProjectSession;

class FitProcess : public FitCommands {
    Q_OBJECT

public:
    // `program` empty: find_engine().
    explicit FitProcess(const ProjectSession& session, QString program = {}, QObject* parent = nullptr);
    ~FitProcess() override;

    void fit(const QString& study, const QString& metric) override;
    void cancel() override;
    QString unavailableReason() const override { return unavailable_; }

private:
    void read();
    void finished(int code, QProcess::ExitStatus status);
    void drop();

    const ProjectSession& session_;
    QString program_, unavailable_;
    QPointer<QProcess> process_;
    QByteArray said_;
    bool cancelling_ = false;
};

}  // namespace braid::ui
