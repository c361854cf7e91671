// Several files of one traffic, or of none: what is joined, what is said, what counts once.
#include "pipeline/scan.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using pipeline::ScanOptions;
using pipeline::ScanResult;

namespace {

constexpr const char* kSession = "11111111222222223333333344444444";

ScanResult scan_of(std::vector<std::string> inputs, ScanOptions options = {}) {
  const Limits limits;
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  options.inputs = std::move(inputs);
  options.threads = 1;
  return pipeline::scan(options, kBuiltIn, limits, [](const std::string&, std::uint64_t) {});
}

// Calls one to six of a log whose clock starts at `hour`; what a gateway does to ids and sessions is for the caller to say.
std::string log_of(int hour, double behind_s, const char* id_form = "{}", const char* session = kSession, const char* word = "amber", double takes_s = 0.5) {
  std::string text;
  for (int i = 1; i <= 6; ++i) {
    const std::string id = fmt::format(fmt::runtime(id_form), i);
    const auto line = [&](double at, const std::string& json) {
      const int ms = static_cast<int>((at + behind_s) * 1000);
      return fmt::format("2026-11-29T{:02}:00:{:02}.{:03}Z INFO wire session={} body={}\n", hour, ms / 1000, ms % 1000, session, json);
    };
    text += line(i, fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{"q":"{}-{}"}}}}}})", id, word, i));
    text += line(i + takes_s, fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{}-{}"}}]}}}})", id, word, i));
  }
  return text;
}

bool notes(const ScanResult& result, const char* what) {
  const auto& list = result.report.notes;
  return std::any_of(list.begin(), list.end(), [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("two files of one traffic, in either order: each message once, the clocks' offset and the rewritten ids are told") {
  const ScratchFolder folder;
  const std::string front = folder.write("front.log", log_of(10, 0)), back = folder.write("back.log", log_of(10, 2.25, "\"{}_a3b2c1d0\"", "99999999222222223333333344444444"));
  ScanOptions options;
  options.as_of = {{"front.log", model::Vantage::gateway}, {"back.log", model::Vantage::server}};
  const bool turned = GENERATE(false, true);
  const ScanResult result = scan_of(turned ? std::vector{back, front} : std::vector{front, back}, options);
  CHECK(result.report.sessions.size() == 1);
  CHECK(result.report.totals.requests == 6);
  CHECK(notes(result, "front.log (gateway) and back.log (server) saw the same traffic: 6 of 6 calls joined; the second clock is 2.250 s ahead (within 1 ms, from 6 calls)"));
  CHECK(notes(result, "ids are rewritten on the way: 1 becomes \"1_a3b2c1d0\" (6 calls)"));
}

TEST_CASE("what two clients asked of one server, whose log shows both under names of its own: each message once, whatever the order") {
  const ScratchFolder folder;
  const std::string one = folder.write("one.log", log_of(10, 0)), two = folder.write("two.log", log_of(11, 0, "{}", "22222222222233334444555555555555", "fjord"));
  const std::string server = folder.write("server.log", log_of(10, 0.01, "{}", "99999999222222223333333344444444", "amber", 0.48) + log_of(11, 0.01, "{}", "88888888222222223333333344444444", "fjord", 0.48));
  ScanOptions options;
  options.as_of = {{"one.log", model::Vantage::client_wire}, {"two.log", model::Vantage::client_wire}, {"server.log", model::Vantage::server}};
  const auto order = GENERATE(0, 1, 2);
  std::vector<std::string> inputs{one, two};
  inputs.insert(inputs.begin() + order, server);
  const ScanResult result = scan_of(inputs, options);
  CHECK(result.report.sessions.size() == 2);
  CHECK(result.report.totals.requests == 12);
  CHECK(notes(result, "one.log (wire at the client) and server.log (server) saw the same traffic: 6 of 6"));
  CHECK(notes(result, "two.log (wire at the client) and server.log (server) saw the same traffic: 6 of 6"));
  CHECK_FALSE(notes(result, "0 of 6"));
}

TEST_CASE("records of unknown place with ids rewritten on the way: the one where calls take longer is the client's side") {
  const ScratchFolder folder;
  const std::string front = folder.write("front.log", log_of(10, 0)), back = folder.write("back.log", log_of(10, 0.01, "10{}", kSession, "amber", 0.48));
  const bool turned = GENERATE(false, true);
  const ScanResult result = scan_of(turned ? std::vector{back, front} : std::vector{front, back});
  CHECK(notes(result, "front.log (wire at the client) and back.log (wire at the server) saw the same traffic"));
}

TEST_CASE("records of unknown place with the same ids may be two of one hop: their place stays unknown") {
  const ScratchFolder folder;
  const ScanResult result = scan_of({folder.write("front.log", log_of(10, 0)), folder.write("back.log", log_of(10, 0.01, "{}", kSession, "amber", 0.48))});
  CHECK(notes(result, "front.log (place unknown) and back.log (place unknown) saw the same traffic"));
}

TEST_CASE("a client's own log of its messages and a log beyond it: the session counts once, and so does what both show") {
  const ScratchFolder folder;
  const auto twice = [](std::string text, const char* head, const char* tail) {  // an id used again, under a name for the session or none
    for (const int at : {30, 40}) text += fmt::format("2026-11-29T10:00:{}.000Z {}{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"q\":\"{}\"}}}}}}{}\n", at, head, at, tail);
    return text;
  };
  std::string own;
  for (int i = 1; i <= 6; ++i) {
    own += fmt::format("2026-11-29T10:00:{:02}.000Z [demo] [info] Message from client: {{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"q\":\"amber-{}\"}}}}}}\n", i, i, i);
    own += fmt::format("2026-11-29T10:00:{:02}.500Z [demo] [info] Message from server: {{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"amber-{}\"}}]}}}}\n", i, i, i);
  }
  const std::string client = folder.write("mcp-server-demo.log", twice(own, "[demo] [info] Message from client: ", ""));
  SECTION("two logs of the client, of which one has it all in the other order of words") {
    std::string turned = twice(own, "[demo] [info] Message from client: ", "");
    for (std::size_t at = turned.find("[demo] [info]"); at != std::string::npos; at = turned.find("[demo] [info]", at)) turned.replace(at, 13, "[info] [demo]");
    const ScanResult both = scan_of({client, folder.write("mcp.log", turned)});
    CHECK(both.report.sessions.size() == 1);
    CHECK(both.report.totals.requests == 8);
  }
  const std::string beyond = folder.write("gateway.log", twice(log_of(10, 0.002), fmt::format("INFO wire session={} body=", kSession).c_str(), ""));
  ScanOptions options;
  options.as_of = {{"gateway.log", model::Vantage::gateway}};
  const ScanResult result = scan_of({client, beyond}, options);
  CHECK(notes(result, "saw the same traffic"));
  REQUIRE(result.report.sessions.size() == 1);
  CHECK(result.report.sessions[0].id == kSession);
  CHECK(result.report.totals.requests == 8);
  CHECK(std::all_of(result.report.findings.begin(), result.report.findings.end(), [](const auto& finding) { return finding.session != "demo"; }));
}

TEST_CASE("clocks two hours apart: said, and judged apart") {
  const ScratchFolder folder;
  const ScanResult result = scan_of({folder.write("a.log", log_of(10, 0)), folder.write("b.log", log_of(12, 0))});
  CHECK_FALSE(notes(result, "saw the same traffic"));
  CHECK(notes(result, "2 h 0 min apart: each was judged alone (is a time zone missing? give it with --tz)"));
}

TEST_CASE("files that are no witnesses of the same traffic: said, and judged apart") {
  const ScratchFolder folder;
  const ScanResult result = scan_of({folder.write("a.log", log_of(10, 0)), folder.write("b.log", log_of(10, 0, "{}", "77777777222222223333333344444444", "birch"))});
  CHECK_FALSE(notes(result, "saw the same traffic"));
  CHECK(result.report.sessions.size() == 2);
  CHECK(notes(result, "no other input shows calls of"));
}

TEST_CASE("a copy under another name is read once") {
  const ScratchFolder folder;
  const ScanResult result = scan_of({folder.write("a.log", log_of(10, 0)), folder.write("b.log", log_of(10, 0))});
  CHECK(notes(result, "holds the same bytes as"));
  CHECK(result.report.totals.requests == 6);
  CHECK(result.report.inputs[1].books.total == 0);
}

TEST_CASE("64 sources are laid beside each other; of more the rest is told") {
  const ScratchFolder folder;
  std::vector<std::string> files;
  for (int i = 0; i < 65; ++i) files.push_back(folder.write(fmt::format("{:02}.log", i), log_of(10, 0, "{}", kSession, fmt::format("word{}", i).c_str())));
  CHECK(notes(scan_of(files), "1 inputs were not laid beside the others"));
}

TEST_CASE("a proof is written where it is asked for, from every source") {
  const ScratchFolder folder;
  ScanOptions options;
  options.exonerate = model::Party::server;
  options.as = model::Vantage::server;
  const ScanResult result = scan_of({folder.write("a.log", log_of(10, 0))}, options);
  REQUIRE(result.exoneration);
  CHECK_FALSE(result.report.inputs[0].sha256.empty());
}
