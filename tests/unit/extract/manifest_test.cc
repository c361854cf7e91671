// A manifest reads back what it says, and a hostile one leads nowhere.
#include <catch2/catch.hpp>

#include <filesystem>

#include "extract/bundle_draft.h"
#include "extract/manifest.h"
#include "extract/part_names.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::extract;
using mcpscan::tests::ScratchFolder;
namespace fs = std::filesystem;

namespace {

ingest::InputFile file(std::string path, std::string set, std::int64_t rotation = 0) {
  ingest::InputFile input;
  input.path = input.display = std::move(path);
  input.set_key = std::move(set);
  input.rotation = rotation;
  return input;
}

}  // namespace

TEST_CASE("A manifest reads back how its parts are to be read") {
  Manifest manifest;
  manifest.parts.push_back({"evidence/a.log", "00", 4, 0, "line", "1-2", 2, 9, true, "server-wire"});
  manifest.key_log = "tls-keys.log";
  manifest.shapes = "reply-shapes.json";
  manifest.reading = {"Europe/Berlin", "caddy", "port 80", "gateway", 5'000'000, {7}, {}};
  const ScratchFolder folder;
  folder.write(kManifestName, write_manifest(manifest));
  const auto back = read_manifest(folder.path());
  REQUIRE(back);
  REQUIRE(*back);
  CHECK((*back)->parts.at(0).path == "evidence/a.log");
  CHECK((*back)->parts[0].vantage == "server-wire");
  CHECK((*back)->key_log == "tls-keys.log");
  CHECK((*back)->shapes == "reply-shapes.json");
  CHECK((*back)->reading.time_zone == "Europe/Berlin");
  CHECK((*back)->reading.client_timeout_us == 5'000'000);
  CHECK((*back)->reading.since == Time{7});
  CHECK_FALSE((*back)->reading.until.known());
}

TEST_CASE("A manifest whose paths leave the bundle is refused, and one of another program is none") {
  const ScratchFolder folder;
  for (const char* path : {"../secret", "/etc/passwd", "evidence/../../x", ""}) {
    folder.write(kManifestName, std::string(R"({"form":"mcpscan-bundle/1","parts":[{"path":")") + path + "\"}]}");
    CHECK_FALSE(read_manifest(folder.path()));
  }
  folder.write(kManifestName, R"({"name":"an extension","manifest_version":3})");
  const auto other = read_manifest(folder.path());
  REQUIRE(other);
  CHECK_FALSE(other->has_value());
  folder.write(kManifestName, R"({"form":"mcpscan-bundle/1", broken)");
  CHECK_FALSE(read_manifest(folder.path()));
}

TEST_CASE("A draft leaves nothing behind unless it is published, and never takes the place of what exists") {
  const ScratchFolder folder;
  const std::string target = folder.path() + "/bundle";
  {
    auto draft = BundleDraft::begin(target);
    REQUIRE(draft);
    REQUIRE((*draft)->write("evidence/a", "x").ok());
  }
  CHECK(fs::is_empty(folder.path()));
  auto draft = BundleDraft::begin(target + "/");
  REQUIRE(draft);
  REQUIRE((*draft)->publish().ok());
  CHECK(fs::is_directory(target + "/evidence"));
  CHECK_FALSE(bundle_possible(target).ok());
  CHECK_FALSE(bundle_possible(folder.path() + "/none/bundle").ok());
  CHECK(bundle_possible(folder.path() + "/other").ok());
}

TEST_CASE("Parts are called as their sources are, so that rotation and session names stay") {
  PartNames names;
  CHECK(names.name_of(file("/var/log/gw.log.2.gz", "/var/log/gw.log", 2)) == "evidence/gw.log.2");
  CHECK(names.name_of(file("/var/log/gw.log", "/var/log/gw.log")) == "evidence/gw.log");
  CHECK(names.name_of(file("/other/gw.log", "/other/gw.log")) == "evidence/2-gw.log");
  CHECK(names.name_of(file("/x/..", "/x/..")) == "evidence/input");
}

TEST_CASE("Parts of a shared bundle tell their form and rotation only") {
  PartNames names;
  CHECK(names.shared_name_of(file("/a/bank.log.1", "/a/bank.log", 1), "log/python-sdk", 1) == "evidence/log-1.log.1");
  CHECK(names.shared_name_of(file("/a/bank.log", "/a/bank.log"), "log/python-sdk", 0) == "evidence/log-1.log");
  CHECK(names.shared_name_of(file("/a/bank.pcapng", ""), "pcapng", 0) == "evidence/capture-2.pcap");
}
