// Plain wire dumps and stdio transcripts: one message a line, with the direction in whatever words its author chose.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

struct Spelling {
  const char* line;           // {0}: time, {1}: the message, {2}: the message as the inside of a JSON string, {3}: the word for the direction
  const char *ask, *answer;
};

std::string escaped(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '"' ? "\\\"" : std::string(1, c);
  return text;
}

// Three calls and their replies, the second and third of them at the same time.
std::string dump(const Spelling& spelling) {
  const auto ask = [](int id) { return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{}}}}}})", id); };
  const auto answer = [](int id) { return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}})", id); };
  std::string text;
  int second = 10;
  for (const auto& [json, asks] : std::vector<std::pair<std::string, bool>>{{ask(1), true}, {answer(1), false}, {ask(2), true}, {ask(3), true}, {answer(3), false}, {answer(2), false}}) {
    text += fmt::format(fmt::runtime(spelling.line), fmt::format("2026-11-29T16:35:{}.000Z", second++), json, escaped(json), asks ? spelling.ask : spelling.answer) + "\n";
  }
  return text;
}

// A finding that is more than informational.
bool accuses(const pipeline::ScanResult& result) {
  return std::any_of(result.report.findings.begin(), result.report.findings.end(), [](const auto& finding) { return finding.level > model::Level::informational; });
}

void check_dump(const Spelling& spelling) {
  static const pipeline::Knowledge kKnowledge = pipeline::load_knowledge({}, {});
  const ScratchFolder folder;
  pipeline::ScanOptions options;
  const std::string text = dump(spelling);
  options.inputs = {folder.write("wire.log", text)};
  options.threads = 1;
  const auto result = pipeline::scan(options, kKnowledge, Limits{}, [](const std::string&, std::uint64_t) {});
  INFO(text.substr(0, text.find('\n')));
  CHECK(result.report.sessions.size() == 1);
  CHECK(result.report.requests == 3);
  CHECK(result.report.requests_with_reply == 3);
  CHECK(result.report.inputs[0].books.used == 6);
  CHECK_FALSE(accuses(result));
}

}  // namespace

TEST_CASE("wire dumps as JSON lines: the message under any key, an object or a text, nested, the direction in many words") {
  for (const Spelling& spelling : std::vector<Spelling>{
           {R"({{"ts":"{0}","dir":"{3}","message":{1}}})", "c2s", "s2c"},
           {R"({{"timestamp":"{0}","direction":"{3}","payload":{1}}})", "client_to_server", "server_to_client"},
           {R"({{"time":"{0}","direction":"{3}","message":"{2}"}})", "client->server", "server->client"},
           {R"({{"time":"{0}","type":"{3}","data":{1}}})", "sent", "received"},
           {R"({{"time":"{0}","kind":"{3}","body":{1}}})", "request", "response"},
           {R"({{"time":"{0}","from":"{3}","message":{1}}})", "client", "server"},
           {R"({{"time":"{0}","direction":"{3}","raw":"{2}"}})", "out", "in"},
           {R"({{"time":"{0}","direction":"{3}","raw":"{2}"}})", "in", "out"},
           {R"({{"time":"{0}","direction":"{3}","frame":{1}}})", "outbound", "inbound"},
           {R"({{"time":"{0}","direction":"{3}","content":{1}}})", "outgoing", "incoming"},
           {R"({{"time":"{0}","stream":"{3}","line":"{2}"}})", "stdin", "stdout"},
           {R"({{"time":"{0}","event":"{3}","message":{1}}})", "client_message", "server_message"},
           {R"({{"time":"{0}","direction":"{3}","message":{1}}})", "\xe2\x86\x92", "\xe2\x86\x90"},
           {R"({{"time":"{0}","direction":"{3}","message":{1}}})", ">>>", "<<<"},
           {R"({{"time":"{0}","{3}":{1}}})", "request", "response"},
           {R"({{"time":"{0}","direction":"{3}","data":{{"seq":4,"message":{1}}}}})", "to_server", "from_server"},
           {"{1}", "", ""}}) {
    check_dump(spelling);
  }
}

TEST_CASE("stdio transcripts as text: arrows, names of the streams, letters, who speaks") {
  for (const Spelling& spelling : std::vector<Spelling>{{"{3} {1}", "-->", "<--"},
                                                        {"{3} {1}", ">", "<"},
                                                        {"{3}: {1}", "STDIN", "STDOUT"},
                                                        {"{0} [{3}] {1}", "STDIN", "STDOUT"},
                                                        {"{0} {3} {1}", "C->S", "S->C"},
                                                        {"[{3}] {1}", "client", "server"},
                                                        {"{0} {3}: {1}", "Sent", "Received"},
                                                        {"{0} {3}: {1}", "Received", "Sent"},
                                                        {"{0} client {3} server {1}", "=>", "<="}}) {
    check_dump(spelling);
  }
}

TEST_CASE("1.0 is the value 1 as another type: a reply is no orphan for it, and a server that was asked with it is not to blame") {
  const auto line = [](int second, const char* direction, const std::string& json) { return fmt::format(R"({{"ts":"2026-11-29T16:35:{}.000Z","dir":"{}","message":{}}})", second, direction, json) + "\n"; };
  const auto call = [&](int second, const char* asked, const char* answered) {
    return line(second, "c2s", fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{}}}}}})", asked)) +
           line(second + 1, "s2c", fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}})", answered));
  };
  static const pipeline::Knowledge kKnowledge = pipeline::load_knowledge({}, {});
  const ScratchFolder folder;
  const auto rules_of = [&](const std::string& text) {
    pipeline::ScanOptions options;
    options.inputs = {folder.write("wire.log", text)};
    options.threads = 1;
    std::vector<std::string> rules;
    for (const auto& finding : pipeline::scan(options, kKnowledge, Limits{}, [](const std::string&, std::uint64_t) {}).report.findings) {
      rules.push_back(finding.rule + " " + std::string(model::to_string(finding.fault.party)) + " " + std::string(model::to_string(finding.level)));
    }
    return rules;
  };
  CHECK(rules_of(call(10, "1", "1.0") + call(20, "2", "2")) == std::vector<std::string>{"id-type-drift server medium"});
  CHECK(rules_of(call(10, "1.0", "1") + call(20, "2", "2")) == std::vector<std::string>{"bad-id-type client medium"});
}

TEST_CASE("a chunk of several messages that the log cuts hides requests: a reply that answers none of those shown is nobody's fault") {
  static const pipeline::Knowledge kKnowledge = pipeline::load_knowledge({}, {});
  const auto ask = [](int id) { return fmt::format(R"({{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{}}}}}}\n)", id); };
  const auto answer = [](int id) { return fmt::format("41 write(1, \"{{\\\"result\\\":{{\\\"content\\\":[]}},\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":{}}}\\n\", 60) = 60\n", id); };
  const ScratchFolder folder;
  pipeline::ScanOptions options;
  options.threads = 1;
  const bool cut = GENERATE(false, true);
  const std::string chunk = ask(1) + ask(2) + ask(3);
  const std::string shown = cut ? chunk.substr(0, ask(1).size() + 40) + "\"..., 270) = 270\n" : chunk + "\", 270) = 270\n";
  const std::string opening = R"(41 read(0, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}\n", 62) = 62
41 write(1, "{\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}},\"jsonrpc\":\"2.0\",\"id\":0}\n", 135) = 135
)";
  options.inputs = {folder.write("trace.log", opening + "41 read(0, \"" + shown + answer(1) + answer(2) + answer(3))};
  const auto result = pipeline::scan(options, kKnowledge, Limits{}, [](const std::string&, std::uint64_t) {});
  INFO(shown);
  CHECK(result.report.requests == (cut ? 2 : 4));
  CHECK_FALSE(accuses(result));
}
