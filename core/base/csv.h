// Tables with commas (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace braid {

// A field, quoted where it has to be.
std::string csv_field(std::string_view text);

}  // namespace braid
