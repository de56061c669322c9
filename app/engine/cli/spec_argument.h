// SPEC on the command line: a shorthand ("FS[w=16] x2"), a preset ("swa-128"), a file, or "project:name".
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/spec/architecture.h"

namespace braid::cli {

inline constexpr const char* spec_help =
    "Shorthand (\"FS[w=16] x2\"), preset (see arch list), JSON file, or project:NAME";

struct SpecRequest {
    std::string text = {};
    std::string scale = {};           // of a shorthand or preset; empty: the preset's, else tiny
    std::int64_t vocab = 0;           // 0: the scale's, or what the file says
    std::int64_t needed_vocab = 0;    // of the data: used for a shorthand or preset without `vocab`
    std::string project_folder = {};  // for project:NAME; empty: none at hand
};

// A valid architecture; else every problem, those of a shorthand with the text and carets.
Result<ArchitectureSpec> resolve_spec(const SpecRequest& request);

}  // namespace braid::cli
