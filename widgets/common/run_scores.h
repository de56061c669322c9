// The scores of a run's checkpoints as the window shows them: the records, and each headline number over
// steps. Made on the reader thread, immutable.
#pragma once

#include <QMetaType>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/curve.h"
#include "core/record/score.h"

namespace braid::ui {

// A headline number over the steps of a run.
struct ScoreLine {
    QString title;  // "NIAH average"
    QString unit;   // "%", "nats", or nothing
    std::vector<std::int64_t> steps = {};
    std::vector<double> values = {};
};

struct RunScores {
    std::vector<ScoreRecord> records;  // by step, then by file name
    QString problem;                   // of files that cannot be read; empty: none
    // By metric name, "score/niah/niah-average". Of two scores of a step (other settings) the later one
    // counts.
    std::map<std::string, ScoreLine> lines;

    // The value at the last step that was scored.
    std::optional<double> latest(const std::string& metric) const;
};

using RunScoresPointer = std::shared_ptr<const RunScores>;

// Reads <run>/scores. Never null.
RunScoresPointer readRunScores(const RunFolder& folder);
// Changes whenever a score of the run was written or removed; 0: it has none. One look at the folder.
std::int64_t scoresStamp(const RunFolder& folder);

// "Needle in a haystack"; the id where no such kind is known.
QString scoreKindTitle(const std::string& kind);
// "83.0 %", "2.315 nats", "—"
QString scoreText(const std::optional<double>& value, const QString& unit);

// What a metric is called in lists: "Far recall", "NIAH average", "Validation loss"; the name itself where
// nothing better is known.
QString metricName(const std::string& metric);

}  // namespace braid::ui
