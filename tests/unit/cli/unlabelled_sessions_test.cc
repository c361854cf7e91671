// A log of several sessions whose ids stand before the messages without a word for what they are.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <array>
#include <string>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("three clients with the same ids and arguments at the same moment are three sessions, and nobody is accused") {
  constexpr std::array<const char*, 3> kTokens{"0b0e6f4e-1111-4222-8333-444455556666", "7c1d9a2b-aaaa-4bbb-8ccc-0123456789ab", "c0ffee00-cccc-4ccc-8ccc-0123456789ab"};
  std::string log;
  for (int id = 1; id < 5; ++id) {
    for (const char* token : kTokens) {
      log += fmt::format(R"(2026-11-29T16:35:{:02}.000Z INFO [{}] <- {{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{"q":"1"}}}}}})" "\n", 2 * id, token, id);
    }
    for (const char* token : kTokens) {
      log += fmt::format(R"(2026-11-29T16:35:{:02}.400Z INFO [{}] -> {{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{}"}}]}}}})" "\n", 2 * id, token, id, token);
    }
  }
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  const ScratchFolder folder;
  pipeline::ScanOptions options;
  options.inputs = {folder.write("server.log", log)};
  options.threads = 1;
  const pipeline::ScanResult result = pipeline::scan(options, kBuiltIn, {}, [](const std::string&, std::uint64_t) {});
  CHECK(result.report.findings.empty());
  REQUIRE(result.report.sessions.size() == 3);
  for (const model::SessionRow& row : result.report.sessions) {
    CHECK(row.counts.requests == 4);
    CHECK(row.counts.replies == 4);
  }
}
