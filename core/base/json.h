// JSON as Braid reads and writes it: keys in a fixed order, parse errors with line and column, content
// hashes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace braid {

using Json = nlohmann::json;  // keys sorted, so that dump() of equal values is equal text

// At most 64 MiB and 256 levels deep; trailing text is an error. The message names line and column.
Result<Json> parse_json(std::string_view text, std::string path = {});

Result<Json> read_json(const std::string& file);

// Written to a temporary neighbour, synced and renamed: a reader sees the old text or the new, never a part.
Result<void> write_json_atomically(const std::string& file, const Json& value);

// 32 hexadecimal digits (XXH3, 128 bit) of the canonical text.
std::string content_hash(const Json& value);
std::string content_hash(std::string_view bytes);

}  // namespace braid
