// A capture: what every head of a checkpoint looks at over one text, as it lies on disk. A folder
// <run folder>/captures/<id>/; of a checkpoint that belongs to no run <its folder>/captures/<id>/. It holds
// capture.json, which says of which text and which heads, and a file for each head
// (core/attention/capture_file.h): of every head one tile of the whole text, of the heads that were asked for
// in detail everything that zooms down to single tokens.
//
//   {"schema_version": 1, "created": .., "command": .., "checkpoint": {"run", "step", ..}, "tokens_seen": n,
//    "settings": {everything that fixes it}, "source": "needle" | "prompt" | "tokens",
//    "tokens": [ids], "texts": ["The", " ferry", ..], "needles": [{"begin", "end", "label"}],
//    "answer": {"begin", "end"}, "documents": [first token of each], "trained_context": n | null,
//    "notes": ["one sentence", ..], "layers": [{"mixer": "full", "heads": n}, ..],
//    "heads": [{"layer", "head", "mixer", "implied", "window", "has_sink", "factors", "finest",
//               "scores": {"needle", "entropy", "sink", "far"}, "file": "8.3.att"}, ..]}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/record/run_plan.h"

namespace braid {

inline constexpr int capture_schema_version = 1;

enum class CaptureSource { needle, prompt, tokens };

// Tokens [begin, end) of the text.
struct CaptureSpan {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool operator==(const CaptureSpan&) const = default;
};

struct CaptureNeedle {
    CaptureSpan span = {};
    std::string label = {};  // "7482915": what the needle says
    bool operator==(const CaptureNeedle&) const = default;
};

struct CaptureLayer {
    std::string mixer = {};  // ids of its mixers: "full", or "full+gdn" where its heads are mixed
    std::int64_t heads = 0;
    bool operator==(const CaptureLayer&) const = default;
};

// Of the last query of the text, from its shares; of recurrent heads from the magnitudes of the implied row,
// divided by their sum. Absent where there is none (no needle, no sink, a text that is too short).
struct CaptureScores {
    std::optional<double> needle = {};   // attention mass on the needles (D.4)
    std::optional<double> entropy = {};  // D.4: 0: one key, 1: all visible keys alike
    std::optional<double> sink = {};     // share of the sink
    std::optional<double> far = {};      // largest share at far_distance() or beyond
    bool operator==(const CaptureScores&) const = default;
};

// 128 tokens, or an eighth of a short text.
std::int64_t far_distance(std::int64_t tokens);

struct CaptureHead {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    std::string mixer = {};   // MixerKind::id
    bool implied = false;     // the matrix that a recurrence implies, not one that the model computes
    std::int64_t window = 0;  // keys that a query sees, itself among them; 0: all before it
    bool has_sink = false;
    bool factors = false;  // its file holds the factors: any row is exact at any zoom
    int finest = 0;        // level of the finest tiles in its file; 0: single tokens
    CaptureScores scores = {};
    std::string file = {};  // "8.3.att", beside capture.json
    bool operator==(const CaptureHead&) const = default;
};

struct Capture {
    std::string created = {};  // ISO 8601, UTC
    std::string command = {};  // that makes it again
    WeightsOrigin checkpoint = {};
    std::optional<std::int64_t> tokens_seen = {};  // by the checkpoint in its training, where that is known
    Json settings = Json::object();
    CaptureSource source = CaptureSource::needle;
    std::vector<std::int64_t> tokens = {};
    std::vector<std::string> texts = {};  // UTF-8, one for each token; of synthetic tasks the numbers
    std::vector<CaptureNeedle> needles = {};
    std::optional<CaptureSpan> answer = {};            // in the needle: what the model is asked to say
    std::vector<std::int64_t> documents = {};          // first token of each, ascending
    std::optional<std::int64_t> trained_context = {};  // tokens; absent: not known
    std::vector<std::string> notes = {};               // "The text is longer than ..."
    std::vector<CaptureLayer> layers = {};
    std::vector<CaptureHead> heads = {};  // every head of every layer, in order
    std::string folder = {};              // where it was read from; no part of the content
    const CaptureHead* find(std::int64_t layer, std::int64_t head) const;  // null: there is none
    bool operator==(const Capture&) const = default;
};

Json to_json(const Capture& capture);
// Syntax, types, places outside the text, heads that no layer has, names of files that leave the folder,
// unknown keys: all problems at once.
Checked<Capture> capture_from_json(const Json& json);

// "step-00000400.1f2e3d4c": capturing again with the same settings replaces the folder.
std::string capture_id(const Capture& capture);
// "8.3.att"
std::string capture_file_name(std::int64_t layer, std::int64_t head);

// From <folder>/capture.json. The files of the heads are not looked at.
Result<Capture> read_capture(const std::string& folder);
// Writes <folder>/capture.json; the folder must exist.
Result<void> write_capture_description(const std::string& folder, const Capture& capture);

struct CaptureList {
    std::vector<Capture> captures = {};  // by step, then by name of folder
    std::vector<Error> problems = {};    // of folders that could not be read; the others are not harmed
};
// All captures in a folder of captures; one that does not exist has none, unfinished ones are left out.
CaptureList list_captures(const std::string& folder_of_captures);

}  // namespace braid
