// One captured head on disk: its factors where it has some, and the pyramid of its attention.
//
//   "BRAIDATT", version 1 (uint32), length of the header (uint32), header (JSON: tokens, width, window,
//   implied, diagonal, factors, sink, finest), then float32 unless said otherwise, little-endian: q_TK, k_TK,
//   offset_T (float64), sink_T, and for each level from the finest its tiles up to the diagonal: of each line
//   the squares up to the diagonal and the end of the text, first the largest weights, then the means (level
//   0 has single weights: they are their own means, and written once).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/attention/attention_pyramid.h"
#include "core/base/error.h"

namespace braid {

inline constexpr std::uint32_t attention_file_version = 1;
inline constexpr std::int64_t longest_captured_text = std::int64_t{1} << 20;

struct CapturedHead {
    std::optional<HeadFactors> factors = {};  // none of the delta rule: its matrix has no such form
    AttentionPyramid pyramid = {};
    bool operator==(const CapturedHead&) const = default;
};

// What the file of a head of such a text takes, in bytes.
std::int64_t captured_head_bytes(std::int64_t tokens, std::int64_t width, int finest);

std::string to_bytes(const CapturedHead& head);
// Errors: corrupt, with the place; a newer version: invalid_input.
Result<CapturedHead> captured_head_from_bytes(std::string_view bytes, const std::string& file);

// Not atomic and not synced: the folder that a head is written to gets its name when it is complete. Errors:
// no_space and others of the disk; those of read_file(); interrupted: `go_on`, which is asked every few
// megabytes, said false.
Result<void> write_captured_head(const std::string& file, const CapturedHead& head,
                                 const std::function<bool()>& go_on = {});
Result<CapturedHead> read_captured_head(const std::string& file);

}  // namespace braid
