#include "core/data/shard_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cinttypes>
#include <cstdio>

namespace braid {

std::string shard_hash(std::span<const std::byte> bytes) {
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64,
                  static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
    return text;
}

std::uint64_t document_hash(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace braid
