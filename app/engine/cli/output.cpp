#include "app/engine/cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace braid::cli {
namespace {

int output_errno = 0;  // of the first write to stdout that failed

// Code points: enough for the letters that names are made of.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
    const std::string blanks(columns - std::min(columns, width(text)), ' ');
    return right ? blanks + text : text + blanks;
}

std::string formatted(const char* format, double number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, number);
    return text.data();
}

std::string dumped(const Json& document, int indent) {
    return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
    for (std::string& cell : cells)
        for (char& c : cell)
            if (static_cast<unsigned char>(c) < ' ') c = ' ';
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t widest = width(columns_[c].title);
        for (const auto& row : rows_) widest = std::max({widest, width(row[c]), std::size_t{1}});
        widths.push_back(widest);
    }
    std::string text;
    const auto add_line = [&](const auto& cell) {
        std::string line;
        for (std::size_t c = 0; c < columns_.size(); ++c)
            line += padded(cell(c), widths[c], columns_[c].right) + "  ";
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    add_line([&](std::size_t c) { return columns_[c].title; });
    for (const auto& row : rows_) add_line([&](std::size_t c) { return row[c].empty() ? "-" : row[c]; });
    return text;
}

void print(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if ((std::fflush(stdout) != 0 || !written) && output_errno == 0) output_errno = errno;
}
void print(const Table& table) { print(table.text()); }
void print(const Json& document) { print(dumped(document, 2) + "\n"); }
void print_line(const Json& document) { print(dumped(document, -1) + "\n"); }

std::optional<Error> lost_output() {
    errno = 0;
    std::cout.flush();
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    if (!written && output_errno == 0) output_errno = errno != 0 ? errno : EIO;
    if (output_errno == 0 || output_errno == EPIPE) return std::nullopt;
    return error_from_errno(output_errno, "cannot write all of the answer", "stdout");
}

std::string with_commas(std::int64_t number) {
    std::string text = std::to_string(number);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

std::string short_number(double number) {
    if (!std::isfinite(number)) return "-";
    if (std::abs(number) < 1000) return formatted("%.4g", number);
    for (const char* unit : {" k", " M", " G", " T", " P", " E", " Z", " Y"}) {
        number /= 1000;
        if (std::abs(number) < 999.5 || unit[1] == 'Y') return formatted("%.3g", number) + unit;
    }
    return {};
}

std::string duration_text(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return "--:--";
    const auto total = static_cast<std::int64_t>(std::llround(seconds));
    std::array<char, 32> text{};
    if (total < 3600)
        std::snprintf(text.data(), text.size(), "%02d:%02d", static_cast<int>(total / 60),
                      static_cast<int>(total % 60));
    else
        std::snprintf(text.data(), text.size(), "%lld:%02d:%02d", static_cast<long long>(total / 3600),
                      static_cast<int>(total / 60 % 60), static_cast<int>(total % 60));
    return text.data();
}

std::string real_text(double number, int decimals) {
    if (!std::isfinite(number)) return "-";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
    return text.data();
}

}  // namespace braid::cli
