// Texts that lie in Debian packages, as named lists of files: "recipe:debian-books". Nothing is downloaded
// here; what is not installed is named with the command that installs it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/data/source_file.h"

namespace braid {

struct RecipePart {
    std::string package;
    std::vector<std::string> paths;  // files or folders, from /; a folder is read recursively
    std::string ending = {};         // of the files of a folder: ".md.gz"; empty: all
    TextFormat format = TextFormat::text;
    std::string unpack = {};  // what to do after installing; empty: nothing
};

struct Recipe {
    std::string name;   // "debian-books"
    std::string title;  // "Seven novels (5.7 MB)"
    std::vector<RecipePart> parts;
};

std::span<const Recipe> recipes();

// "NAME", or "NAME@ROOT" for packages unpacked below a folder (apt-get download PACKAGE; dpkg-deb -x FILE
// ROOT), which spares a package's dependencies.
Checked<std::vector<SourceFile>> recipe_files(std::string_view name);

}  // namespace braid
