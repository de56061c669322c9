#include "core/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace braid {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("braid-file-" + std::to_string(::getpid()) + " Zähler");
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    fs::path folder_;
};

TEST_F(FileTest, RoundTripInAFolderWithSpacesAndUmlauts) {
    const std::string bytes("a\0b\n", 4);
    ASSERT_TRUE(write_file_atomically(path("f"), bytes).has_value());
    EXPECT_EQ(read_file(path("f")).value(), bytes);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, FailedWriteKeepsTheOldFileAndLeavesNoTemporary) {
    ASSERT_TRUE(write_file_atomically(path("f"), "old").has_value());
    fs::create_directory(path("folder"));
    fs::create_directory(path("folder") + "/inner");
    const Result<void> written =
        write_file_atomically(path("folder"), "new");  // a rename over a folder fails
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().path, path("folder"));
    EXPECT_EQ(read_file(path("f")).value(), "old");
    EXPECT_EQ(entries(), 2U);
}

TEST_F(FileTest, FullDiskIsNamed) {
    const Result<void> written = write_file_atomically("/dev/full/x", "x");
    EXPECT_FALSE(written.has_value());
    ASSERT_TRUE(write_file_atomically(path("f"), "12345").has_value());
    const Result<std::string> limited = read_file(path("f"), 4);
    ASSERT_FALSE(limited.has_value());
    EXPECT_EQ(limited.error().kind, ErrorKind::invalid_input);
}

TEST_F(FileTest, APipeThatNobodyWritesToIsNotWaitedFor) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const Result<std::string> read = read_file(pipe);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::invalid_input);
}

TEST_F(FileTest, ReadingAFolderOrNothingSaysSo) {
    EXPECT_EQ(read_file(folder_.string()).error().kind, ErrorKind::invalid_input);
    EXPECT_EQ(read_file(path("none")).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace braid
