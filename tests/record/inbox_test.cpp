#include "core/record/inbox.h"

#include <sys/stat.h>

#include <thread>

#include "tests/record/run_fixture.h"

namespace braid {
namespace {

class InboxTest : public RunTest {};

TEST_F(InboxTest, CommandsComeInOrderAndOnce) {
    std::vector<std::string> posted;
    for (const char* kind : {"pause", "checkpoint", "resume", "capture", "stop"})
        posted.push_back(post_command(folder_, kind, {{"note", kind}}).value());
    const TakenCommands taken = take_commands(folder_);
    ASSERT_EQ(taken.commands.size(), 5U);
    EXPECT_TRUE(taken.rejected.empty());
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(taken.commands[i].id, posted[i]);
        EXPECT_EQ(taken.commands[i].arguments["note"], taken.commands[i].kind);
    }
    EXPECT_TRUE(take_commands(folder_).commands.empty());
}

TEST_F(InboxTest, ManyPostersAtOnceLoseNothing) {
    std::vector<std::thread> posters;
    for (int i = 0; i < 8; ++i)
        posters.emplace_back([this] {
            for (int k = 0; k < 20; ++k) EXPECT_TRUE(post_command(folder_, "checkpoint").has_value());
        });
    std::size_t taken = 0;
    for (int i = 0; i < 50; ++i) {
        const TakenCommands some = take_commands(folder_);
        taken += some.commands.size();
        EXPECT_TRUE(some.rejected.empty()) << describe(some.rejected[0]);
    }
    for (std::thread& poster : posters) poster.join();
    taken += take_commands(folder_).commands.size();
    EXPECT_EQ(taken, 160U);
}

TEST_F(InboxTest, WhatIsNoCommandIsMovedAsideAndReported) {
    const std::string inbox = folder_.inbox_folder();
    write_text(inbox + "/1.json", "{\"command\": \"pause\"");
    write_text(inbox + "/2.json", "{\"command\": \"explode\"}");
    write_text(inbox + "/3.json", "{\"command\": \"pause\", \"arguments\": 7, \"colour\": 1}");
    write_text(inbox + "/4.txt", "hello");
    write_text(inbox + "/5.json", std::string(2 << 20, ' '));
    write_text(inbox + "/6.json", "");
    write_text(inbox + "/.7.json", "{\"command\": \"sto");  // still being written
    std::filesystem::create_directories(inbox + "/8.json");
    ASSERT_EQ(::mkfifo((inbox + "/9.json").c_str(), 0644), 0);
    const std::string id = post_command(folder_, "stop").value();
    const TakenCommands taken = take_commands(folder_);
    ASSERT_EQ(taken.commands.size(), 1U);
    EXPECT_EQ(taken.commands[0].id, id);
    EXPECT_EQ(taken.rejected.size(), 8U);
    for (const Error& error : taken.rejected) EXPECT_FALSE(error.path.empty());
    EXPECT_TRUE(take_commands(folder_).rejected.empty()) << "each is reported once";
    EXPECT_TRUE(std::filesystem::exists(inbox + "/rejected/2.json"));
    EXPECT_TRUE(std::filesystem::exists(inbox + "/.7.json"));
}

TEST_F(InboxTest, UnknownCommandsAndFoldersAreRefusedAtOnce) {
    EXPECT_EQ(post_command(folder_, "explode").error().kind, ErrorKind::invalid_input);
    EXPECT_EQ(post_command(RunFolder(temporary_ / "nowhere"), "stop").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace braid
