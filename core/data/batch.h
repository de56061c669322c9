// What a run reads: training batches that are a pure function of (seed, step, place in the batch), so that a
// resume needs only the step and the device count changes nothing; and a fixed set to evaluate on.
// B sequences of a batch, T tokens of context.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/spec/data_kinds.h"
#include "core/spec/training.h"

namespace braid {

inline constexpr std::int32_t no_target = -1;  // a target that neither loss nor accuracy counts

// targets_BT[b, t] is the token that follows tokens_BT[b, 0..t]. Row-major, B x T each.
struct Batch {
    std::int64_t sequences = 0;  // B
    std::int64_t context = 0;    // T
    std::vector<std::int32_t> tokens_BT;
    std::vector<std::int32_t> targets_BT;
    bool operator==(const Batch&) const = default;
};

// One place of the evaluation set whose prediction is right or wrong.
struct Query {
    std::int32_t sequence = 0;  // b
    std::int32_t position = 0;  // t: the prediction at tokens[b, t] is compared with targets[b, t]
    std::int32_t distance = 0;  // tokens from the key's last occurrence to the value that is asked for
    std::int32_t group = 0;     // index into EvaluationSet::groups
};

// Long texts with their key tokens (core/data/key_tokens.h), as a model with one tokenizer reads them.
struct LongTextSet {
    Batch batch = {};
    // By sample: positions t whose target is a key token, that is: lies wholly in a span.
    std::vector<std::vector<std::int32_t>> keys = {};
    std::int64_t fewest = 10;  // samples with fewer key tokens are left out of the score
    // What the context leaves out.
    std::int64_t cut_texts = 0;  // longer than it
    std::int64_t cut_spans = 0;  // places with key tokens that reach beyond it
};

struct EvaluationSet {
    Batch batch;
    std::string loss_metric = {};          // "eval/loss": mean loss over all targets; empty: none asked
    std::vector<std::string> groups = {};  // metric that gets the accuracy of each group: "recall/near", ...
    std::vector<Query> queries = {};
    std::optional<LongTextSet> long_texts = {};  // "eval/log_longppl"
};

// starts_BT[b, t] = the position in sequence b at which the document of position t begins; 0 where it began
// before the sequence. For masks that keep attention inside documents and for resets of recurrent states: a
// query at t may look at keys from starts_BT[b, t] on. B x T each, T = context.
void document_starts(std::span<const std::int32_t> tokens_BT, std::int64_t context,
                     std::int32_t document_token, std::span<std::int32_t> starts_BT);

class DataSource {
public:
    virtual ~DataSource() = default;

    // One more than the largest token id that can occur: the smallest vocabulary a model needs.
    virtual std::int64_t vocab() const = 0;
    // Of the content a batch depends on (task and parameters, or the corpus' manifest): a resume compares it.
    virtual std::string fingerprint() const = 0;
    // Step s has the batch with index s, from 0. Writes sequences [first_sequence, first_sequence +
    // tokens.size() / T) of the step's batch; both spans hold a whole number of sequences. Safe to call from
    // several threads. Fails where a file of the corpus went away.
    virtual Result<void> fill(Step step, std::int64_t first_sequence, std::span<std::int32_t> tokens_BT,
                              std::span<std::int32_t> targets_BT) const = 0;
    // The same for every run with the same data and context, whatever its seed.
    virtual Result<EvaluationSet> evaluation() const = 0;
    // The token that opens every document (see document_starts()); -1: sequences are one document each.
    virtual std::int32_t document_token() const { return -1; }
    // Whether a token may see those of its own document alone.
    virtual bool separate_documents() const { return false; }
    // What a user should know before time is spent and that is no error: "no document is as long as the
    // context". One sentence each.
    virtual std::vector<std::string> notes() const { return {}; }

    std::int64_t context() const { return context_; }
    Result<Batch> batch(Step step, std::int64_t first_sequence, std::int64_t count) const;

protected:
    explicit DataSource(std::int64_t context) : context_(context) {}

private:
    std::int64_t context_;
};

// The data of a run, ready to read. `project_folder` is where a relative corpus path starts. Bad parameters
// are all listed (ErrorKind::invalid_input); a corpus that does not match its manifest is corrupt.
Result<std::unique_ptr<DataSource>> make_data_source(const DataSpec& data, const TrainingSpec& training,
                                                     const std::string& project_folder = {});

}  // namespace braid
