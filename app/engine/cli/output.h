// What a verb prints: a plain table or one JSON document on stdout. Nothing else goes there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/count.h"
#include "core/base/error.h"
#include "core/base/json.h"

namespace braid::cli {

struct Column {
    std::string title;
    bool right = false;  // numbers
};

// Columns aligned by blanks, a line of titles above; no frame, so that cut, awk and grep work on it.
class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    // As many cells as columns. An empty cell is shown as "-"; what would break the line is a blank.
    void add(std::vector<std::string> cells);
    bool empty() const { return rows_.empty(); }
    std::string text() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

void print(const std::string& text);
inline void print(const char* text) { print(std::string(text)); }
void print(const Table& table);
void print(const Json& document);       // indented, one document
void print_line(const Json& document);  // on one line: JSON lines, the last line of train

// After all was printed: what did not reach stdout. A reader that has seen enough is no loss.
std::optional<Error> lost_output();

std::string with_commas(std::int64_t number);        // 1,499,136
std::string short_number(double number);             // 1.5 M, 12.3 k, 950
std::string duration_text(double seconds);           // 01:12, 2:03:04
std::string real_text(double number, int decimals);  // "-" where it is no number

}  // namespace braid::cli
