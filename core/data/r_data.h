// Texts in R's lazy-load data base (Rdata.rdb), as in the packages r-cran-janeaustenr and r-cran-tokenizers.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace braid {

// The file is a row of records [4-byte big-endian length of the content][zlib]. Each content is R's
// serialisation (XDR, versions 2 and 3); a vector of texts becomes one document, its elements joined by line
// ends. Records that hold something else are passed over.
Result<void> read_r_data(const std::string& file, const std::atomic<bool>* cancel,
                         const std::function<Result<void>(std::string_view text)>& document);

// The lines of a serialised vector of texts, joined; empty where it is something else. For tests.
Result<std::string> text_of_r_vector(std::string_view serialised, const std::string& file);

}  // namespace braid
