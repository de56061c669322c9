#include "core/engine/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

class Safetensors : public testing::Test {
protected:
    Safetensors()
        : folder_(fs::temp_directory_path() / ("braid safetensors ü " + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Safetensors() override { fs::remove_all(folder_); }

    std::string file(const char* name = "model.safetensors") const { return (folder_ / name).string(); }

    // A header as given, its length in front, `data_bytes` of data behind it.
    static std::string made(const std::string& header, std::size_t data_bytes) {
        const std::uint64_t length = header.size();
        std::string text(8, '\0');
        std::memcpy(text.data(), &length, 8);
        return text + header + std::string(data_bytes, 'x');
    }

    static std::string error_of(const std::string& bytes) {
        const auto parsed = parse_safetensors(bytes, bytes.size(), "f");
        return parsed ? "" : describe(parsed.error());
    }

    fs::path folder_;
};

TEST_F(Safetensors, WritesWhatItReads) {
    const std::vector<float> weights{1, 2, 3, 4, 5, 6};
    const std::vector<std::int64_t> counts{7};
    const std::vector<SafetensorsView> views{
        {.name = "w", .dtype = "F32", .shape = {2, 3}, .data = std::as_bytes(std::span(weights))},
        {.name = "a/n", .dtype = "I64", .shape = {}, .data = std::as_bytes(std::span(counts))},
        {.name = "empty", .dtype = "BF16", .shape = {0, 4}, .data = {}}};
    ASSERT_TRUE(write_safetensors(file(), views, {{"format", "pt"}}));
    const auto opened = SafetensorsFile::open(file());
    ASSERT_TRUE(opened) << describe(opened.error());
    EXPECT_EQ(opened->header().metadata.at("format"), "pt");
    EXPECT_EQ(opened->header().tensors.size(), 3U);
    const SafetensorsEntry* entry = opened->header().find("w");
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->shape, (std::vector<std::int64_t>{2, 3}));
    std::vector<float> read(6);
    ASSERT_TRUE(opened->read(*entry, std::as_writable_bytes(std::span(read))));
    EXPECT_EQ(read, weights);
    EXPECT_EQ(opened->header().find("none"), nullptr);
}

TEST_F(Safetensors, DataAreAligned) {
    const std::vector<float> one{1};
    const std::vector<SafetensorsView> views{
        {.name = "x", .dtype = "F32", .shape = {1}, .data = std::as_bytes(std::span(one))}};
    ASSERT_TRUE(write_safetensors(file(), views));
    const std::string bytes = read_file(file()).value();
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    EXPECT_EQ(length % 8, 0U);
    EXPECT_EQ(bytes.size(), 8 + length + 4);
}

TEST_F(Safetensors, AFileCutAnywhereIsRefused) {
    const std::vector<float> weights(64, 1.5F);
    const std::vector<SafetensorsView> views{
        {.name = "w", .dtype = "F32", .shape = {64}, .data = std::as_bytes(std::span(weights))}};
    ASSERT_TRUE(write_safetensors(file(), views));
    const std::string whole = read_file(file()).value();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        std::ofstream(file("cut"), std::ios::binary) << whole.substr(0, size);
        const auto opened = SafetensorsFile::open(file("cut"));
        ASSERT_FALSE(opened) << size;
        EXPECT_EQ(opened.error().kind, ErrorKind::corrupt) << size;
    }
}

TEST_F(Safetensors, SaysWhatIsWrong) {
    const auto entry = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
        return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
    };
    EXPECT_NE(error_of("hello").find("only 5 bytes"), std::string::npos);
    EXPECT_NE(error_of(std::string(16, '\x7f')).find("the limit is 64 MiB"), std::string::npos);
    EXPECT_NE(error_of(made("[1]", 0)).find("does not begin with '{'"), std::string::npos);
    EXPECT_NE(error_of(made(R"({"w":)", 0)).find("not JSON"), std::string::npos);
    EXPECT_NE(error_of(made(R"({"w":1})", 0)).find("not described by an object"), std::string::npos);
    EXPECT_NE(error_of(made(R"({"w":)" + entry("F31", "[1]", "[0,4]") + "}", 4)).find("unknown dtype"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"w":)" + entry("F32", "[1]", "[0,8]") + "}", 4)).find("cut short"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"w":)" + entry("F32", "[2]", "[0,4]") + "}", 4)).find("another number"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"w":)" + entry("F32", "[-1]", "[0,4]") + "}", 4)).find("no size"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"w":)" + entry("F32", "[1]", "[4,0]") + "}", 4)).find("impossible"),
              std::string::npos);
    // 2^62 x 4 elements of 4 bytes: the product wraps around to 0.
    EXPECT_NE(error_of(made(R"({"w":)" + entry("F32", "[4611686018427387904,4]", "[0,0]") + "}", 0))
                  .find("another number"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"a":)" + entry("F32", "[2]", "[0,8]") + R"(,"b":)" +
                                entry("F32", "[2]", "[4,12]") + "}",
                            12))
                  .find("overlaps"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"a":)" + entry("F32", "[1]", "[4,8]") + "}", 8)).find("hole"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"a":)" + entry("F32", "[1]", "[0,4]") + "}", 9)).find("5 bytes after"),
              std::string::npos);
    EXPECT_NE(error_of(made(R"({"__metadata__":{"a":1}})", 0)).find("other than text"), std::string::npos);
}

TEST_F(Safetensors, NeverWritesOverAFile) {
    ASSERT_TRUE(write_safetensors(file(), {}));
    EXPECT_FALSE(write_safetensors(file(), {}));
    EXPECT_EQ(write_safetensors("/dev/null/x", {}).error().kind, ErrorKind::io);
    EXPECT_TRUE(SafetensorsFile::open(file())) << "an empty file of tensors is valid";
}

}  // namespace
}  // namespace braid
