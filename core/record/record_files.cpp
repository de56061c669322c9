#include "core/record/record_files.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>

namespace braid {

std::string record_id(Step step, std::string_view kind, const Json& settings) {
    char text[40];
    std::snprintf(text, sizeof text, "step-%08" PRId64 ".", step.value);
    std::string id(text);
    return id.append(kind).append("-").append(settings_hash(settings));
}

std::string settings_hash(const Json& settings) { return content_hash(settings).substr(0, 8); }

bool is_plain_name(const std::string& name) {
    return !name.empty() && name.front() != '.' &&
           name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

std::vector<std::string> json_files(const std::string& folder, std::vector<Error>& problems) {
    namespace fs = std::filesystem;
    std::error_code error;
    std::vector<std::string> files;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == ".json") files.push_back(at->path().string());
    if (error && error != std::errc::no_such_file_or_directory)
        problems.push_back(error_from_errno(error.value(), "cannot read", folder));
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace braid
