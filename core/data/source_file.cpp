#include "core/data/source_file.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/data/recipe.h"
#include "core/data/token_file.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view recipe_prefix = "recipe:";

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

void collect_folder(const fs::path& folder, std::vector<SourceFile>& files) {
    std::vector<SourceFile> found;
    std::error_code error;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
    for (const fs::recursive_directory_iterator end; at != end; at.increment(error)) {
        if (error) break;
        if (is_hidden(at->path())) {
            if (at->is_directory(error)) at.disable_recursion_pending();
            continue;
        }
        const std::string path = at->path().string();
        if (!at->is_regular_file(error) || path.ends_with(".index")) continue;
        const std::uintmax_t bytes = at->file_size(error);
        // Many things are called .bin: in a folder only those count that say what they are.
        if (path.ends_with(".bin") && !error && has_token_header(path)) {
            found.push_back(
                {.path = path, .format = TextFormat::tokens, .bytes = static_cast<std::int64_t>(bytes)});
            continue;
        }
        if (!error)
            found.push_back(
                {.path = path, .format = format_of(path), .bytes = static_cast<std::int64_t>(bytes)});
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

TextFormat format_of(const std::string& path) {
    std::string_view name = path;
    for (const std::string_view packed : {".gz", ".dz"})
        if (name.ends_with(packed)) name.remove_suffix(packed.size());
    if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return TextFormat::json_lines;
    if (name.ends_with(".rdb")) return TextFormat::r_data;
    if (name.ends_with(".dict")) return TextFormat::dictionary;
    return TextFormat::text;
}

Checked<std::vector<SourceFile>> collect_sources(const std::vector<std::string>& sources) {
    std::vector<SourceFile> files;
    Diagnostics problems;
    if (sources.empty())
        problems.push_back({.path = "sources", .rule = "must name at least one", .found = {}});
    for (const std::string& source : sources) {
        if (source.starts_with(recipe_prefix)) {
            Checked<std::vector<SourceFile>> found = recipe_files(source.substr(recipe_prefix.size()));
            if (found)
                files.insert(files.end(), found->begin(), found->end());
            else
                problems.insert(problems.end(), found.error().begin(), found.error().end());
            continue;
        }
        std::error_code error;
        const fs::file_status status = fs::status(source, error);
        if (!fs::exists(status)) {
            problems.push_back({.path = source, .rule = "does not exist", .found = {}});
        } else if (fs::is_directory(status)) {
            const std::size_t before = files.size();
            collect_folder(source, files);
            if (files.size() == before)
                problems.push_back({.path = source, .rule = "must hold at least one file", .found = {}});
        } else if (!fs::is_regular_file(status)) {
            problems.push_back({.path = source, .rule = "must be a file or a folder", .found = {}});
        } else if (::access(source.c_str(), R_OK) != 0) {
            problems.push_back({.path = source, .rule = "must be readable", .found = {}});
        } else if (source.ends_with(".parquet")) {
            problems.push_back({.path = source,
                                .rule = "is a Parquet file, which is not read; make JSONL of it: python3 -c "
                                        "\"import pandas; pandas.read_parquet('IN.parquet')"
                                        ".to_json('OUT.jsonl', orient='records', lines=True)\"",
                                .found = {}});
        } else {
            files.push_back({.path = source,
                             .format = source.ends_with(".bin") ? TextFormat::tokens : format_of(source),
                             .bytes = static_cast<std::int64_t>(fs::file_size(source, error))});
        }
    }
    if (!problems.empty()) return tl::unexpected<Diagnostics>(std::move(problems));
    return files;
}

}  // namespace braid
