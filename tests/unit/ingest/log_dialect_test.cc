#include <catch2/catch.hpp>

#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using mcpscan::tests::all_dialects;

namespace {

const std::string kHead = "name: demo\ntitle: Demo\nreference: demo 1\nvantage: server\n";
const std::string kTail =
    "samples:\n  - {line: 'ping 1', is: noise}\n  - {line: 'ping 2', is: noise}\n  - {line: 'ping 3', is: noise}\nnot_samples: ['pong 1']\n";
const std::string kRule = "messages:\n  - {match: 'ping {_:int}', is: noise, reason: keep-alive}\n";

std::string error_of(const std::string& yaml) {
  DialectSet set;
  const Status status = set.add(yaml, "demo.yml");
  return status.ok() ? "" : status.error().to_string();
}

}  // namespace

TEST_CASE("every dialect that comes with the program loads and wins on its own samples") {
  CHECK(all_dialects().summaries().size() == embedded_dialects().size());
  for (const Error& error : all_dialects().check_samples()) FAIL_CHECK(error.to_string());
}

TEST_CASE("the dialects of the first delivery are all there") {
  for (const char* name : {"python-sdk", "python-sdk-client", "fastmcp", "uvicorn", "gunicorn", "structlog", "python-json-logger", "nginx", "caddy",
                           "supergateway", "typescript-sdk", "claude-desktop", "agent-client"}) {
    CHECK(all_dialects().contains(name));
  }
}

TEST_CASE("a minimal dialect of one rule, three samples and one not_sample loads") { CHECK(error_of(kHead + kRule + kTail) == ""); }

TEST_CASE("an unknown key is an error with file and line, the line, a caret and a hint") {
  CHECK(error_of(kHead + "mesages: []\n" + kTail) ==
        "demo.yml:5: unknown key 'mesages' in a dialect\n  mesages: []\n  ^\n  hint: did you mean 'messages'?");
}

TEST_CASE("an unknown key inside a message shows where it stands") {
  CHECK(error_of(kHead + "messages:\n  - {match: 'ping {_:int}', iss: noise}\n" + kTail) ==
        "demo.yml:6: unknown key 'iss' in a message\n    - {match: 'ping {_:int}', iss: noise}\n                              ^\n  hint: did you mean 'is'?");
}

TEST_CASE("a hole of an unknown field names the column and the likely field") {
  const std::string text = error_of(kHead + "messages:\n  - {match: 'ping {sesion}', is: context}\n" + kTail);
  CHECK(text.find("demo.yml:6: unknown field 'sesion' at column 6") == 0);
  CHECK(text.find("hint: did you mean 'session'?") != std::string::npos);
}

TEST_CASE("a hole that is never closed says how a literal brace is written") {
  const std::string text = error_of(kHead + "messages:\n  - {match: 'ping {key', is: context}\n" + kTail);
  CHECK(text.find("a hole { is never closed at column 6") != std::string::npos);
  CHECK(text.find("a literal brace is written \\{") != std::string::npos);
}

TEST_CASE("a text hole needs literal text behind it") {
  const std::string text = error_of(kHead + "messages:\n  - {match: 'a {key}{session}', is: context}\n" + kTail);
  CHECK(text.find("the text hole {key} is not followed by literal text") != std::string::npos);
}

TEST_CASE("a dialect without samples does not load") {
  CHECK(error_of(kHead + kRule) == "demo.yml:1: the dialect has 0 samples, it needs 3\n  name: demo\n  ^\n  hint: samples show what each rule is for, and prove it");
}

TEST_CASE("a dialect without not_samples does not load") {
  const std::string tail = kTail.substr(0, kTail.find("not_samples"));
  CHECK(error_of(kHead + kRule + tail).find("the dialect has no not_samples") != std::string::npos);
}

TEST_CASE("a sample that does not give its field is an error at the sample's line") {
  const std::string tail = "samples:\n  - {line: 'ping 1', is: notice}\n  - {line: 'ping 2', is: noise}\n  - {line: 'ping 3', is: noise}\nnot_samples: ['pong 1']\n";
  CHECK(error_of(kHead + kRule + tail) == "demo.yml:8: the sample gives is 'noise', not 'notice'\n  hint: either the rule or the sample is wrong");
}

TEST_CASE("a not_sample that is taken is an error") {
  CHECK(error_of(kHead + kRule + kTail.substr(0, kTail.find("['pong")) + "['ping 4']\n").find("the not_sample is taken for noise") != std::string::npos);
}

TEST_CASE("a second dialect of the same name does not load and leaves the set as it was") {
  DialectSet set;
  REQUIRE(set.add(kHead + kRule + kTail, "demo.yml").ok());
  const Status again = set.add(kHead + kRule + kTail, "other.yml");
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().to_string() == "other.yml: a dialect named 'demo' is loaded already\n  hint: give it another name");
  CHECK(set.summaries().size() == 1);
}

TEST_CASE("a sample that another dialect reads is found when all are loaded") {
  DialectSet set;
  REQUIRE(set.add(kHead + kRule + kTail, "demo.yml").ok());
  std::string other = kHead + "messages:\n  - {match: 'ping {_:int} more', is: noise, reason: keep-alive}\n" +
                      "samples:\n  - {line: 'ping 1 more', is: noise}\n  - {line: 'ping 1 more', is: noise}\n  - {line: 'ping 1', is: noise}\nnot_samples: ['x']\n";
  other.replace(6, 4, "demo2");
  const Status status = set.add(other, "demo2.yml");
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().what == "the sample is read by dialect 'demo'");
}

TEST_CASE("text that is no YAML is refused with its place") { CHECK(error_of("name: [").find("demo.yml:1: not YAML: ") == 0); }

TEST_CASE("a regex needs a literal, must compile, and its groups must be fields") {
  const auto with = [](const std::string& rule) { return error_of(kHead + "messages:\n  - " + rule + "\n" + kTail); };
  CHECK(with("{regex: 'ping (\\d+)', is: noise, reason: x}").find("a regex needs a literal of at least 3 bytes") != std::string::npos);
  CHECK(with("{regex: 'ping (', literal: ping, is: noise, reason: x}").find("bad regex: missing )") != std::string::npos);
  CHECK(with("{regex: 'ping (?P<kee>\\d+)', literal: ping, is: noise, reason: x}").find("unknown field 'kee' as a group") != std::string::npos);
  CHECK(with("{regex: 'ping (?P<key>\\d+)', literal: ping, is: noise, reason: x}") == "");
}

TEST_CASE("a dialect's regex fills the fields its groups name") {
  DialectSet set;
  REQUIRE(set.add(kHead + "messages:\n  - {regex: 'ping (?P<key>\\d+) by (?P<session>\\w+)', literal: ping, is: notice, notice: request_cancelled}\n" +
                      "samples:\n  - {line: 'ping 1 by abc', key: 1, session: abc}\n  - {line: 'ping 22 by b', key: 22}\n  - {line: 'ping 3 by c', is: notice}\n"
                      "not_samples: ['pong', 'a ping 3 by c']\n",
                  "demo.yml").ok());
  CHECK(set.check_samples().empty());
}

TEST_CASE("--dialect keeps only that dialect's messages") {
  ParserOptions options;
  options.dialect = "uvicorn";
  const auto parsed = tests::parse("INFO:mcp.server.streamable_http:Terminating session: abc\nINFO:     Shutting down\n", options);
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].kind == RecordKind::unknown);
  CHECK(parsed.records[1].notice == "server_stopped");
}

TEST_CASE("vantage and the hint how to see more come with the dialect") {
  LogParser parser(all_dialects(), {}, {});
  for (std::size_t i = 0; i < parser.dialects().size(); ++i) {
    if (parser.dialects()[i] != "python-sdk") continue;
    CHECK(parser.vantage_of(static_cast<std::uint16_t>(i)) == model::Vantage::server);
    CHECK(parser.enable_of(static_cast<std::uint16_t>(i)).find("mcp.server.streamable_http") != std::string_view::npos);
  }
  CHECK(parser.vantage_of(0) == model::Vantage::unknown);
  CHECK(parser.enable_of(9999).empty());
}
