// What the Probe workspace shows: which runs, which of them is the current one, which kind of measurement.
// The runs are the session's selection; without one those that were measured.
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/measurement_kind.h"
#include "widgets/common/measured_views.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_measurements.h"

namespace braid::ui {

// One choice of the parameters of a kind of measurement.
struct MeasuredSettings {
    std::string key;
    QString text;  // what tells it from the others: "mode mean", "classes 8, samples 400"
};

class ProbeChoice : public QObject {
    Q_OBJECT

public:
    static constexpr std::size_t most_by_itself = 8;  // runs that are chosen without being asked for

    explicit ProbeChoice(ProjectSession& session, QObject* parent = nullptr);

    // Reads the session again: after it changed.
    void refresh();
    // Runs with a checkpoint or a measurement, oldest first.
    const std::vector<RunPointer>& candidates() const { return candidates_; }
    const std::vector<RunPointer>& chosen() const { return chosen_; }  // in that order
    RunPointer current() const { return current_; }                    // one of them, or null
    bool isChosen(const RunId& run) const;
    void setChosen(const RunId& run, bool chosen);
    void setCurrent(const RunId& run);  // chooses it, too

    const std::string& kind() const { return kind_; }
    void setKind(const std::string& kind);

    // Steps of which a chosen run has measurements, and which of them is shown; none: the last of each run.
    std::vector<std::int64_t> steps() const;
    std::optional<std::int64_t> step() const { return step_; }
    void setStep(std::optional<std::int64_t> step);
    // Of the kind that is shown: choices of its parameters that the chosen runs were measured with, in order
    // of key; one or none: there is nothing to choose.
    const std::vector<MeasuredSettings>& settings() const { return settings_; }
    std::string settingsKey() const;  // of the one that is shown; empty: the newest of each run
    void setSettings(const std::string& key);
    // Hashes of the settings that are shown of this kind, with commas between them; empty: the newest.
    std::string pinnedSettings(const std::string& kind) const;

    // Classifiers of probing that the shown records compare; fewer than two: there is nothing to choose. The
    // one whose accuracy and gain are shown; empty: the first.
    QStringList classifiers() const;
    QString classifier() const { return classifier_; }
    void setClassifier(const QString& title);

    // Of the chosen runs that have one, the last record of this kind, step and settings; of probing with the
    // accuracy of the classifier that is shown.
    std::vector<MeasuredRun> measured(const std::string& kind) const;
    // Of the current run alone; empty: it has none.
    std::vector<MeasuredRun> measuredCurrent(const std::string& kind) const;
    bool any() const;         // a chosen run was measured
    QString problem() const;  // of files that cannot be read, of the chosen runs

Q_SIGNALS:
    void changed();

private:
    void findSettings();
    const MeasurementRecord* record(const RunPointer& run, const std::string& kind) const;
    void store(const std::vector<RunPointer>& chosen, const RunPointer& current);

    ProjectSession& session_;
    std::vector<RunPointer> candidates_, chosen_;
    RunPointer current_;
    std::string kind_ = "probe";
    std::optional<std::int64_t> step_;
    std::vector<MeasuredSettings> settings_;
    std::map<std::string, std::string> wanted_settings_;  // key by kind
    QString classifier_;
    // Records with the values of that classifier, by the record that they were made of.
    mutable std::map<const MeasurementRecord*, std::shared_ptr<const MeasurementRecord>> classified_;
};

// Kinds that this workspace shows: all but whole matrices of attention.
std::vector<const MeasurementKind*> probeKinds();

}  // namespace braid::ui
