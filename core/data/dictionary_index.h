// The index of a DICT database (dictfmt): "headword <tab> offset <tab> length", numbers in base 64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct DictionaryEntry {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    auto operator<=>(const DictionaryEntry&) const = default;
};

// For NAME.dict or NAME.dict.dz the entries of NAME.index, in the order of the text, each once (an entry may
// have several headwords; overlapping ones keep the first). Descriptions of the database ("00-database-..")
// are left out.
Result<std::vector<DictionaryEntry>> read_dictionary_index(const std::string& dictionary);

}  // namespace braid
