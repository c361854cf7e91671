// probe_format: content tells the form, never the name.
#include <catch2/catch.hpp>

#include <random>

#include "ingest/input_set.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan::ingest;
using namespace std::string_literals;

namespace {

FormatKind probe(const std::string& head) { return probe_format(head); }

const std::string kHar = "{\n  \"log\": {\"version\": \"1.2\", \"creator\": {\"name\": \"x\"}, \"entries\": [";

}  // namespace

TEST_CASE("captures are told by all their magics", "[probe]") {
  for (const std::string& magic : {"\xA1\xB2\xC3\xD4"s, "\xD4\xC3\xB2\xA1"s, "\xA1\xB2\x3C\x4D"s, "\x4D\x3C\xB2\xA1"s, "\x0A\x0D\x0D\x0A\0\0\0\x1C\x1A\x2B\x3C\x4D"s,
                                   "\x0A\x0D\x0D\x0A\x1C\0\0\0\x4D\x3C\x2B\x1A"s}) {
    REQUIRE(probe(magic + std::string(20, '\0')) == FormatKind::capture);
  }
  REQUIRE(probe("\n\r\r\n2026-11-28 an empty line came first\n") == FormatKind::log);
}

TEST_CASE("HAR is told with and without a mark, in UTF-16, and with its keys in any order", "[probe]") {
  REQUIRE(probe(kHar) == FormatKind::har);
  REQUIRE(probe("\xEF\xBB\xBF" + kHar) == FormatKind::har);
  REQUIRE(probe(mcpscan::tests::utf16(kHar)) == FormatKind::har);
  REQUIRE(probe("{\"comment\":\"a \\\" b\",\"log\":{\"entries\":[") == FormatKind::har);
  REQUIRE(probe("{\"log\":\"plain text with \\\"entries\\\"\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-28T00:00:00Z\"}\n") == FormatKind::log);
}

TEST_CASE("transcripts of Claude Code and Codex are told by most of their lines", "[probe]") {
  REQUIRE(probe("{\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"user\",\"message\":{\"role\":\"user\"},\"uuid\":\"u\"}\n") == FormatKind::transcript);
  REQUIRE(probe("{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u\"}\n{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{\"content\":\"" + std::string(70000, 'x')) ==
          FormatKind::transcript);
  REQUIRE(probe("{\"timestamp\":\"2026-11-29T16:35:56Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}\n") == FormatKind::transcript);
  REQUIRE(probe("{\"debug\":\"Calling MCP tool: add\",\"timestamp\":\"t\",\"sessionId\":\"s\",\"cwd\":\"w\"}\n") == FormatKind::log);
  REQUIRE(probe("{\"level\":\"info\",\"msg\":\"x\"}\n{\"level\":\"info\"}\n{\"type\":\"user\",\"message\":\"hello\"}\n") == FormatKind::log);
}

TEST_CASE("flow files of mitmproxy are no text, though their bodies would pass for a log's; a line that begins with a time is none", "[probe]") {
  REQUIRE(probe("2477:4:type;4:http;7:version;2:17#8:response;64:7:content;41:{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},}}") == FormatKind::binary);
  REQUIRE(probe("1796:7:version;2:21#") == FormatKind::binary);
  REQUIRE(probe("12:30:11 server started; listening\n") == FormatKind::log);
  REQUIRE(probe("2026:5:hello\n") == FormatKind::log);
}

TEST_CASE("OTLP is told from JSON lines and from one printed object", "[probe]") {
  REQUIRE(probe("{\"resourceSpans\":[{\"resource\":{}}]}\n") == FormatKind::otlp);
  REQUIRE(probe("{\n  \"resourceLogs\" : [\n") == FormatKind::otlp);
  REQUIRE(probe("{\"msg\":\"resourceSpans\"}\n") == FormatKind::log);
}

TEST_CASE("text is a log: JSON lines, UTF-16, holes, other code pages, arrays", "[probe]") {
  REQUIRE(probe("2026-11-28 10:00:00 hello\n") == FormatKind::log);
  REQUIRE(probe(mcpscan::tests::utf16("2026-11-28 10:00:00 hello\r\n")) == FormatKind::log);
  REQUIRE(probe(std::string(64 * 1024, '\0')) == FormatKind::log);
  REQUIRE(probe(std::string(3000, '\0') + "2026-11-28 10:00:00 after a hole\n") == FormatKind::log);
  REQUIRE(probe("caf\xE9 \x1B[32mINFO\x1B[0m \xFF\xFE mixed\r\n") == FormatKind::log);
  REQUIRE(probe("[{\"debug\":\"x\"}]") == FormatKind::log);
  REQUIRE(probe(" \n\t") == FormatKind::log);
}

TEST_CASE("binary files and nothing at all are told", "[probe]") {
  REQUIRE(probe("") == FormatKind::empty);
  REQUIRE(probe("\x89PNG\r\n\x1A\n"s) == FormatKind::binary);
  REQUIRE(probe("\x7F" "ELF\2\1\1"s) == FormatKind::binary);
  REQUIRE(probe("PK\3\4abc"s) == FormatKind::binary);
  REQUIRE(probe("a\0b\1c\2d\3"s) == FormatKind::binary);
  std::mt19937 random(7);
  std::string noise(4096, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  REQUIRE(probe(noise) == FormatKind::binary);
}

TEST_CASE("any head gets an answer, wherever it is cut", "[probe]") {
  for (const std::string& whole : {kHar, "{\"a\\\"b\":[1,{\"c\":\"}\"}],\"type\":\"user\",\"sessionId\":\"s\"}\n"s, "{\"\\"s, "{\""s, "{\"a\":"s}) {
    for (std::size_t size = 1; size <= whole.size(); ++size) REQUIRE(probe(whole.substr(0, size)) != FormatKind::empty);
  }
}
