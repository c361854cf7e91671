// Bodies beside a HAR are read; nothing outside its folder ever is.
#include <catch2/catch.hpp>

#include <filesystem>

#include "ingest/har/attached_bodies.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("A plain file beside the HAR, or below it, is read", "[har]") {
  const ScratchFolder folder;
  const ingest::AttachedBodies files(folder.write("x.har", "{}"), Limits{});
  folder.write("a.json", "body");
  folder.write("resources/b.json", "deeper");
  std::string bytes;
  REQUIRE(files.read("a.json", bytes).ok());
  CHECK(bytes == "body");
  REQUIRE(files.read("resources/b.json", bytes).ok());
  CHECK(bytes == "deeper");
}

TEST_CASE("No name leads out of the folder", "[har][hostile]") {
  const ScratchFolder folder;
  const ingest::AttachedBodies files(folder.write("inner/x.har", "{}"), Limits{});
  const std::string secret = folder.write("secret", "secret");
  folder.write("inner-too/secret", "secret");
  std::filesystem::create_symlink(secret, folder.path("inner/link"));
  std::filesystem::create_directory_symlink(folder.path(), folder.path("inner/up"));
  std::string bytes = "untouched";
  for (const std::string& name : {std::string("../secret"), secret, std::string("link"), std::string("up/secret"), std::string("../inner-too/secret"), std::string("."),
                                  std::string(), std::string("/dev/zero"), std::string("a\0b", 3), std::string(5000, 'x')}) {
    CHECK_FALSE(files.read(name, bytes).ok());
  }
  CHECK(bytes == "untouched");
}

TEST_CASE("A file longer than body_bytes is not read", "[har][limits]") {
  const ScratchFolder folder;
  Limits limits;
  limits.body_bytes = 4;
  const ingest::AttachedBodies files(folder.write("x.har", "{}"), limits);
  folder.write("a", "12345");
  std::string bytes;
  const Status read = files.read("a", bytes);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().what.find("body_bytes") != std::string::npos);
}

TEST_CASE("Standard input and archives have nothing beside them", "[har]") {
  std::string bytes;
  CHECK_FALSE(ingest::AttachedBodies("", Limits{}).read("a.json", bytes).ok());
}
