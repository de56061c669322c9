// A run in phases: the first is what the plan's architecture, training and data say; each further one starts
// from how the phase before it ended and changes what it names. Longer context, another data mixture or
// learning rate, wider or narrower windows, a larger RoPE base, RoPE dropped (DRoPE) are phases.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/id.h"
#include "core/spec/architecture.h"
#include "core/spec/training.h"

namespace braid {

// What a phase sets, by key:
//   "steps"                        required: how long it takes, with a warm-up and decay of its own
//   "context", "learning_rate", .. a training field (phase_training_keys())
//   "data.long_share"              a parameter of the data
//   "swa.window", "full.position"  a parameter of every layer with that mixer
struct TrainingPhase {
    std::string name = {};  // "extend to 32K"; may be empty
    ParameterValues set = {};
    bool operator==(const TrainingPhase&) const = default;
};

// {"name": "extend", "steps": 4769, "full.rope_base": 5e5}
Json to_json(const TrainingPhase& phase);
Checked<TrainingPhase> phase_from_json(const Json& json);
// "name=extend,steps=4769,context=32768,full.rope_base=5e5": of the command line.
Checked<TrainingPhase> parse_phase(std::string_view text);
// The same text again.
std::string to_text(const TrainingPhase& phase);

// Training fields that a phase may change; the others (seed, initialisation, optimizer moments, device) are
// the run's.
std::span<const std::string_view> phase_training_keys();

struct ResolvedPhase;
// Sets one of these keys in `resolved`; what is wrong with it is reported at `path`.
void apply_setting(const std::string& key, const ParameterValue& value, const std::string& path,
                   ResolvedPhase& resolved, const MixerCatalog& catalog, Diagnostics& problems);

struct ResolvedPhase {
    std::string name = {};
    Step first = {};  // steps done when it begins
    ArchitectureSpec architecture = {};
    TrainingSpec training = {};  // steps: of this phase alone
    DataSpec data = {};

    Step end() const { return Step(first.value + training.steps); }
};

// All phases with what they train, the first included; every problem ("phases[0].swa.window: ..."). Rules of
// the data are checked where the data are known (core/data/batch.h).
Checked<std::vector<ResolvedPhase>> resolve_phases(const ArchitectureSpec& architecture,
                                                   const TrainingSpec& training, const DataSpec& data,
                                                   std::span<const TrainingPhase> phases,
                                                   const MixerCatalog& catalog);

// Index of the phase that does the step after `done` steps; the last one for a run that is at its end.
std::size_t phase_at(std::span<const ResolvedPhase> phases, Step done);
Step total_steps(std::span<const ResolvedPhase> phases);
TokenCount tokens_after(std::span<const ResolvedPhase> phases, Step done);

// Steps of a whole run, without resolving the rest: what progress shows.
std::int64_t total_steps(const TrainingSpec& training, std::span<const TrainingPhase> phases);
TokenCount tokens_after(const TrainingSpec& training, std::span<const TrainingPhase> phases, Step done);

}  // namespace braid
