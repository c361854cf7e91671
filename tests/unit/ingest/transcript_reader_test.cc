#include "ingest/transcript/transcript_reader.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "base/hash.h"

namespace mcpscan::ingest {
namespace {

// An outcome with texts of its own.
struct Told {
  std::string call, tool, server, text, arguments, conversation, agent, at, started, quote;
  bool is_start = false, is_error = false, timed_out = false, no_answer = false, stopped = false, not_sent = false, replaced = false, sidechain = false;
  std::uint64_t digest = 0, arguments_digest = 0, line = 0, started_line = 0;
};

std::string time_text(Time at) { return at.known() ? format_rfc3339(at) : std::string{}; }

Told copy_of(const TranscriptRecord& r) {
  const model::OutcomeFacts& o = r.outcome;
  Told told;
  told.call = o.call, told.tool = o.tool, told.server = o.server, told.text = o.text, told.arguments = o.arguments;
  told.conversation = o.conversation, told.agent = o.agent, told.at = time_text(r.at), told.started = time_text(o.started), told.quote = r.quote;
  told.is_start = o.is_start, told.is_error = o.is_error, told.timed_out = o.timed_out, told.no_answer = o.no_answer, told.stopped = o.stopped;
  told.not_sent = o.not_sent, told.replaced = o.replaced, told.sidechain = o.sidechain;
  told.digest = o.digest, told.arguments_digest = o.arguments_digest, told.line = r.source.number, told.started_line = o.started_at.number;
  return told;
}

struct Transcript {
  explicit Transcript(const Limits& l = {}) : limits(l), calls(limits), reader(limits, calls) {}

  void read(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const model::SourceRef place{0, model::PlaceKind::line, line, at};
      reader.read_line(text.substr(at, end - at), false, place, arena, [this](const TranscriptRecord& r) { told.push_back(copy_of(r)); });
      arena.reset();
      at = end + 1;
    }
  }
  std::uint64_t accounted() const {
    std::uint64_t sum = reader.books().used;
    for (const auto& [reason, count] : reader.books().ignored) sum += count;
    for (const auto& [reason, count] : reader.books().malformed) sum += count;
    return sum;
  }

  Limits limits;
  TranscriptCalls calls;
  TranscriptReader reader;
  Arena arena;
  std::uint64_t line = 1;
  std::vector<Told> told;
};

std::string use(std::string_view id, std::string_view name, std::string_view input = R"({"a":1})", std::string_view seconds = "56.286") {
  return R"({"parentUuid":null,"isSidechain":false,"sessionId":"conv-1","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":")" +
         std::string(id) + R"(","name":")" + std::string(name) + R"(","input":)" + std::string(input) + R"(}]},"uuid":"u1","timestamp":"2026-11-29T16:35:)" + std::string(seconds) + "Z\"}\n";
}

std::string result(std::string_view id, std::string_view content, std::string_view more = "") {
  return R"({"parentUuid":"u1","sessionId":"conv-1","type":"user","message":{"role":"user","content":[{"tool_use_id":")" + std::string(id) +
         R"(","type":"tool_result","content":)" + std::string(content) + std::string(more) + R"(}]},"uuid":"u2","timestamp":"2026-11-29T16:35:57.100Z"})" + "\n";
}

TEST_CASE("a tool_use and its tool_result give a start and an end with server, tool, times, texts and digests") {
  Transcript t;
  t.read(use("toolu_01A", "mcp__demo__add", R"({"a":1, "b":"x y"})") + result("toolu_01A", R"([{"type":"text","text":"3 \"ok\""},{"type":"image"},{"type":"text","text":"!"}])"));
  REQUIRE(t.told.size() == 2);
  CHECK(t.told[0].is_start);
  CHECK(t.told[0].server == "demo");
  CHECK(t.told[0].tool == "add");
  CHECK(t.told[0].arguments == R"({"a":1, "b":"x y"})");
  CHECK(t.told[0].arguments_digest == hash_bytes(R"({"a":1,"b":"x y"})"));
  CHECK(t.told[0].conversation == "conv-1");
  CHECK(t.told[0].quote.starts_with(R"({"type":"tool_use","id":"toolu_01A")"));
  const Told& end = t.told[1];
  CHECK_FALSE(end.is_start);
  CHECK(end.call == "toolu_01A");
  CHECK(end.tool == "add");
  CHECK(end.at == "2026-11-29T16:35:57.100000Z");
  CHECK(end.started == "2026-11-29T16:35:56.286000Z");
  CHECK(end.started_line == 1);
  CHECK(end.line == 2);
  CHECK(end.text == "3 \"ok\"!");
  CHECK(end.digest == hash_bytes("3 \"ok\"!"));
  CHECK(end.arguments_digest == t.told[0].arguments_digest);
  CHECK(t.reader.form() == TranscriptForm::claude_code);
}

TEST_CASE("parallel calls are paired by the client's id, whatever the order of the results") {
  Transcript t;
  t.read(use("a", "mcp__demo__slow") + use("b", "mcp__demo__fast") + result("b", "\"fast\"") + result("a", "\"slow\""));
  REQUIRE(t.told.size() == 4);
  CHECK(t.told[2].tool == "fast");
  CHECK(t.told[2].text == "fast");
  CHECK(t.told[3].tool == "slow");
}

TEST_CASE("several calls and results of one line are each told") {
  Transcript t;
  t.read(R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"mcp__d__x","input":{}},{"type":"tool_use","id":"b","name":"mcp__d__y","input":{}}]}})"
         "\n"
         R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}})");
  REQUIRE(t.told.size() == 4);
  CHECK(t.told[1].tool == "y");
  CHECK(t.told[3].text == "2");
  CHECK(t.told[3].at.empty());
  CHECK(t.reader.books().used == 2);
}

TEST_CASE("what the client says in the place of a result is told apart, and only of errors") {
  const auto end_of = [](std::string_view content, std::string_view more) {
    Transcript t;
    t.read(use("a", "mcp__d__x") + result("a", content, more));
    return t.told.at(1);
  };
  constexpr std::string_view kError = R"(,"is_error":true)";
  CHECK(end_of(R"("MCP error -32001: Request timed out")", kError).timed_out);
  CHECK(end_of(R"("Tool call timed out waiting for server response.")", kError).timed_out);
  CHECK_FALSE(end_of(R"("the job says: Request timed out")", "").timed_out);
  CHECK(end_of(R"("Tool aborting: its answer stream ended with no answer")", kError).no_answer);
  const Told interrupted = end_of(R"("[Request interrupted by user for tool use]")", kError);
  CHECK((interrupted.no_answer && interrupted.stopped));
  CHECK(end_of(R"("The user doesn't want to proceed with this tool use. It was rejected.")", kError).not_sent);
  CHECK(end_of(R"("The user doesn't want to take this action right now. STOP what you are doing and wait.")", kError).not_sent);
  const Told plain = end_of(R"("no such row")", kError);
  CHECK(plain.is_error);
  CHECK_FALSE((plain.timed_out || plain.no_answer || plain.not_sent || plain.replaced));
  CHECK(plain.digest == hash_bytes("no such row"));
}

TEST_CASE("a text that stands for a payload has no digest, unless the payload stands beside it") {
  Transcript t;
  t.read(use("a", "mcp__d__x") + result("a", R"("Error: result (87,343 characters) exceeds maximum allowed tokens. Output has been saved to x.txt")"));
  CHECK(t.told.at(1).replaced);
  CHECK(t.told.at(1).digest == 0);
  t.read(use("b", "mcp__d__x") +
         R"({"message":{"content":[{"tool_use_id":"b","type":"tool_result","content":"[Old tool result content cleared]"}]},"toolUseResult":[{"type":"text","text":"whole"}]})");
  CHECK(t.told.at(3).replaced);
  CHECK(t.told.at(3).digest == hash_bytes("whole"));
}

TEST_CASE("a resumed session repeats its lines: each call and result is told once, a reused id is a new call") {
  Transcript t;
  const std::string once = use("a", "mcp__d__x") + result("a", "\"1\"");
  t.read(once + once + use("a", "mcp__d__x", R"({"a":2})", "59.000") + result("a", "\"2\""));
  REQUIRE(t.told.size() == 4);
  CHECK(t.reader.books().ignored.at("repeated") == 2);
  CHECK(t.told[3].text == "2");
}

TEST_CASE("the table of calls is one for all transcripts of a run") {
  const Limits limits;
  TranscriptCalls calls(limits);
  TranscriptReader first(limits, calls), second(limits, calls);
  Arena arena;
  int told = 0;
  const auto count = [&](const TranscriptRecord&) { ++told; };
  const std::string line = use("a", "mcp__d__x");
  first.read_line(line, false, {}, arena, count);
  second.read_line(line, false, {1, model::PlaceKind::line, 1, 0}, arena, count);
  CHECK(told == 1);
  CHECK(second.books().ignored.at("repeated") == 1);
}

TEST_CASE("the client's own tools are left out, and a result without its call is told without a tool") {
  Transcript t;
  t.read(use("a", "Bash") + result("a", "\"total 0\"") + result("lost", R"([{"type":"text","text":"orphan"}])"));
  REQUIRE(t.told.size() == 1);
  CHECK(t.told[0].call == "lost");
  CHECK(t.told[0].tool.empty());
  CHECK(t.told[0].started_line == 0);
  CHECK(t.reader.books().ignored.at("other-tool") == 2);
}

TEST_CASE("a server's name may hold underscores, sub-agents are named, calls by the model's API name their server") {
  Transcript t;
  t.read(use("a", "mcp__claude_ai_Linear__get_issue"));
  t.read(R"({"isSidechain":true,"agentId":"ag7","type":"assistant","message":{"content":[{"type":"mcp_tool_use","id":"mcptoolu_1","name":"echo","server_name":"lab","input":{}}]}})" "\n");
  t.read(R"({"type":"user","message":{"content":[{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1","is_error":true,"content":[{"type":"text","text":"no"}]}]}})" "\n");
  REQUIRE(t.told.size() == 3);
  CHECK(t.told[0].server == "claude_ai_Linear");
  CHECK(t.told[0].tool == "get_issue");
  CHECK(t.told[1].sidechain);
  CHECK(t.told[1].agent == "ag7");
  CHECK(t.told[1].server == "lab");
  CHECK(t.told[2].is_error);
  CHECK(t.told[2].tool == "echo");
}

TEST_CASE("a Codex rollout gives calls, their outputs and the duration that its end event tells") {
  Transcript t;
  t.read(R"({"timestamp":"2026-11-29T16:35:50.000Z","type":"session_meta","payload":{"id":"roll-1","cwd":"/w"}})" "\n"
         R"({"timestamp":"2026-11-29T16:35:56.000Z","type":"response_item","payload":{"type":"function_call","name":"mcp__demo__add","arguments":"{\"a\": 1}","call_id":"call_1"}})" "\n"
         R"({"timestamp":"2026-11-29T16:35:57.000Z","type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"call_1","invocation":{"server":"demo","tool":"add","arguments":{"a":1}},"duration":{"secs":0,"nanos":12000000},"result":{"Ok":{"content":[{"type":"text","text":"3"}],"isError":false}}}})" "\n"
         R"({"timestamp":"2026-11-29T16:35:57.001Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"[{\"type\":\"text\",\"text\":\"3\"}]"}})" "\n"
         R"({"timestamp":"2026-11-29T16:35:58.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"call_2"}})" "\n"
         R"({"timestamp":"2026-11-29T16:35:58.100Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_2","output":"total 0"}})" "\n");
  REQUIRE(t.told.size() == 2);
  CHECK(t.told[0].conversation == "roll-1");
  CHECK(t.told[0].arguments_digest == hash_bytes(R"({"a":1})"));
  CHECK(t.told[1].started == "2026-11-29T16:35:56.988000Z");
  CHECK(t.told[1].digest == hash_bytes("3"));
  CHECK(t.reader.books().ignored.at("repeated") == 1);
  CHECK(t.reader.books().ignored.at("other-tool") == 2);
  CHECK(t.reader.form() == TranscriptForm::codex);
}

TEST_CASE("Codex outputs: content blocks in a text, failures, and the newest items") {
  Transcript t;
  t.read(R"({"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"demo__add","arguments":"{}","call_id":"a"}})" "\n"
         R"({"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"a","output":"[{\"type\":\"text\",\"text\":\"in blocks\"}]"}})" "\n"
         R"({"type":"response_item","payload":{"type":"function_call","name":"add","namespace":"mcp__demo__","arguments":"{}","call_id":"b"}})" "\n"
         R"({"type":"response_item","payload":{"type":"function_call_output","call_id":"b","output":"tool call error: tool call failed for `demo/add`\n\nCaused by:\n    timed out awaiting tools/call after 60s"}})" "\n"
         R"({"timestamp":"2026-11-29T16:36:00Z","type":"event_msg","payload":{"type":"item_completed","started_at_ms":1795970155274,"completed_at_ms":1795970156274,"item":{"type":"McpToolCall","id":"c","server":"demo","tool":"add","arguments":{},"status":"failed","error":{"message":"Request timed out"}}}})" "\n");
  REQUIRE(t.told.size() == 5);
  CHECK(t.told[1].digest == hash_bytes("in blocks"));
  CHECK(t.told[1].server == "demo");
  CHECK(t.told[2].tool == "add");
  CHECK(t.told[2].server == "demo");
  CHECK(t.told[3].timed_out);
  CHECK(t.told[4].timed_out);
  CHECK(t.told[4].tool == "add");
  CHECK(t.told[4].started == "2026-11-29T16:35:59.000000Z");
}

TEST_CASE("broken lines are malformed with line and column, and reading goes on") {
  Transcript t;
  t.read("{\"type\":\"assistant\",\"mess\n" + use("a", "mcp__d__x") + "{\"a\":1 \"b\":2}\nnot json\n\n{\"a\":1} {\"b\":2}\n" + result("a", "\"1\""));
  CHECK(t.told.size() == 2);
  CHECK(t.reader.books().malformed.at("broken-json") == 4);
  CHECK(t.reader.books().ignored.at("blank") == 1);
  CHECK(t.reader.books().total == 7);
  CHECK(t.accounted() == 7);
  const model::Anomaly& first = t.reader.anomalies().entries().at("broken-json");
  CHECK(first.count == 4);
  CHECK(first.source.number == 1);
  CHECK(first.text == "line 1: the JSON object ends too early, behind column 26");
}

TEST_CASE("members of the wrong type give nothing and break nothing") {
  Transcript t;
  t.read(R"({"type":"assistant","message":{"content":[1,null,"x",{"type":"tool_use"},{"type":"tool_use","id":7,"name":"mcp__d__x"},{"type":"tool_use","id":"ok","name":["mcp__d__x"],"input":"y"}]},"timestamp":7})" "\n"
         R"({"message":{"content":{"type":"tool_result"}}})" "\n" R"({"message":"text"})" "\n" R"({"type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"z","invocation":[],"duration":{"secs":-5,"nanos":"x"},"result":[]}})" "\n");
  CHECK(t.reader.books().malformed.empty());
  CHECK(t.accounted() == 4);
  for (const Told& told : t.told) CHECK(told.tool.empty());
}

TEST_CASE("Limits::transcript_calls bounds the table: the oldest call is forgotten, and said so") {
  Limits limits;
  limits.transcript_calls = 2;
  Transcript t(limits);
  t.read(use("a", "mcp__d__x") + use("b", "mcp__d__x") + use("c", "mcp__d__x") + result("a", "\"1\""));
  REQUIRE(t.told.size() == 4);
  CHECK(t.told[3].tool.empty());
  CHECK(t.reader.anomalies().entries().contains("transcript-calls-bound"));
}

TEST_CASE("Limits::transcript_text_bytes bounds what is kept of texts, not what is digested") {
  Limits limits;
  limits.transcript_text_bytes = 4;
  Transcript t(limits);
  t.read(use("a", "mcp__d__x", R"({"query":"long"})") + result("a", "\"abcdefgh\""));
  CHECK(t.told[1].arguments == "{\"qu");
  CHECK(t.told[1].text == "abcd");
  CHECK(t.told[1].digest == hash_bytes("abcdefgh"));
}

TEST_CASE("a call id over Limits::id_bytes is not kept") {
  Transcript t;
  t.read(use(std::string(2000, 'i'), "mcp__d__x"));
  CHECK(t.told.empty());
  CHECK(t.reader.books().malformed.at("id-too-long") == 1);
}

TEST_CASE("many text blocks are put together in one go") {
  std::string blocks, text;
  for (int i = 0; i < 20000; ++i) {
    blocks += (i == 0 ? "" : ",") + std::string(R"({"type":"text","text":"ab"})");
    text += "ab";
  }
  Transcript t;
  t.read(use("a", "mcp__d__x") + result("a", "[" + blocks + "]"));
  CHECK(t.told[1].digest == hash_bytes(text));
}

}  // namespace
}  // namespace mcpscan::ingest
