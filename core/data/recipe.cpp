#include "core/data/recipe.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr const char* linux_source = "/usr/src/linux-source-6.1";

// The small corpora, and all of them as one.
std::vector<Recipe> make_all() {
    std::vector<Recipe> list = {
        {.name = "debian-books",
         .title = "Seven novels: Jane Austen's six and Moby Dick (5.2 MB)",
         .parts = {{.package = "r-cran-janeaustenr",
                    .paths = {"/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb"},
                    .format = TextFormat::r_data},
                   {.package = "r-cran-tokenizers",
                    .paths = {"/usr/lib/R/site-library/tokenizers/data/Rdata.rdb"},
                    .format = TextFormat::r_data}}},
        {.name = "debian-anarchism",
         .title = "An Anarchist FAQ (11 MB, long chapters)",
         .parts = {{.package = "anarchism",
                    .paths = {"/usr/share/doc/anarchism/markdown"},
                    .ending = ".md.gz"}}},
        {.name = "debian-manuals",
         .title = "Manuals of Python, Perl and the kernel (about 40 MB)",
         .parts = {{.package = "python3.11-doc",
                    .paths = {"/usr/share/doc/python3.11/html/_sources"},
                    .ending = ".txt"},
                   {.package = "perl-doc", .paths = {"/usr/share/perl"}, .ending = ".pod"},
                   {.package = "linux-doc-6.1",
                    .paths = {"/usr/share/doc/linux-doc-6.1/Documentation"},
                    .ending = ".rst.gz"}}},
        {.name = "debian-short",
         .title = "Dictionary entries, jargon and fortunes (50 MB, short documents)",
         .parts = {{.package = "dict-gcide",
                    .paths = {"/usr/share/dictd/gcide.dict.dz"},
                    .format = TextFormat::dictionary},
                   {.package = "dict-foldoc",
                    .paths = {"/usr/share/dictd/foldoc.dict.dz"},
                    .format = TextFormat::dictionary},
                   {.package = "jargon-text", .paths = {"/usr/share/doc/jargon-text/jargon.txt.gz"}},
                   {.package = "fortunes",
                    .paths = {"/usr/share/games/fortunes"},
                    .format = TextFormat::fortunes}}},
    };
    Recipe together{.name = "debian", .title = "All of these (about 110 MB)", .parts = {}};
    for (const Recipe& one : list)
        together.parts.insert(together.parts.end(), one.parts.begin(), one.parts.end());
    list.push_back(std::move(together));
    // Large, so it is in no other recipe; the package has a tar archive that is to be unpacked first.
    const std::string unpack = std::string("tar -xf ") + linux_source + ".tar.xz -C /usr/src";
    Recipe core{.name = "linux-core",
                .title = "The kernel without its drivers (95 MB of C; many long files)",
                .parts = {{.package = "linux-source-6.1", .paths = {}, .ending = ".c", .unpack = unpack}}};
    for (const char* part : {"block", "crypto", "fs", "init", "io_uring", "ipc", "kernel", "lib", "mm", "net",
                             "security", "virt"})
        core.parts.front().paths.push_back(std::string(linux_source) + "/" + part);
    list.push_back(std::move(core));
    list.push_back(
        {.name = "linux-source",
         .title = "Source code of the kernel (1.2 GB of C; files of 64 KB and more are long documents)",
         .parts = {
             {.package = "linux-source-6.1", .paths = {linux_source}, .ending = ".c", .unpack = unpack},
             {.package = "linux-source-6.1", .paths = {linux_source}, .ending = ".h", .unpack = unpack}}});
    return list;
}

const std::vector<Recipe>& all() {
    static const std::vector<Recipe> list = make_all();
    return list;
}

void add_file(const std::string& path, const RecipePart& part, std::vector<SourceFile>& files) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (!error)
        files.push_back({.path = path, .format = part.format, .bytes = static_cast<std::int64_t>(bytes)});
}

void add_folder(const std::string& path, const RecipePart& part, std::vector<SourceFile>& files) {
    std::set<std::string> found;
    std::error_code error;
    for (fs::recursive_directory_iterator at(path, error), end; at != end; at.increment(error)) {
        if (error) break;
        const std::string name = at->path().filename().string();
        // An index beside the text of the same name (fortunes) is no text; links only repeat a file.
        if (name.ends_with(".dat") || at->is_symlink(error) || !at->is_regular_file(error)) continue;
        if (part.ending.empty() || name.ends_with(part.ending)) found.insert(at->path().string());
    }
    for (const std::string& file : found) add_file(file, part, files);
}

}  // namespace

std::span<const Recipe> recipes() { return all(); }

Checked<std::vector<SourceFile>> recipe_files(std::string_view text) {
    const std::size_t at = text.find('@');
    const std::string name(text.substr(0, at));
    const std::string root(at == std::string_view::npos ? "" : text.substr(at + 1));
    const auto recipe =
        std::find_if(all().begin(), all().end(), [&](const Recipe& one) { return one.name == name; });
    if (recipe == all().end()) {
        std::string known;
        for (const Recipe& one : all()) known += (known.empty() ? "" : ", ") + one.name;
        return tl::unexpected(Diagnostics{
            {.path = "recipe:" + std::string(text), .rule = "must be one of " + known, .found = name}});
    }
    std::vector<SourceFile> files;
    std::string missing;
    std::string unpack;
    for (const RecipePart& part : recipe->parts) {
        const std::size_t before = files.size();
        for (const std::string& path : part.paths) {
            std::error_code error;
            if (fs::is_directory(root + path, error))
                add_folder(root + path, part, files);
            else
                add_file(root + path, part, files);
        }
        if (files.size() != before) continue;
        if (missing.find(" " + part.package) == std::string::npos) missing += " " + part.package;
        if (!part.unpack.empty()) unpack = "; then " + part.unpack;
    }
    if (!missing.empty())
        return tl::unexpected(Diagnostics{
            {.path = "recipe:" + std::string(text),
             .rule = root.empty()
                         ? "needs packages that are not installed: apt-get install" + missing + unpack
                         : "needs packages that are not unpacked below " + root + ": apt-get download" +
                               missing + ", then dpkg-deb -x each" + unpack,
             .found = {}}});
    return files;
}

}  // namespace braid
