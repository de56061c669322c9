#include "core/record/migrations.h"

#include <gtest/gtest.h>

#include "core/record/database.h"
#include "tests/record/run_fixture.h"

namespace braid {
namespace {

TEST(Migrations, BringEveryVersionToTheNewest) {
    const std::vector<std::string_view> scripts = migration_scripts();
    ASSERT_FALSE(scripts.empty());
    for (std::size_t from = 0; from <= scripts.size(); ++from) {
        const TemporaryFolder folder;
        const std::string file = folder / "run.db";
        SQLite::Database database = open_for_writing(file);
        ASSERT_TRUE(migrate(database, file, {scripts.begin(), scripts.begin() + static_cast<long>(from)})
                        .has_value());
        ASSERT_TRUE(migrate(database, file).has_value()) << "from version " << from;
        EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), static_cast<int>(scripts.size()));
        EXPECT_EQ(check_store(database, file).value(), StoreState::ready);
    }
}

TEST(Migrations, ALaterStepKeepsTheRows) {
    const TemporaryFolder folder;
    const std::string file = folder / "run.db";
    std::vector<std::string_view> scripts = migration_scripts();
    SQLite::Database database = open_for_writing(file);
    ASSERT_TRUE(migrate(database, file, scripts).has_value());
    database.exec("INSERT INTO metrics VALUES (1, 'loss'); INSERT INTO samples VALUES (1, 1, 1, 1, 2.5)");
    scripts.push_back("ALTER TABLE samples ADD COLUMN weight REAL;");
    ASSERT_TRUE(migrate(database, file, scripts).has_value());
    EXPECT_EQ(database.execAndGet("SELECT value FROM samples WHERE weight IS NULL").getDouble(), 2.5);
    // What this made is a store of the future to the program as it is.
    EXPECT_EQ(migrate(database, file).error().kind, ErrorKind::invalid_input);
    EXPECT_EQ(check_store(database, file).error().kind, ErrorKind::invalid_input);
}

TEST(Migrations, AStepThatFailsChangesNothing) {
    const TemporaryFolder folder;
    const std::string file = folder / "run.db";
    SQLite::Database database = open_for_writing(file);
    ASSERT_TRUE(migrate(database, file).has_value());
    std::vector<std::string_view> scripts = migration_scripts();
    scripts.push_back("CREATE TABLE half (a INTEGER) STRICT; INSERT INTO nowhere VALUES (1);");
    EXPECT_FALSE(migrate(database, file, scripts).has_value());
    EXPECT_FALSE(database.tableExists("half"));
    EXPECT_EQ(check_store(database, file).value(), StoreState::ready);
}

class NewerStoreTest : public RunTest {};

TEST_F(NewerStoreTest, AStoreOfTheFutureIsRefusedAndKept) {
    {
        const auto run = writer();
        ASSERT_TRUE(run->begin_attempt(std::nullopt).has_value());
        ASSERT_TRUE(run->close(RunState::finished).has_value());
        SQLite::Database database(folder_.database_file(), SQLite::OPEN_READWRITE);
        database.exec("PRAGMA user_version = 99");
    }
    const std::string before = read_text(folder_.database_file());
    const auto snapshot = read();
    ASSERT_TRUE(snapshot->problem.has_value());
    EXPECT_NE(snapshot->problem->message.find("newer Braid"), std::string::npos);
    const auto refused = RunWriter::open(folder_);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().message.find("newer Braid"), std::string::npos);
    SQLite::Database database(folder_.database_file());
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 99);
}

}  // namespace
}  // namespace braid
