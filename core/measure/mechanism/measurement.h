// Measurements of mechanism: questions to a checkpoint about how it works, each with one recorded answer.
// Kinds and parameters: core/spec/measurements.def; answers: core/record/measurement.h. Here is what they
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/corpus.h"
#include "core/data/tokenizer/tokenizer.h"
#include "core/engine/model.h"
#include "core/record/measurement.h"
#include "core/record/record_json.h"
#include "core/spec/measurement_kind.h"

namespace braid {

struct MeasureInput {
    const MeasurementKind& kind;
    ParameterValues values = {};  // of the kind; checked by measure()
    WeightsOrigin checkpoint = {};
    ArchitectureSpec architecture = {};
    std::optional<RunFolder> run = {};  // that wrote the checkpoint
    std::optional<RunPlan> plan = {};
    std::string project_folder = {};  // where relative paths of the plan start
    std::optional<std::int64_t> trained_context = {};
    std::shared_ptr<const Tokenizer> tokenizer = {};  // of a model of text; null: there is none
    std::optional<Corpus> corpus = {};                // where its texts come from
    bool on_cpu = true;
    bool allow_long = false;  // contexts beyond longest_on_cpu
    // The model of a checkpoint's folder; without `trainable` it has no gradients.
    std::function<Result<std::unique_ptr<Model>>(const std::string& folder, bool trainable)> open = {};
    // Another checkpoint that a parameter names.
    std::function<Result<WeightsOrigin>(const std::string& text)> find = {};
    // Told what is being done and how much of it is done, 0 to 1; false stops.
    std::function<bool(double fraction, const std::string& text)> progress = {};

    std::int64_t integer(std::string_view key) const { return values.integer(key, kind.parameters); }
    double real(std::string_view key) const { return values.real(key, kind.parameters); }
    std::string text(std::string_view key) const { return values.text(key, kind.parameters); }
    bool go_on(double fraction, const std::string& text) const {
        return !progress || progress(fraction, text);
    }
};

struct Measured {
    Json settings = Json::object();  // besides the parameters: what fixes the answer
    std::vector<MeasuredArray> arrays = {};
    std::vector<ScoreSummary> summary = {};
    std::vector<std::string> notes = {};
    Json answer = Json::object();  // the same in the short form of `braid-engine measure --json`
};

// The answer, without `created` and `command`. Errors: invalid_input (everything that is wrong with the
// parameters, at once), interrupted, out_of_memory, those of the kind.
struct MeasuredRecord {
    MeasurementRecord record = {};
    Json answer = Json::object();
};
Result<MeasuredRecord> measure(const MeasureInput& input);

#define BRAID_MEASUREMENT(id) Result<Measured> measure_##id(const MeasureInput& input);
#include "core/spec/measurements.def"
#undef BRAID_MEASUREMENT

// Tokens of a sample that a CPU is not asked for by accident.
inline constexpr std::int64_t longest_on_cpu = 65'536;

// The context of the samples: the parameter, or that of the training. One that is longer than the training's
// becomes a note. Errors: invalid_input (not known; longer than longest_on_cpu on a CPU, with an estimate).
Result<std::int64_t> sample_context(const MeasureInput& input, Measured& measured);

// Problems of a task's parameters: what a run calls training.context is a parameter of the measurement.
Diagnostics as_of_measurement(Diagnostics problems);

// Error: invalid_input, where the tokenizer of a model of text is not known.
Result<void> check_tokenizer(const MeasureInput& input);

Error stopped();  // ErrorKind::interrupted

// "2048", "0.1,0.3": the numbers of a list, with everything that is wrong; `key` is its place in messages.
Checked<std::vector<double>> parse_numbers(const std::string& text, const std::string& key, double least,
                                           double most);

// Axes and arrays that many kinds have.
MeasuredAxis layer_axis(const ArchitectureSpec& spec);
MeasuredAxis number_axis(const char* name, const char* unit, const std::vector<double>& ticks);
MeasuredAxis count_axis(const char* name, std::int64_t count);  // 0, 1, ..
// All values NaN.
MeasuredArray empty_array(const char* name, const char* unit, std::vector<MeasuredAxis> axes);
// The mixers of a layer: "swa", "full+gdn".
std::string mixers_of(const ArchitectureSpec& spec, std::size_t layer);
Json mixers_json(const ArchitectureSpec& spec);

// Tokens of equally long texts as [B, T], int64 on the CPU.
at::Tensor token_tensor(const std::vector<const std::vector<std::int32_t>*>& texts);

}  // namespace braid
