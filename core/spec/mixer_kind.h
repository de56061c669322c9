// What Braid knows about a mixer without Torch: parameters, rules, cost, citation. The catalogue of all kinds
// is made in core/mixers from mixers.def; everything here takes it as an argument.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/architecture.h"

namespace braid {

// Dimensions that a group of heads sees of its model.
struct MixerContext {
    std::int64_t d_model = 0;
    std::int64_t head_dim = 0;
    std::int64_t ffn_width = 0;
    std::int64_t layer = 0;   // index, from 0
    std::int64_t layers = 0;  // depth of the model
    double norm_eps = 1e-6;   // of norms inside the mixer
};

// Cost of one group of heads in one layer, without norms before the block and without the FFN.
struct MixerCost {
    std::int64_t matrix_parameters =
        0;  // multiply-accumulated once a token: 6 FLOPs each in training, 2 forward
    std::int64_t paper_parameters =
        0;  // what the paper counts: matrices and norms inside the mixer, no sinks
    std::int64_t total_parameters = 0;    // everything that is allocated
    std::int64_t kv_bytes_per_token = 0;  // bf16, while the token is visible; 0 for recurrent mixers
    std::int64_t kv_window = 0;           // tokens kept; 0: all
    std::int64_t state_bytes = 0;         // recurrent state of one sequence, as allocated; 0 for softmax
};

// A count of a whole layer at one of the paper's scales that the paper prints differently from its formulas.
struct PublishedCount {
    std::string scale;            // "S1"
    std::int64_t parameters = 0;  // of the paper count
};

struct MixerDescription {
    std::string id;          // "swa"
    char letter = '?';       // 'S': shorthand, key and badge
    std::string title;       // "Sliding window"
    std::string citation;    // "Beltagy et al., 2020"
    std::string equation;    // plain text, as in the paper
    std::string help;        // two sentences for the inspector
    bool softmax = false;    // has attention rows and a KV cache
    bool recurrent = false;  // has a state
    std::vector<ParameterDescription> parameters;
    std::vector<PublishedCount> published = {};  // only where it differs
};

class MixerKind {
public:
    virtual ~MixerKind() = default;
    virtual const MixerDescription& description() const = 0;
    // Rules beyond the parameter descriptions; `path` is "layers[3].groups[0]". A rule of the whole model has
    // its own path ("head_dim") and is listed once however many layers break it.
    virtual Diagnostics validate(const HeadGroup& group, const MixerContext& context,
                                 const std::string& path) const = 0;
    virtual MixerCost cost(const HeadGroup& group, const MixerContext& context) const = 0;
    // Keys that a query sees, averaged over a sequence of `tokens`; 0 for recurrent mixers.
    virtual double mean_visible_keys(const HeadGroup& group, std::int64_t tokens) const = 0;
    // FLOPs a token of the mixer itself beyond its matrices and softmax scores (recurrent updates).
    virtual double own_forward_flops(const HeadGroup& group, const MixerContext& context) const = 0;
    // Width of the FFN beside this mixer where the paper narrows it to match parameters (Lightning: F - 40).
    virtual std::int64_t ffn_width(std::int64_t width) const { return width; }
};

class MixerCatalog {
public:
    explicit MixerCatalog(std::vector<std::unique_ptr<MixerKind>> kinds) : kinds_(std::move(kinds)) {}
    const MixerKind* find(std::string_view id) const;
    const MixerKind* find_letter(char letter) const;
    std::span<const std::unique_ptr<MixerKind>> all() const { return kinds_; }

private:
    std::vector<std::unique_ptr<MixerKind>> kinds_;
};

MixerContext mixer_context(const ArchitectureSpec& spec, std::size_t layer);
// Width of the FFN of a layer: the narrowest that its mixers ask for.
std::int64_t ffn_width(const ArchitectureSpec& spec, std::size_t layer, const MixerCatalog& catalog);
// "full (F), swa (S)": what a message offers instead of an unknown mixer.
std::string known_mixers(const MixerCatalog& catalog);

}  // namespace braid
