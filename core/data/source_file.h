// The files behind the sources of a corpus, and how each is to be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

enum class TextFormat {
    text,        // one document
    json_lines,  // one document a line: the field "text"
    r_data,  // Rdata.rdb: repeated [4-byte big-endian length][zlib] of serialised text vectors, one document
             // each
    dictionary,  // .dict with an .index beside it: one document an entry
    fortunes,    // documents between lines that are "%"
    tokens,      // token ids: core/data/token_file.h
};

struct SourceFile {
    std::string path;
    TextFormat format = TextFormat::text;
    std::int64_t bytes = 0;  // on disk
    bool operator==(const SourceFile&) const = default;
};

// By the name's ending; .gz and .dz are looked through.
TextFormat format_of(const std::string& path);

// Everything the sources name, in a fixed order; all sources that are missing or unreadable are listed.
Checked<std::vector<SourceFile>> collect_sources(const std::vector<std::string>& sources);

}  // namespace braid
