#include <catch2/catch.hpp>

#include <array>

#include "history/database.h"
#include "history/schema.h"
#include "unit/history/history_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

constexpr std::array<const char*, 3> kSteps{"CREATE TABLE calls(id); INSERT INTO calls VALUES(1)", "ALTER TABLE calls ADD COLUMN tool DEFAULT 'echo'", "CREATE TABLE sessions(id)"};

int version_of(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }
std::span<const char* const> first(std::size_t count) { return std::span<const char* const>(kSteps).first(count); }

}  // namespace

TEST_CASE("A file of any earlier version walks the steps that it lacks, and keeps its rows") {
  for (const std::size_t version : {0u, 1u, 2u, 3u}) {
    SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    history::migrate(database, first(version));
    history::migrate(database, kSteps);
    CHECK(version_of(database) == 3);
    CHECK(database.execAndGet("SELECT tool FROM calls WHERE id = 1").getString() == "echo");
    CHECK(database.execAndGet("PRAGMA application_id").getInt() == history::kApplicationId);
  }
}

TEST_CASE("A step that fails takes the steps before it back: the file is the older one again, with all that it held") {
  const Folder folder;
  const std::string path = folder.file("h");
  {
    SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    history::migrate(database, first(1));
  }
  const std::array<const char*, 3> broken{kSteps[0], kSteps[1], "CREATE TABLE calls(id)"};
  {
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    CHECK_THROWS_AS(history::migrate(database, broken), SQLite::Exception);
  }
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  CHECK(version_of(database) == 1);
  CHECK(database.execAndGet("SELECT count(*) FROM calls").getInt() == 1);
  CHECK_THROWS_AS(database.execAndGet("SELECT tool FROM calls"), SQLite::Exception);
  history::migrate(database, kSteps);
  CHECK(version_of(database) == 3);
}

TEST_CASE("Two runs that find an older file at once migrate it once: the second finds it done") {
  const Folder folder;
  const std::string path = folder.file("h");
  SQLite::Database one(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  history::migrate(one, first(1));
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  history::migrate(one, kSteps);
  history::migrate(other, kSteps);
  CHECK(version_of(other) == 3);
  CHECK(other.execAndGet("SELECT count(*) FROM calls").getInt() == 1);
}
