// The letters by which byte-level vocabularies write bytes (GPT-2's bytes_to_unicode): printable Latin-1
// characters stand for themselves, the other 68 bytes for the code points from U+0100 on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid {

// The bytes that a vocabulary entry stands for; nothing where it has a letter of another alphabet.
std::optional<std::string> from_byte_alphabet(std::string_view entry);

}  // namespace braid
