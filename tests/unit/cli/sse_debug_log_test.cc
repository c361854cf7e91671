// The Python SDK's debug logs of the transport of 2024-11-05, the server's and the client's: one session, each message once, in whatever layout.
#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using tests::ScratchFolder;

namespace {

struct Line {
  std::string logger, text;
};
using Lines = std::vector<Line>;

const std::string kDashed = "3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d", kPlain = "3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d";
const std::string kServer = "mcp.server.sse", kClient = "mcp.client.sse";

Lines posted(const std::string& repr, const std::string& json) {
  return {{kClient, "Sending client message: SessionMessage(message=JSONRPCMessage(root=" + repr + "), metadata=None)"},
          {kServer, "Parsed session ID: " + kDashed},
          {kServer, "Received JSON: b'" + json + "'"},
          {kServer, "Validated client message: root=" + repr},
          {"httpx", "HTTP Request: POST http://mcp.example:8000/messages/?session_id=" + kPlain + " \"HTTP/1.1 202 Accepted\""}};
}

Lines answered(const std::string& id, const std::string& repr, const std::string& json) {
  const std::string response = "JSONRPCResponse(jsonrpc='2.0', id=" + id + ", result=" + repr + ")";
  return {{kServer, "Sending message via SSE: SessionMessage(message=JSONRPCMessage(root=" + response + "), metadata=None)"},
          {"sse_starlette.sse", R"(chunk: b'event: message\r\ndata: {"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + json + R"(}\r\n\r\n')"},
          {kClient, "Received server message: root=" + response}};
}

// A call that is answered and one that its client cancels, as both sides tell it.
const Lines& conversation() {
  static const Lines kAll = [] {
    Lines all = {{kServer, "Created new session with ID: " + kDashed}, {kClient, "Received endpoint URL: http://mcp.example:8000/messages/?session_id=" + kPlain}};
    const auto add = [&all](const Lines& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(posted("JSONRPCRequest(method='initialize', params={'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'mcp', 'version': '0.1.0'}}, jsonrpc='2.0', id=0)",
               R"({"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"mcp","version":"0.1.0"}},"jsonrpc":"2.0","id":0})"));
    add(answered("0", "{'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'depot', 'version': '1'}}",
                 R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"depot","version":"1"}})"));
    add(posted("JSONRPCNotification(method='notifications/initialized', params=None, jsonrpc='2.0')", R"({"method":"notifications/initialized","jsonrpc":"2.0"})"));
    for (const char* id : {"1", "2"}) {
      add(posted(std::string("JSONRPCRequest(method='tools/call', params={'name': 'count', 'arguments': {'n': ") + id + "}}, jsonrpc='2.0', id=" + id + ")",
                 std::string(R"({"method":"tools/call","params":{"name":"count","arguments":{"n":)") + id + R"(}},"jsonrpc":"2.0","id":)" + id + "}"));
    }
    add(answered("1", "{'content': [{'type': 'text', 'text': '1 part'}]}", R"({"content":[{"type":"text","text":"1 part"}]})"));
    add(posted("JSONRPCNotification(method='notifications/cancelled', params={'requestId': 2, 'reason': 'user'}, jsonrpc='2.0')",
               R"({"method":"notifications/cancelled","params":{"requestId":2,"reason":"user"},"jsonrpc":"2.0"})"));
    return all;
  }();
  return kAll;
}

void check_one_session(const std::function<bool(const Line&)>& kept, const std::function<std::string(const Line&)>& layout) {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  std::string log;
  for (const Line& line : conversation()) {
    if (kept(line)) log += layout(line) + "\n";
  }
  const ScratchFolder folder;
  pipeline::ScanOptions options;
  options.threads = 1;
  options.inputs = {folder.write("sse.log", log)};
  const auto report = pipeline::scan(options, kBuiltIn, {}, [](const std::string&, std::uint64_t) {}).report;
  REQUIRE(report.sessions.size() == 1);
  CHECK((report.sessions[0].id == kPlain || report.sessions[0].id == kDashed));
  CHECK(report.sessions[0].counts.requests == 3);
  CHECK(report.sessions[0].counts.replies == 2);
  CHECK(report.sessions[0].counts.notifications == 2);
  for (const auto& finding : report.findings) {
    INFO(finding.rule);
    CHECK(finding.level == model::Level::informational);
  }
}

bool any(const Line&) { return true; }
bool by_server(const Line& line) { return line.logger == kServer || line.logger == "sse_starlette.sse"; }
bool by_client(const Line& line) { return line.logger == kClient || line.logger == "httpx"; }
std::string named(const Line& line) { return "2026-11-29 16:35:00,100 - " + line.logger + " - DEBUG - " + line.text; }
std::string nameless(const Line& line) { return "2026-11-29 16:35:00,100 DEBUG " + line.text; }
std::string bare(const Line& line) { return line.text; }

}  // namespace

TEST_CASE("a server's log is one session, and a reply that SDK and web framework both print is one, where no logger is named either") {
  for (const auto& layout : {named, nameless, bare}) check_one_session(by_server, layout);
}

TEST_CASE("a client's log belongs to the session of the endpoint that it was given") {
  for (const auto& layout : {named, nameless, bare}) check_one_session(by_client, layout);
}

TEST_CASE("server and client in one process tell one session, and each message once") { check_one_session(any, named); }
