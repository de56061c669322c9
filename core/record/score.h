// Scores of a checkpoint, as they lie on disk: one file <run folder>/scores/<id>.json for each kind of score
// and each choice of settings, and beside it <id>.jsonl with the answers that a model generated. A checkpoint
// that belongs to no run keeps them in <its folder>/scores/. The run's store is never touched: a run that is
// being trained can be scored meanwhile.
//
//   {"schema_version": 1, "kind": "niah", "created": .., "command": .., "checkpoint": {"run", "step", ..},
//    "settings": {everything that fixes the answer},
//    "scores": [{"name", "length", "depth", "value", "unit", "samples", "truncated", "standard_error",
//                "no_data", "left_out"}],
//    "summary": [{"name", "value", "unit"}], "series": {"position": [], "loss": []}, "answers": "<id>.jsonl"}
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/record/run_folder.h"
#include "core/record/run_plan.h"

namespace braid {

inline constexpr int score_schema_version = 1;

// A kind of score; a new one is a line in score.cpp.
struct ScoreKind {
    std::string_view id;     // "niah": ScoreRecord::kind, the verb of `braid-engine eval`
    std::string_view title;  // "Needle in a haystack"
};
std::span<const ScoreKind> score_kinds();
const ScoreKind* find_score_kind(std::string_view id);

// One measured number. `value` is absent where there is none: no data (`no_data` says why), or not finite.
struct Score {
    std::string name = {};                    // "niah_single_1", "loss", "PPL"
    std::optional<std::int64_t> length = {};  // tokens of context asked for
    std::optional<double> depth = {};         // 0: the beginning of the context, 1: its end
    std::optional<double> value = {};
    std::string unit = {};  // "%", "nats", or nothing
    std::int64_t samples = 0;
    std::int64_t truncated = 0;  // generations that ended at the limit of new tokens, texts that were cut
    std::optional<double> standard_error = {};  // of the value
    std::string no_data = {};                   // why there is no value: "needs --qa FILE"
    std::int64_t left_out = 0;                  // questions that did not fit: not among the samples
    bool operator==(const Score&) const = default;
};

// A headline number: a column of the table of runs, and over steps a curve of its own.
struct ScoreSummary {
    std::string name = {};  // "NIAH average"
    std::optional<double> value = {};
    std::string unit = {};
    bool operator==(const ScoreSummary&) const = default;
};
Json to_json(const ScoreSummary& summary);
ScoreSummary summary_from_json(const Json& json, const std::string& place, Diagnostics& problems);

// Mean loss by position in the context; all lists have one length, or are empty where nothing was measured.
struct LossSeries {
    std::vector<double> position = {};          // middle of each bucket, tokens from 0
    std::vector<double> loss = {};              // nats
    std::vector<double> standard_error = {};    // of the loss, over sequences
    std::vector<double> difference = {};        // this checkpoint minus the other
    std::vector<double> difference_error = {};  // standard error, paired over sequences
    bool operator==(const LossSeries&) const = default;
};

struct ScoreRecord {
    std::string kind = {};  // ScoreKind::id
    std::string created = {};
    std::string command = {};
    WeightsOrigin checkpoint = {};
    Json settings = Json::object();
    std::vector<Score> scores = {};
    std::vector<ScoreSummary> summary = {};
    std::optional<LossSeries> series = {};
    std::string answers = {};  // name of the file with the answers, beside this one; empty: none
    std::string file = {};     // where it was read from; no part of the content
    bool operator==(const ScoreRecord&) const = default;
};

Json to_json(const ScoreRecord& record);
// Syntax, types, ranges, unknown keys, a kind that is not known, a name of answers that leaves the folder:
// all problems at once.
Checked<ScoreRecord> score_from_json(const Json& json);

// "step-00000400.niah-1f2e3d4c": the same kind and settings at the same step give the same id.
std::string score_id(const ScoreRecord& record);
// "1f2e3d4c", the end of it: the same for all checkpoints that were scored with these settings.
std::string score_settings_hash(const ScoreRecord& record);
// "score/niah/niah-average": the name of a headline number's curve over steps.
std::string score_metric(std::string_view kind, std::string_view summary_name);

// What a model answered to one question.
struct ScoreAnswer {
    std::string task = {};
    std::optional<std::int64_t> length = {};
    std::optional<double> depth = {};         // that was asked for
    std::optional<double> actual_depth = {};  // where it came to lie, where that is known
    std::int64_t index = 0;                   // of the sample within task, length and depth
    std::string prompt_tail = {};             // the end of what was asked
    std::vector<std::string> expected = {};   // all that are accepted or wanted
    std::string answer = {};                  // as it was generated
    double correct = 0;                       // 0 .. 1; between them where a part was right
    bool truncated = false;                   // it ended at the limit of new tokens, or its prompt was cut
    bool operator==(const ScoreAnswer&) const = default;
};
Json to_json(const ScoreAnswer& answer);
Checked<ScoreAnswer> answer_from_json(const Json& json);

Result<ScoreRecord> read_score(const std::string& file);

// Writes <folder>/<id>.json, and <id>.jsonl where there are answers; each file is replaced at once, an
// earlier score of the same id with it. Bytes of answers that are no UTF-8 become U+FFFD. Returns the file
// of the score.
Result<std::string> write_score(const std::string& folder, ScoreRecord record,
                                std::span<const ScoreAnswer> answers = {});

struct ScoreList {
    std::vector<ScoreRecord> scores = {};  // by step, then by file name
    std::vector<Error> problems = {};      // of files that could not be read; the others are not harmed
};
// All scores in a folder; one that does not exist has none.
ScoreList read_scores(const std::string& folder);
ScoreList read_scores(const RunFolder& run);

// The answers of a score that was read from `file`; none where it has none. A broken line is named (corrupt).
Result<std::vector<ScoreAnswer>> read_answers(const ScoreRecord& record);

}  // namespace braid
