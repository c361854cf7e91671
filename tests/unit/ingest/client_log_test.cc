// What clients log line by line, and plain wire dumps: facts by dialect or by the general keys, never a conversation's id for a session's.
#include <catch2/catch.hpp>

#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using mcpscan::ingest::RecordKind;
using mcpscan::tests::parse;

TEST_CASE("a wire dump of JSON lines gives time, direction, session and body; stdio names a process") {
  const auto read = parse(
      R"({"ts":"2026-11-29T09:10:00.000Z","dir":"client->server","session":"stdio:agent","msg":{"jsonrpc":"2.0","id":1784020205000000001,"method":"ping"}})" "\n"
      R"({"ts":"2026-11-29T09:10:00.050Z","dir":"server->client","session":"f1727214-f4ef-403f-993f-a3e8abd21f19","peer":"gw-0","msg":{"jsonrpc":"2.0","id":"1","result":{}}})" "\n");
  REQUIRE(read.records.size() == 2);
  CHECK(read.records[0].kind == RecordKind::message);
  CHECK(read.records[0].direction == "client-to-server");
  CHECK(read.records[0].session == "stdio:agent");
  CHECK(read.records[0].keying == "process");
  CHECK(read.records[0].at == "2026-11-29T09:10:00.000000Z");
  CHECK(read.records[1].direction == "server-to-client");
  CHECK(read.records[1].keying == "mcp-session-id");
  CHECK(read.records[1].peer == "gw-0");
}

TEST_CASE("a mcpsnoop recording is a wire dump whose session is its own run") {
  const auto read = parse(
      R"({"session_id":"demo-1","server_label":"demo","seq":1,"ts":"2026-11-29T16:35:56.2Z","direction":"meta","transport":"stdio","raw":{"command":["node","srv.js"]}})" "\n"
      R"({"session_id":"demo-1","server_label":"demo","seq":2,"ts":"2026-11-29T16:35:56.286345Z","direction":"c2s","transport":"stdio","raw":{"jsonrpc":"2.0","id":1,"method":"ping"}})" "\n"
      R"({"session_id":"demo-1","server_label":"demo","seq":3,"ts":"2026-11-29T16:35:56.3Z","direction":"s2c","transport":"stdio","raw":{"jsonrpc":"2.0","id":1,"result":{}}})" "\n");
  REQUIRE(read.records.size() == 3);
  CHECK(read.records[0].kind == RecordKind::context);
  CHECK(read.records[1].dialect == "mcpsnoop");
  CHECK(read.records[1].session == "demo-1");
  CHECK(read.records[1].keying == "process");
  CHECK(read.records[2].direction == "server-to-client");
}

TEST_CASE("Claude Code's log of a server: calls are outcomes, the conversation's id is no MCP session, what still runs is progress") {
  const auto line = [](std::string_view key, std::string_view text) {
    return R"({")" + std::string(key) + R"(":")" + std::string(text) + R"(","timestamp":"2026-11-29T14:01:30.000Z","sessionId":"83ab50d9-0842-476c-96e5-ea9325cdca06","cwd":"/w"})" + "\n";
  };
  const auto read = parse(line("debug", "Calling MCP tool: run_tests") + line("debug", "Tool 'run_tests' still running (60s elapsed)") +
                          line("debug", "Tool 'run_tests' completed successfully in 1m 20s") + line("error", "Tool 'x' failed after 60s: MCP error -32001: Request timed out") +
                          line("debug", R"(Sending {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"})"));
  REQUIRE(read.records.size() == 5);
  CHECK(read.records[0].kind == RecordKind::outcome);
  CHECK(read.records[0].session.empty());
  CHECK(read.records[0].at == "2026-11-29T14:01:30.000000Z");
  CHECK(read.records[1].reason == "progress");
  CHECK(read.records[2].kind == RecordKind::outcome);
  CHECK(read.records[3].kind == RecordKind::outcome);
  CHECK(read.records[4].session == "conversation 83ab50d9-0842-476c-96e5-ea9325cdca06");
  CHECK(read.records[4].keying == "process");
  for (std::size_t i = 0; i < 4; ++i) CHECK(read.records[i].dialect == "claude-code");
}

TEST_CASE("Cursor: a call id over two lines is one record, and a reply to nobody is its client's complaint") {
  const auto read = parse(
      "2026-11-29 10:07:08.000 [info] Handling CallTool action for tool 'ask_user'\n"
      "2026-11-29 10:07:08.010 [info] Calling tool 'ask_user' with toolCallId: call_bb\nfc_bb\n"
      "2026-11-29 10:17:38.331 [error] Client error for command Received a response for an unknown message ID: {\"jsonrpc\":\"2.0\",\"id\":20,\"error\":{\"code\":0,\"message\":\"Request cancelled\"}}\n"
      "2026-11-29 10:19:31.700 [info] Successfully called tool 'ask_user'\n");
  REQUIRE(read.records.size() == 4);
  CHECK(read.records[1].kind == RecordKind::outcome);
  CHECK(read.records[1].key == "call_bb\nfc_bb");
  CHECK(read.records[1].lines == 2);
  CHECK(read.records[2].notice == "unknown_reply_id");
  CHECK(read.records[2].body.starts_with("{\"jsonrpc\""));
  CHECK(read.records[3].kind == RecordKind::outcome);
}

TEST_CASE("stdio transcripts with a tag before the message give a direction") {
  const auto read = parse("2026-05-14T22:53:22.480Z [STDIN] {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
                          "2026-05-14T22:53:22.481Z [STDOUT] {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
                          "2026-05-14T22:53:22.482Z [STDERR] listening\n");
  REQUIRE(read.records.size() == 3);
  CHECK(read.records[0].text.starts_with("[STDIN] {"));
  CHECK(read.records[0].at == "2026-05-14T22:53:22.480000Z");
}
