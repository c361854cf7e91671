// Key=value pairs as the JSON object of the same members.
#include "ingest/text/key_value_pairs.h"

#include <catch2/catch.hpp>

#include <string>

#include "ingest/text/json_scan.h"
#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using mcpscan::tests::parse;

namespace {

std::string as_json(std::string_view text) {
  Arena arena;
  return std::string(pairs_as_json(text, arena));
}

}  // namespace

TEST_CASE("bare and quoted values become the members of an object") {
  CHECK(as_json(R"(level=INFO msg="session \"a\" created" id=7)") == R"({"level":"INFO","msg":"session \"a\" created","id":"7"})");
}

TEST_CASE("a bare value may hold blanks up to the next key, quotes and backslashes") {
  CHECK(as_json(R"(error=tool "x" failed: C:\t duration=12ms)") == R"({"error":"tool \"x\" failed: C:\\t","duration":"12ms"})");
}

TEST_CASE("a bracketed value is taken whole, with what looks like a key inside") {
  CHECK(as_json(R"(params={"name":"a b=c"} id=7)") == R"({"params":"{\"name\":\"a b=c\"}","id":"7"})");
}

TEST_CASE("text before the first key is left out, and a line without keys gives nothing") {
  CHECK(as_json("request gateway=default/gw http.status=200") == R"({"gateway":"default/gw","http.status":"200"})");
  CHECK(as_json("nothing here") == "");
  CHECK(as_json("") == "");
}

TEST_CASE("broken pairs end with the line and never read beyond it") {
  CHECK(as_json("msg=\"open") == R"({"msg":"\"open"})");
  CHECK(as_json("a=") == R"({"a":""})");
  CHECK(as_json("a={[\nb=1") == R"({"a":"{["})");
}

TEST_CASE("a line is pairs when it begins with what a logger puts first") {
  CHECK(begins_with_pair("time=2026-11-29T16:35:56Z level=INFO"));
  CHECK_FALSE(begins_with_pair("color=red"));
  CHECK_FALSE(begins_with_pair("time is up"));
}

TEST_CASE("slog's text is read as its JSON: time, level, and the message that the dialects know") {
  const auto parsed = parse("time=2026-11-29T16:35:56.286Z level=DEBUG msg=\"Created new transport with session ID: 0123456789abcdef\"\n");
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.records[0].notice == "session_created");
  CHECK(parsed.records[0].session == "0123456789abcdef");
  CHECK(parsed.records[0].at == "2026-11-29T16:35:56.286000Z");
  CHECK(parsed.records[0].level == "DEBUG");
}

TEST_CASE("a JSON-RPC message as one of the pairs is found") {
  const auto parsed = parse("time=2026-11-29T16:35:56.286Z level=DEBUG msg=\"sending\" body=\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"method\\\":\\\"ping\\\"}\"\n");
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.records[0].body == R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
}

TEST_CASE("a path goes through the items of an array into their members") {
  JsonMembers members;
  REQUIRE(members.read(R"({"ai":{"mcp":{"rpc":[{"id":"7"},{"id":"8"}]}}})"));
  CHECK(find_path(members, "ai.mcp.rpc.1.id").text == "8");
  CHECK(find_path(members, "ai.mcp.rpc.2.id").type == JsonType::none);
  CHECK(find_path(members, "ai.mcp.rpc.0x").type == JsonType::none);
}
