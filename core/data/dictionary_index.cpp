#include "core/data/dictionary_index.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/file.h"

namespace braid {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint64_t largest = std::uint64_t{1} << 40;

std::optional<std::uint64_t> base64_number(std::string_view text) {
    std::uint64_t number = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos || number > largest) return std::nullopt;
        number = number * 64 + digit;
    }
    if (text.empty()) return std::nullopt;
    return number;
}

std::string index_file_of(std::string dictionary) {
    for (const std::string_view ending : {".dz", ".gz", ".dict"})
        if (dictionary.ends_with(ending)) dictionary.resize(dictionary.size() - ending.size());
    return dictionary + ".index";
}

}  // namespace

Result<std::vector<DictionaryEntry>> read_dictionary_index(const std::string& dictionary) {
    const std::string file = index_file_of(dictionary);
    const Result<std::string> text = read_file(file, std::size_t{256} << 20);
    if (!text) return fail(text.error());
    std::vector<DictionaryEntry> entries;
    std::size_t line_number = 0;
    for (std::string_view rest = *text; !rest.empty();) {
        ++line_number;
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t first = line.find('\t');
        const std::size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
        if (second == std::string_view::npos)
            return fail(ErrorKind::corrupt, "line " + std::to_string(line_number) + " is no index entry",
                        file);
        const auto offset = base64_number(line.substr(first + 1, second - first - 1));
        const auto length = base64_number(line.substr(second + 1, line.find('\t', second + 1) - second - 1));
        if (!offset || !length)
            return fail(ErrorKind::corrupt, "line " + std::to_string(line_number) + " has no numbers", file);
        if (!line.starts_with("00-database") && !line.starts_with("00database"))
            entries.push_back({*offset, *length});
    }
    std::sort(entries.begin(), entries.end());
    std::vector<DictionaryEntry> separate;
    for (const DictionaryEntry& entry : entries)
        if (separate.empty() || entry.offset >= separate.back().offset + separate.back().length)
            separate.push_back(entry);
    return separate;
}

}  // namespace braid
