#include "core/data/recipe.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/data/document_reader.h"
#include "core/data/r_data.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

std::string big_endian(std::uint32_t number) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((number >> shift) & 0xFFU);
    return bytes;
}

// As R 4 serialises a vector of texts.
std::string r_vector(const std::vector<std::string>& lines, std::uint32_t flags = 0x10) {
    std::string bytes = "X\n" + big_endian(3) + big_endian(0x00040201) + big_endian(0x00030500) +
                        big_endian(5) + "UTF-8" + big_endian(flags) +
                        big_endian(static_cast<std::uint32_t>(lines.size()));
    for (const std::string& line : lines)
        bytes += big_endian(0x00040009) + big_endian(static_cast<std::uint32_t>(line.size())) + line;
    return bytes;
}

std::string record(const std::string& content) {
    std::string packed(compressBound(content.size()), '\0');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
             content.size());
    return big_endian(static_cast<std::uint32_t>(content.size())) + packed.substr(0, size);
}

Result<std::vector<std::string>> documents_of(const SourceFile& file) {
    std::vector<std::string> documents;
    const Result<ReadReport> report =
        read_documents(file, {.document = [&](std::string_view text) -> Result<void> {
                           documents.emplace_back(text);
                           return {};
                       }});
    if (!report) return fail(report.error());
    return documents;
}

TEST(RData, GivesEachVectorOfTextsAsADocument) {
    const TemporaryFolder folder;
    write_text(folder / "Rdata.rdb", record(r_vector({"EMMA", "", "By Jane Austen"})) +
                                         record("X\n" + big_endian(2) + big_endian(0) + big_endian(0) +
                                                big_endian(13) + big_endian(1) + big_endian(42)) +
                                         record(r_vector({"CHAPTER I"}, 0x210)));
    const auto documents = documents_of({.path = folder / "Rdata.rdb", .format = TextFormat::r_data});
    ASSERT_TRUE(documents.has_value()) << describe(documents.error());
    EXPECT_EQ(*documents, (std::vector<std::string>{"EMMA\n\nBy Jane Austen\n", "CHAPTER I\n"}));
}

TEST(RData, DamageIsAnError) {
    const TemporaryFolder folder;
    const std::string good = record(r_vector({"one", "two", "three"}));
    for (std::size_t length = 1; length < good.size(); length += 3) {
        write_text(folder / "x.rdb", good.substr(0, length));
        const auto documents = documents_of({.path = folder / "x.rdb", .format = TextFormat::r_data});
        ASSERT_FALSE(documents.has_value()) << length;
        EXPECT_EQ(documents.error().kind, ErrorKind::corrupt);
    }
    const std::string content = r_vector({"one", "two", "three"});
    for (std::size_t length = 0; length < content.size(); ++length)
        EXPECT_FALSE(text_of_r_vector(content.substr(0, length), "x").has_value()) << length;
}

TEST(Fortunes, AreSeparatedByPercentSigns) {
    const TemporaryFolder folder;
    write_text(folder / "wisdom", "one\n\t-- A\n%\ntwo\n%\n%\nthree");
    EXPECT_EQ(documents_of({.path = folder / "wisdom", .format = TextFormat::fortunes}).value(),
              (std::vector<std::string>{"one\n\t-- A\n", "two\n", "three\n"}));
}

TEST(Dictionary, ADamagedIndexIsAnError) {
    const TemporaryFolder folder;
    write_text(folder / "a.dict", "AAAbbbb");
    const SourceFile file{.path = folder / "a.dict", .format = TextFormat::dictionary};
    EXPECT_EQ(documents_of(file).error().kind, ErrorKind::not_found) << "without an index";
    write_text(folder / "a.index", "a\tA\tD\nb\tD\tE\n");
    EXPECT_EQ(documents_of(file).value(), (std::vector<std::string>{"AAA", "bbbb"}));
    for (const char* bad : {"a\tA\n", "a\tA\tD\nb\tD\tZZ\n", "a\t*\tD\n", "a\tA\t\n"}) {
        write_text(folder / "a.index", bad);
        EXPECT_EQ(documents_of(file).error().kind, ErrorKind::corrupt) << bad;
    }
}

TEST(Recipe, SaysWhichPackagesAreMissing) {
    const TemporaryFolder root;
    ASSERT_FALSE(recipes().empty());
    for (const Recipe& recipe : recipes()) {
        const auto files = recipe_files(recipe.name + "@" + root.path());
        ASSERT_FALSE(files.has_value());
        for (const RecipePart& part : recipe.parts)
            EXPECT_NE(files.error()[0].rule.find(part.package), std::string::npos);
        EXPECT_FALSE(recipe.title.empty());
    }
    EXPECT_NE(recipe_files("poems").error()[0].rule.find("debian-books"), std::string::npos);
}

TEST(Recipe, FindsUnpackedPackages) {
    const TemporaryFolder root;
    const std::string library = root / "usr/lib/R/site-library/";
    write_text(library + "janeaustenr/data/Rdata.rdb", record(r_vector({"EMMA"})));
    write_text(library + "tokenizers/data/Rdata.rdb", record(r_vector({"MOBY DICK"}, 0x210)));
    const auto files = recipe_files("debian-books@" + root.path());
    ASSERT_TRUE(files.has_value()) << files.error()[0].message();
    ASSERT_EQ(files->size(), 2U);
    EXPECT_EQ(documents_of((*files)[1]).value(), std::vector<std::string>{"MOBY DICK\n"});
}

}  // namespace
}  // namespace braid
