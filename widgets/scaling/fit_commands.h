// What the Scale workspace may ask of an engine. The main program implements it with a child process; tests
// implement it with a recorder. Calls return at once.
#pragma once

#include <QObject>
#include <QString>

namespace braid::ui {

class FitCommands : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // `braid-engine study fit STUDY --metric METRIC`; one at a time: a later one ends an earlier one.
    virtual void fit(const QString& study, const QString& metric) = 0;
    virtual void cancel() = 0;
    // Why nothing can be fitted now ("braid-engine not found ..."); empty: all is well.
    virtual QString unavailableReason() const = 0;

Q_SIGNALS:
    void progress(double fraction, const QString& text);  // a negative fraction: not known yet
    // `problem` empty: the record is written. Also after cancel(), with `cancelled`.
    void ended(const QString& problem, bool cancelled);
};

inline QString fitCommand(const QString& study, const QString& metric) {
    return QStringLiteral("braid-engine study fit %1 --metric %2").arg(study, metric);
}

}  // namespace braid::ui
