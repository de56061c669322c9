// What the table of runs can show of a run: state, metrics, headline numbers of scores, and the settings in
// which the shown runs differ.
#pragma once

#include <QString>
#include <QStringList>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "widgets/common/run_view.h"

namespace braid::ui {

enum class RunsColumnKind { identity, state, metric, score, setting };

struct RunsColumn {
    QString id;     // "loss", "score/niah/niah-average", "swa.window": filters and settings name it
    QString title;  // "NIAH average"
    RunsColumnKind kind = RunsColumnKind::setting;
    bool numeric = false;
    bool differs = false;  // a setting in which the runs differ
    int better = 0;        // -1: lower is better, 1: higher, 0: neither
    QString unit = {};     // of scores: "%"
    bool operator==(const RunsColumn&) const = default;
};

// A cell as people read it, and as it is compared; a missing value has no text.
struct RunsCell {
    QString text;
    double number = std::numeric_limits<double>::quiet_NaN();
    bool missing() const { return text.isEmpty(); }
};

// Settings of a plan by id. Made once a plan: plans never change.
using RunSettings = std::map<std::string, RunsCell>;
RunSettings settingsOf(const RunPlan& plan);
// "Learning rate", "Window of sliding window", "Data: pools"
QString settingTitle(const std::string& id);

class RunsCatalogue {
public:
    // All columns for these runs: identity, state, metrics, scores, then settings, differing ones first.
    std::vector<RunsColumn> columns(const std::vector<RunPointer>& runs);
    RunsCell cell(const RunPointer& run, const RunsColumn& column);

private:
    const RunSettings& settings(const std::shared_ptr<const RunPlan>& plan);
    std::map<std::shared_ptr<const RunPlan>, RunSettings> settings_;
};

}  // namespace braid::ui
