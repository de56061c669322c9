// Whether every registered mixer keeps its promises, found by trying: what `braid-engine check mixers` prints
// and the conformance tests assert. Nothing here names a mixer; a new line of mixers.def is checked as it is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/spec/architecture.h"

namespace braid {

class Ops;

struct MixerCheckResult {
    std::string mixer = {};    // id
    std::string pattern = {};  // the architecture tried: "G[conv] x2", "{F:2 G:2} x1"
    std::string check =
        {};  // "causal", "documents", "forms agree", "gradients", "attention rows", "cost", "json", ..
    std::string detail = {};  // what is measured: "prefill, float64", "d q_proj, cuda"
    double measured = 0;
    double limit = 0;  // measured may not exceed it
    bool passed = false;
};

// For one architecture, of a few small layers, all but "error".
void check_architecture(const ArchitectureSpec& spec,
                        const std::function<void(const MixerCheckResult&)>& receive);
// A pattern at the dimensions that the checks use.
ArchitectureSpec check_spec(const std::string& pattern);

// On the CPU, in float64 and float32; with `device`, the error of its types against float64 beside. `receive`
// gets each result as it is found.
void check_mixers(const std::shared_ptr<Ops>& device,
                  const std::function<void(const MixerCheckResult&)>& receive);

}  // namespace braid
