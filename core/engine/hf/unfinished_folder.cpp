#include <unistd.h>

#include <filesystem>
#include <utility>

#include "core/base/file.h"
#include "core/engine/hf/import_hf.h"

namespace braid {

namespace fs = std::filesystem;

Result<UnfinishedFolder> UnfinishedFolder::create(const std::string& given) {
    const std::string out = (fs::absolute(given).lexically_normal() / "").parent_path().string();
    std::error_code error;
    if (fs::exists(out, error) && !(fs::is_directory(out, error) && fs::is_empty(out, error)))
        return fail(ErrorKind::already_exists, "it is there already and not empty", out,
                    "Name a folder that does not exist yet");
    const fs::path place(out);
    UnfinishedFolder made((place.parent_path() /
                           (".unfinished-" + place.filename().string() + "-" + std::to_string(::getpid())))
                              .string(),
                          out);
    if (Result<void> folder = make_folder(made.path_); !folder) return fail(std::move(folder.error()));
    return made;
}

UnfinishedFolder::UnfinishedFolder(UnfinishedFolder&& other) noexcept
    : path_(std::exchange(other.path_, std::string())), out_(std::move(other.out_)) {}

UnfinishedFolder::~UnfinishedFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> UnfinishedFolder::keep() {
    std::error_code error;
    fs::remove(out_, error);  // an empty one; others were refused
    fs::rename(path_, out_, error);
    if (error) return fail(error_from_errno(error.value(), "cannot rename", out_));
    path_.clear();
    return {};
}

Result<std::vector<std::string>> copy_tokenizer(const std::string& from, const std::string& to) {
    std::vector<std::string> copied;
    for (const char* name : {"tokenizer.json", "tokenizer.model", "tokenizer_config.json",
                             "special_tokens_map.json", "added_tokens.json"}) {
        std::error_code error;
        if (!fs::is_regular_file(fs::path(from) / name, error)) continue;
        fs::copy_file(fs::path(from) / name, fs::path(to) / name, error);
        if (error)
            return fail(error_from_errno(error.value(), "cannot copy", (fs::path(from) / name).string()));
        copied.emplace_back(name);
    }
    return copied;
}

}  // namespace braid
