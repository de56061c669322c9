// The hash of a shard in the manifest, and that of a document's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace braid {

// XXH3, 64 bit, 16 hexadecimal digits.
std::string shard_hash(std::span<const std::byte> bytes);
std::uint64_t document_hash(std::string_view text);

}  // namespace braid
