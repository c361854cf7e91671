#include <catch2/catch.hpp>

#include <SQLiteCpp/SQLiteCpp.h>

#include "history/schema.h"
#include "unit/history/history_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using history::Access;
using history::History;

namespace {

MadeRun one_day() { return MadeRun().requests(noon(2026, 11, 1), 10).faults(noon(2026, 11, 1), 3); }

std::uint64_t requests_in(const std::string& path) { return History::open(path, Access::read, 0).take()->summarise(Zone(), {}).take().requests.day; }

}  // namespace

TEST_CASE("what a run took in is there for the next one: files, sessions, counts") {
  const Folder folder;
  const std::string path = folder.file("h");
  auto run = one_day();
  run.run.files[0].mark.bytes = 123;
  run.run.files[0].mark.head_digest = 0xfedcba9876543210;
  run.run.sources = {"/logs/desk-agent"};
  model::SessionMemory memory;
  memory.source = "/logs/desk-agent";
  memory.id = "8c1f\xff";
  memory.client_ids.intervals = {{1, 7}};
  memory.client_ids.digests = {UINT64_MAX};
  memory.principals = {5};
  run.run.sessions = {memory};
  take_in(*History::open(path, Access::write, 0).take(), run.run);
  const auto known = History::open(path, Access::write, 0).take()->known().take();
  REQUIRE(known.files.size() == 1);
  CHECK(known.files[0].mark.bytes == 123);
  CHECK(known.files[0].mark.head_digest == 0xfedcba9876543210);
  REQUIRE(known.sessions.size() == 1);
  CHECK(known.sessions[0].client_ids.intervals == memory.client_ids.intervals);
  CHECK(known.sessions[0].client_ids.digests == memory.client_ids.digests);
  CHECK(requests_in(path) == 10);
}

TEST_CASE("What a source has taught of how replies look is there for the next run, and is replaced when that source is read on; others stay") {
  const Folder folder;
  const std::string path = folder.file("h");
  auto run = one_day();
  run.run.sources = {"/logs/a", "/logs/b"};
  run.run.shapes = {{"/logs/a", {UINT64_MAX, 40, {{"content text", 40}, {"text.title: text", 7}}}}, {"/logs/b", {5, 3, {{"content text", 3}}}}};
  take_in(*History::open(path, Access::write, 0).take(), run.run);
  run.run.sources = {"/logs/b"};
  run.run.shapes = {{"/logs/b", {6, 4, {}}}};
  take_in(*History::open(path, Access::write, 0).take(), run.run);
  const auto known = History::open(path, Access::write, 0).take()->known().take();
  REQUIRE(known.shapes.size() == 2);
  CHECK(known.shapes[0].shape.tool == UINT64_MAX);
  CHECK(known.shapes[0].shape.replies == 40);
  CHECK(known.shapes[0].shape.features == std::vector<std::pair<std::string, std::uint32_t>>{{"content text", 40}, {"text.title: text", 7}});
  CHECK(known.shapes[1].shape.tool == 6);
}

TEST_CASE("what was open is replaced when a file goes on; what was settled stays; a file read anew is counted anew") {
  const auto history = in_memory();
  auto run = one_day();
  run.run.files[0].open = run.run.files[0].settled;
  take_in(*history, run.run);
  CHECK(history->summarise(Zone(), {}).take().requests.day == 20);
  auto more = one_day();
  more.run.files[0].known = history->known().take().files.at(0).number;
  take_in(*history, more.run);
  CHECK(history->summarise(Zone(), {}).take().requests.day == 20);
  more.run.files[0].replaces = true;
  take_in(*history, more.run);
  CHECK(history->summarise(Zone(), {}).take().requests.day == 10);
  CHECK(history->known().take().files.size() == 1);
}

TEST_CASE("a run that ends before its record is written leaves nothing") {
  const Folder folder;
  const std::string path = folder.file("h");
  take_in(*History::open(path, Access::write, 0).take(), one_day().run);
  {
    const auto killed = History::open(path, Access::write, 0).take();
    REQUIRE(killed->begin().ok());
  }
  CHECK(requests_in(path) == 10);
}

TEST_CASE("two runs at once: the second is told that the history is locked, readers are not held up, and nothing is lost") {
  const Folder folder;
  const std::string path = folder.file("h");
  const auto first = History::open(path, Access::write, 0).take();
  REQUIRE(first->begin().ok());
  const auto second = History::open(path, Access::write, 0).take();
  const Status refused = second->begin();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().what == "the history is locked: another run is writing to it");
  CHECK(History::open(path, Access::read, 0).take()->summarise(Zone(), {}).ok());
  REQUIRE(first->record(one_day().run).ok());
  take_in(*second, one_day().run);
  CHECK(requests_in(path) == 20);
}

TEST_CASE("a history of a newer schema is told and left as it is, byte for byte") {
  const Folder folder;
  const std::string path = folder.file("h");
  take_in(*History::open(path, Access::write, 0).take(), one_day().run);
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const std::string before = bytes_of(path);
  for (const Access access : {Access::read, Access::write}) {
    const auto opened = History::open(path, access, 0);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().what.find("written by a newer mcpscan (schema 99") != std::string::npos);
  }
  CHECK(bytes_of(path) == before);
}

TEST_CASE("what is no history is never written over: other databases, other files, folders, missing ones") {
  const Folder folder;
  const std::string other = folder.file("other"), text = folder.file("text");
  SQLite::Database(other, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE mine(x)");
  std::ofstream(text) << std::string(8192, 'x');
  for (const std::string& path : {other, text}) {
    const std::string before = bytes_of(path);
    CHECK_FALSE(History::open(path, Access::write, 0).ok());
    CHECK(bytes_of(path) == before);
  }
  CHECK(History::open(other, Access::write, 0).error().what == "this is the database of another program, no history");
  CHECK(History::open(text, Access::write, 0).error().what == "this is no history");
  CHECK(History::open(folder.file(""), Access::write, 0).error().what == "this is a folder, not a history");
  CHECK(History::open(folder.file("none"), Access::read, 0).error().what == "there is no such history");
  CHECK(History::open(folder.file("no/folder"), Access::write, 0).error().what == "the history cannot be opened");
}

TEST_CASE("a damaged history is told, and read no further") {
  const Folder folder;
  const std::string path = folder.file("h");
  take_in(*History::open(path, Access::write, 0).take(), one_day().run);
  std::string bytes = bytes_of(path);
  std::fill(bytes.begin() + 4096, bytes.end(), '\x5a');
  std::ofstream(path, std::ios::binary) << bytes;
  const auto opened = History::open(path, Access::read, 0);
  const bool told = !opened.ok() || !(*opened)->summarise(Zone(), {}).ok();
  CHECK(told);
}

TEST_CASE("an empty file becomes a history, and an older one of today's form") {
  const Folder folder;
  const std::string path = folder.file("h");
  std::ofstream(path).flush();
  take_in(*History::open(path, Access::write, 0).take(), one_day().run);
  CHECK(SQLite::Database(path).execAndGet("PRAGMA user_version").getInt() == history::newest_schema());
  CHECK(SQLite::Database(path).execAndGet("PRAGMA journal_mode").getString() == "wal");
}
