// The pattern field: "FSSS x6", "(FS)x5", "S[w=128]", "F[nope]", head-wise "{F:2 S:4}".
//
//   pattern  = block { block }                     at most 10,000 layers, parentheses at most 64 deep
//   block    = layer { layer } [ repeat ]          a bare run; the count repeats the whole run: "F SS x2" is
//   FSSFSS
//            | "(" pattern ")" [ repeat ]          "F(SS)x2" is FSSSS
//   repeat   = ( "x" | "X" | "*" | "×" ) number    "x2" or "x 2", at least 1
//   layer    = LETTER [ options ]                  a mixer's letter: all heads of the layer
//            | "{" group { group } "}"             head-wise: the layer's heads shared between mixers
//   group    = LETTER [ options ] ":" number [ "/" number ]     heads, kv heads
//   options  = "[" option { "," option } "]"
//   option   = key "=" value | word                keys, short keys and words of the mixer's parameters:
//                                                  F[nope], F[base=5e5], F[nosink], S[w=128], S[window=128]
//
// White space is free between tokens; a group may also be followed by a comma. Heads and kv heads of a
// head-wise layer are shares: where they add up to a divisor of the layer's heads they are scaled to it, so
// "{F:1 S:2}" is 2 + 4 heads in a model of 6; else they are taken as they are, and validate() reports the
// sum. Groups without kv heads share those of the layer in proportion to their heads, at least one each, such
// that they divide them. Without any repeat count a pattern is cycled to the depth of its scale, the last
// cycle may be cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/scale.h"

namespace braid {

// Layers of a pattern before dimensions are known: 0 heads mean all of the layer, 0 kv heads the default
// share. Layer ids are not set.
struct Pattern {
    std::vector<LayerSpec> layers;
    bool repeated = false;        // a repeat count was given: the depth is the pattern's own
    std::vector<TextSpan> spans;  // of each layer's text, for marking; same length as layers
};

// `unchecked` keeps a value of the right type that is outside its range, "S[w=0]", so that an editor can show
// the layer and mark it: validate() reports it. `checked` makes it a problem of the text.
enum class PatternValues { checked, unchecked };

// All problems at once, each with its columns (bytes) and the path "column 5" (characters, from 1). An empty
// text is a problem.
Checked<Pattern> parse_pattern(std::string_view text, const MixerCatalog& catalog,
                               PatternValues values = PatternValues::checked);

// Short text whose parse, cycled or not, gives exactly these layers: runs and cycles are folded ("FS x5",
// "SSSF x2 SS"), parameters at their defaults left out; without any fold " x1" keeps the depth. The round
// trip through instantiate() is exact for a valid spec.
std::string format_pattern(const std::vector<LayerSpec>& layers, const ArchitectureSpec& dimensions,
                           const MixerCatalog& catalog);
// One layer of it: "S[w=16]", "{F:2 S:4}".
std::string format_layer(const LayerSpec& layer, const ArchitectureSpec& dimensions,
                         const MixerCatalog& catalog);

// Dimensions of `scale` and the pattern cycled to its depth (cut at the end), or its own depth if it was
// repeated. Layer ids are 1, 2, ... The result may break rules (head counts): validate() it.
ArchitectureSpec instantiate(const Pattern& pattern, const Scale& scale);
// The same with the dimensions of an existing spec; `depth` layers unless the pattern was repeated.
ArchitectureSpec instantiate(const Pattern& pattern, const ArchitectureSpec& dimensions, std::size_t depth);

// Gives diagnostics of the instantiated spec ("layers[3]...") the columns of the layer's text.
void mark_in_text(Diagnostics& diagnostics, const Pattern& pattern);

// The text and, under it, one caret line and message for each problem: what a terminal shows.
std::string show_problems(std::string_view text, const Diagnostics& diagnostics);

}  // namespace braid
