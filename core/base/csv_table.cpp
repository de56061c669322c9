#include "core/base/csv_table.h"

#include <algorithm>
#include <cctype>

#include "core/base/csv.h"

namespace braid {
namespace {

constexpr std::size_t shown_length = 40;

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::string line_text(std::size_t line) { return std::string("line ").append(std::to_string(line)); }

// Fields of the row that begins at `at`; at and line go on to the next one.
struct Reader {
    std::string_view text;
    char delimiter = ',';
    std::size_t at = 0;
    std::size_t line = 1;
    bool unclosed = false;

    bool more() const { return at < text.size(); }

    void skip_line_end() {
        if (at < text.size() && text[at] == '\r') ++at;
        if (at < text.size() && text[at] == '\n') ++at;
        ++line;
    }

    CsvRow row() {
        CsvRow row{.line = line};
        for (;;) {
            row.cells.push_back(field());
            if (at >= text.size() || text[at] != delimiter) break;
            ++at;
        }
        if (at < text.size()) skip_line_end();
        return row;
    }

    std::string field() {
        const auto blank = [this](char c) { return (c == ' ' || c == '\t') && c != delimiter; };
        const std::size_t begin = at;
        while (at < text.size() && blank(text[at])) ++at;
        if (at < text.size() && text[at] == '"') return quoted();
        at = begin;
        while (at < text.size() && text[at] != delimiter && text[at] != '\n' && text[at] != '\r') ++at;
        return std::string(trimmed(text.substr(begin, at - begin)));
    }

    std::string quoted() {
        std::string out;
        for (++at; at < text.size(); ++at) {
            if (text[at] == '"') {
                if (at + 1 < text.size() && text[at + 1] == '"')
                    ++at;
                else
                    break;
            }
            if (text[at] == '\n' || (text[at] == '\r' && (at + 1 >= text.size() || text[at + 1] != '\n')))
                ++line;
            out += text[at];
        }
        if (at >= text.size()) {
            unclosed = true;
            return out;
        }
        ++at;
        // What follows the closing quote belongs to the field, as other readers have it.
        while (at < text.size() && text[at] != delimiter && text[at] != '\n' && text[at] != '\r')
            out += text[at++];
        return std::string(trimmed(out));
    }
};

char delimiter_of(std::string_view first_line) {
    std::string outside;  // of quotes
    bool quoted = false;
    for (const char c : first_line) {
        if (c == '"') quoted = !quoted;
        if (!quoted) outside += c;
    }
    for (const char c : {',', '\t', ';'})
        if (outside.find(c) != std::string::npos) return c;
    return ',';
}

// Quoted where another reader, or this one, might take it for something else.
std::string written(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") != std::string::npos) return csv_field(cell);
    const bool plain = cell.find_first_of("\t;\xEF") == std::string::npos;
    return plain ? cell : std::string("\"").append(cell).append("\"");
}

bool is_blank(const CsvRow& row) { return row.cells.size() == 1 && row.cells.front().empty(); }

void check_titles(const CsvTable& table, std::size_t line, Diagnostics& problems) {
    for (std::size_t i = 0; i < table.titles.size(); ++i) {
        if (table.titles[i].empty())
            continue;  // a column without a title cannot be asked for, and does no harm
        for (std::size_t j = 0; j < i; ++j)
            if (same_title(table.titles[i], table.titles[j])) {
                problems.push_back({.path = line_text(line),
                                    .rule = "must name every column once",
                                    .found = table.titles[i].substr(0, shown_length) + " twice"});
                break;
            }
    }
}

}  // namespace

bool same_title(std::string_view a, std::string_view b) { return lower(trimmed(a)) == lower(trimmed(b)); }

std::optional<std::size_t> CsvTable::column(std::string_view title) const {
    for (std::size_t i = 0; i < titles.size(); ++i)
        if (!titles[i].empty() && same_title(titles[i], title)) return i;
    return std::nullopt;
}

Checked<CsvTable> parse_csv(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
    Diagnostics problems;
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
        problems.push_back(
            {.path = line_text(static_cast<std::size_t>(line)),
             .rule = "must be text; there is a zero byte (is it a spreadsheet? export it as CSV)",
             .found = {}});
        return tl::unexpected(std::move(problems));
    }
    Reader reader{.text = text};
    while (reader.more() && (text[reader.at] == '\n' || text[reader.at] == '\r')) reader.skip_line_end();
    const std::string_view rest = text.substr(reader.at);
    reader.delimiter = delimiter_of(rest.substr(0, rest.find_first_of("\r\n")));
    CsvTable table;
    std::size_t title_line = 1;
    bool has_titles = false;
    while (reader.more()) {
        CsvRow row = reader.row();
        if (is_blank(row)) continue;
        if (!has_titles) {
            title_line = row.line;
            table.titles = std::move(row.cells);
            has_titles = true;
            continue;
        }
        if (row.cells.size() != table.titles.size())
            problems.push_back({.path = line_text(row.line),
                                .rule = std::string("must have ")
                                            .append(std::to_string(table.titles.size()))
                                            .append(" cells, as the line of titles has"),
                                .found = std::to_string(row.cells.size())});
        table.rows.push_back(std::move(row));
    }
    if (!has_titles)
        problems.push_back({.path = {}, .rule = "must have a line of titles; there is none", .found = {}});
    if (reader.unclosed)
        problems.push_back({.path = line_text(table.rows.empty() ? title_line : table.rows.back().line),
                            .rule = "must close every quote it opens",
                            .found = {}});
    check_titles(table, title_line, problems);
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return table;
}

std::string to_csv(const CsvTable& table) {
    std::string text;
    const auto add = [&text](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i > 0) text += ',';
            // A lone empty cell would be an empty line.
            text += cells.size() == 1 && cells[i].empty() ? std::string("\"\"") : written(cells[i]);
        }
        text += '\n';
    };
    add(table.titles);
    for (const CsvRow& row : table.rows) add(row.cells);
    return text;
}

}  // namespace braid
