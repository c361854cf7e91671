// Rotated sets: what names say, and the order they bring about.
#include "ingest/rotation.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace mcpscan::ingest;

namespace {

std::vector<std::string> ordered(const std::vector<std::string>& names) {
  std::vector<InputFile> files(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) files[i].display = files[i].path = names[i];
  order_rotated_sets(files);
  std::vector<std::string> result;
  for (const InputFile& file : files) result.push_back(file.display);
  return result;
}

}  // namespace

TEST_CASE("a name gives the log it belongs to", "[rotation]") {
  for (const char* name : {"app.log", "app.log.1", "app.log.2.gz", "app.log-20261128.gz", "app.log.2026-11-28", "app-2026-11-28.log", "app.2026-11-28.log",
                           "app_20261128.log.zst", "app-2026-11-28.3.log", "app-2026-11-28.log.3", "app-2026-11-28T17-05-03.123.log.gz", "app.log-20261128-1795970155",
                           "app.log.2026-11-28_17", "app.log-20261128170503.xz"}) {
    INFO(name);
    CHECK(rotation_of(name).base == "app.log");
  }
}

TEST_CASE("a name that is no rotation stays whole", "[rotation]") {
  for (const char* name : {"app", "v1.2.3", "2026-11-28.log", "app-12345678.log", "rollout-2026-11-28T17-05-03-0a1b.jsonl", "app.2026-13-28.log", "mcp-server-db2.log",
                           "10.0.0.1", "app.log.12345678901", "app-99999999.log", "-", "", "."}) {
    INFO(name);
    CHECK(rotation_of(name).rotation < 1000);
    CHECK((rotation_of(name).base == name || rotation_of(name).rotation > 0));
  }
  CHECK(rotation_of("rollout-2026-11-28T17-05-03-0a1b.jsonl").base == "rollout-2026-11-28T17-05-03-0a1b.jsonl");
  CHECK(rotation_of("mcp-server-db2.log").base == "mcp-server-db2.log");
  CHECK(rotation_of("app-12345678.log").base == "app-12345678.log");
}

TEST_CASE("a capture's name gives the capture it belongs to", "[rotation]") {
  for (const char* name : {"tap.pcap", "tap.pcap1", "tap.pcap12", "tap_00001.pcap", "tap-20261128170503.pcap", "tap_00002_20261128170503.pcap.gz"}) {
    INFO(name);
    CHECK(rotation_of(name).base == "tap.pcap");
  }
  for (const char* name : {"tap_1.pcap", "tap1.pcap", "tap_000012.pcap", "_00001.pcap"}) {
    INFO(name);
    CHECK(rotation_of(name).base == name);
  }
}

TEST_CASE("rotated files stand oldest first, whatever the order they were named in", "[rotation]") {
  const std::vector<std::vector<std::string>> sets = {
      {"d/app.log.10.gz", "d/app.log.2.gz", "d/app.log.1", "d/app.log"},
      {"app.log-20251231.gz", "app.log-20261128.gz", "app.log-20261129", "app.log.1", "app.log"},
      {"app-2026-11-28.log", "app-2026-11-28.1.log", "app-2026-11-28.2.log", "app-2026-11-29.log"},
      {"app-2026-11-28.log", "app-2026-11-28.log.1", "app-2026-11-28.log.2", "app.log"},
      {"app-2026-11-28T01-00-00.000.log", "app-2026-11-28T17-05-03.123.log", "app.log"},
      {"app.log.2026-11-28_01", "app.log.2026-11-28_17", "app.log"},
      {"mcp1.log", "mcp.log"},
      {"mcp-server-demo1.log", "mcp-server-demo.log"},
      {"trace.pcap", "trace.pcap1", "trace.pcap2", "trace.pcap10"},
      {"ring_00009_20261128170503.pcapng", "ring_00010_20261128170603.pcapng"},
      {"part_00009.pcap", "part_00010.pcap"},
      {"tap-20261128_1705.pcap", "tap-20261128_1805.pcap.gz"},
      {"a.tar.gz!/x/app.log.1", "a.tar.gz!/x/app.log"},
  };
  for (std::vector<std::string> names : sets) {
    const std::vector<std::string> expected = names;
    std::sort(names.begin(), names.end());
    do {
      REQUIRE(ordered(names) == expected);
    } while (std::next_permutation(names.begin(), names.end()));
  }
}

TEST_CASE("different logs keep their order, a set stands where its first file stood", "[rotation]") {
  REQUIRE(ordered({"z.log", "b.log", "a.log", "b.log.1", "z.log.1"}) == std::vector<std::string>{"z.log.1", "z.log", "b.log.1", "b.log", "a.log"});
  REQUIRE(ordered({"x/app.log", "y/app.log.1", "y/app.log"}) == std::vector<std::string>{"x/app.log", "y/app.log.1", "y/app.log"});
}

TEST_CASE("a server called db1 is no rotation of a server that is not there", "[rotation]") {
  REQUIRE(ordered({"mcp-server-db1.log", "mcp-server-da.log"}) == std::vector<std::string>{"mcp-server-db1.log", "mcp-server-da.log"});
  std::vector<InputFile> files(1);
  files[0].display = "mcp-server-db1.log";
  order_rotated_sets(files);
  REQUIRE(files[0].set_key == "mcp-server-db1.log");
}
