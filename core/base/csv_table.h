// Tables with a line of titles, as spreadsheets and scripts write them (RFC 4180).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace braid {

struct CsvRow {
    std::size_t line = 0;  // where it begins, from 1
    std::vector<std::string> cells = {};
    bool operator==(const CsvRow&) const = default;
};

struct CsvTable {
    std::vector<std::string> titles = {};
    std::vector<CsvRow> rows = {};  // each with as many cells as titles

    // Upper and lower case, and blanks around, are all the same.
    std::optional<std::size_t> column(std::string_view title) const;
};

// Fields are parted by commas, or by tabs or semicolons where the first line has no comma. Quotes, line ends
// of any kind and a byte order mark are understood, empty lines left out, blanks around fields cut. Every row
// that has another number of cells than titles, and every title that is missing or twice there, is a
// diagnostic.
Checked<CsvTable> parse_csv(std::string_view text);

// With commas; parse_csv() reads the same table back.
std::string to_csv(const CsvTable& table);

// "Model Size" and "model size " are the same title.
bool same_title(std::string_view a, std::string_view b);

}  // namespace braid
