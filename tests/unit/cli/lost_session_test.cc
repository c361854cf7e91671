// Sessions that were lost, as the logs of several products tell it: one finding a loss, whoever tells it and how often.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using model::Party;
using pipeline::ScanOptions;
using pipeline::ScanResult;
using tests::ScratchFolder;

namespace {

constexpr const char* kId = "0f1e2d3c-1111-4222-8333-444455556666";

const pipeline::Knowledge& knowledge() {
  static const pipeline::Knowledge loaded = pipeline::load_knowledge({}, {});
  return loaded;
}

std::vector<model::Finding> findings_of(const std::vector<std::string>& logs) {
  const ScratchFolder folder;
  ScanOptions options;
  options.threads = 1;
  for (std::size_t i = 0; i < logs.size(); ++i) options.inputs.push_back(folder.write(std::to_string(i) + ".log", logs[i]));
  const Limits limits;
  std::vector<model::Finding> findings = pipeline::scan(options, knowledge(), limits, [](const std::string&, std::uint64_t) {}).report.findings;
  std::erase_if(findings, [](const model::Finding& finding) { return finding.level == model::Level::informational; });
  return findings;
}

// The log's only finding.
model::Finding only_finding(const std::vector<std::string>& logs) {
  std::vector<model::Finding> findings = findings_of(logs);
  REQUIRE(findings.size() == 1);
  return findings.front();
}

std::string at(int second, const std::string& text) {
  std::string digits = std::to_string(100 + second);
  return "2026-11-29T16:35:" + digits.substr(1) + ".000000Z " + text + "\n";
}

}  // namespace

TEST_CASE("a client's log and a server's log of the same refusals are one finding in the session that the server named") {
  const std::string refused = "ERROR rmcp::transport::common::client_side_sse: sse stream error: Client error: HTTP status client error (401 Unauthorized) for url "
                              "(http://mcp.example:8000/mcp): Unauthorized: Session not found";
  const std::string server = at(0, std::string(" INFO rmcp::transport::streamable_http_server::tower: create new session session_id=\"") + kId + "\"") +
                             at(9, "DEBUG request{method=GET uri=/mcp version=HTTP/1.1}: tower_http::trace::on_response: finished processing request latency=0 ms status=401");
  const model::Finding found = only_finding({at(9, refused) + at(11, refused), server});
  CHECK(found.rule == "session-lost");
  CHECK(found.session == kId);
  CHECK(found.count == 2);
  CHECK(found.fault.party == Party::server);
}

TEST_CASE("with two sessions elsewhere the client's may be either: it stays without a name") {
  const std::string refused = "ERROR app: StreamableHTTPError: Streamable HTTP error: Error POSTing to endpoint: Session not found";
  const std::string begun = " INFO rmcp::transport::streamable_http_server::tower: create new session session_id=";
  const model::Finding found = only_finding({at(9, refused), at(0, begun + kId) + at(1, begun + "another-session")});
  CHECK(found.session.empty());
}

TEST_CASE("a bridge that went on with a dead session is at fault, and each refusal that it logs twice counts once") {
  const std::string error = R"([7] Error from remote server: Error: Error POSTing to endpoint (HTTP 404): {"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null})"
                            "\n    at StreamableHTTPClientTransport.send (file:///x/chunk.js:1:2)\n";
  std::string log = "[7] [Local→Remote] initialize\n[7] {\n  \"jsonrpc\": \"2.0\",\n  \"id\": 0,\n  \"method\": \"initialize\",\n  \"params\": {}\n}\n[7] [Remote→Local] 0\n"
                    "[7] [Local→Remote] tools/list\n[7] [Remote→Local] 1\n[7] [Remote→Local] ping\n[7] [Local→Remote] 1\n";
  for (int i = 0; i < 2; ++i) log += "[7] [Local→Remote] tools/call\n" + error + error;
  CHECK(only_finding({log}).fault.party == Party::server);  // the second may have been on its way
  const model::Finding found = only_finding({log + "[7] [Local→Remote] tools/call\n" + error + error});
  CHECK(found.rule == "session-lost");
  CHECK(found.count == 3);
  CHECK(found.fault.party == Party::gateway);
}

TEST_CASE("a gateway that accepts its client's session and passes a backend's refusal on has lost the session behind it") {
  const auto line = [](int second, const std::string& target, const std::string& rest) {
    return "2026-11-29T16:35:" + std::to_string(10 + second) + ".000000Z\tinfo\trequest gateway=default/gw http.method=POST http.path=/mcp http.status=200 protocol=mcp mcp.method.name=tools/call mcp.target=" +
           target + " gen_ai.tool.name=find mcp.session.id=" + kId + rest + " duration=9ms\n";
  };
  const std::string error = " mcp.error.code=-32600 mcp.error.message=\"Session not found\"";
  const model::Finding found = only_finding({line(0, "crm", "") + line(1, "crm", error) + line(2, "wiki", "") + line(3, "crm", error)});
  CHECK(found.rule == "upstream-session-lost");
  CHECK(found.session == kId);
  CHECK(found.count == 2);
  CHECK(found.tally == std::map<std::string, std::uint64_t>{{"crm", 2}});
  CHECK(found.fault.party == Party::gateway);
}

TEST_CASE("a client that goes on after a 404, told by its access lines and by the end of a stack, is at fault") {
  const auto call = [](int second, int id) {
    return "2026-11-29 16:35:" + std::to_string(10 + second) + ",000 - mcp.client.streamable_http - DEBUG - Sending client message: root=JSONRPCRequest(method='tools/call', params={'name': 'add', 'arguments': {}}, jsonrpc='2.0', id=" +
           std::to_string(id) + ")\n2026-11-29 16:35:" + std::to_string(10 + second) + ",100 - httpx - INFO - HTTP Request: POST http://mcp.example:8000/mcp \"HTTP/1.1 404 Not Found\"\n";
  };
  const std::string begun = "2026-11-29 16:35:00,900 - mcp.client.streamable_http - DEBUG - Sending client message: root=JSONRPCRequest(method='initialize', params={}, jsonrpc='2.0', id=0)\n"
                            "2026-11-29 16:35:01,000 - mcp.client.streamable_http - INFO - Received session ID: 0123456789abcdef0123456789abcdef\n"
                            "2026-11-29 16:35:01,100 - mcp.client.streamable_http - DEBUG - SSE message: root=JSONRPCResponse(jsonrpc='2.0', id=0, result={'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'x', 'version': '1'}})\n"
                            "2026-11-29 16:35:01,200 - mcp.client.streamable_http - DEBUG - Sending client message: root=JSONRPCNotification(method='notifications/initialized', params=None, jsonrpc='2.0')\n";
  const std::string failed = "2026-11-29 16:35:12,101 - app - ERROR - tool failed\nTraceback (most recent call last):\n  File \"/app/run.py\", line 12, in call\nmcp.shared.exceptions.McpError: Session terminated\n";
  const model::Finding found = only_finding({begun + call(2, 1) + failed + call(20, 2)});
  CHECK(found.rule == "session-lost");
  CHECK(found.session == "0123456789abcdef0123456789abcdef");
  CHECK(found.count == 2);
  CHECK(found.calls.size() == 2);
  CHECK(found.fault.party == Party::client);
}

TEST_CASE("errors of other kinds in the same frames are no lost session") {
  CHECK(findings_of({at(1, "ERROR app: Error POSTing to endpoint (HTTP 500): session store unreachable") + at(2, "ERROR app: MCP error -32600: Invalid params: session must be a string") +
                     "[7] Error from remote server: SSE error: Non-200 status code (502)\n"})
            .empty());
}

TEST_CASE("one log for each of two replicas, of which one only answers a session and the other only refuses it: no affinity; one after the other: a loss at most") {
  const auto line = [](int second, int status) {
    return R"({"level":30,"time":"2026-11-29T16:35:)" + std::to_string(second) + R"(.000Z","req":{"method":"POST","url":"/mcp","headers":{"mcp-session-id":")" + kId +
           R"("}},"res":{"statusCode":)" + std::to_string(status) + R"(},"responseTime":20,"msg":"request completed"})" + "\n";
  };
  std::string answers, refuses, later;
  for (int i = 0; i < 4; ++i) {
    answers += line(20 + 2 * i, 200);
    refuses += line(21 + 2 * i, 404);
    later += line(41 + 2 * i, 404);
  }
  const auto of_affinity = [](const std::vector<model::Finding>& findings) {
    return std::count_if(findings.begin(), findings.end(), [](const model::Finding& finding) { return finding.rule == "session-affinity" && finding.session == kId; });
  };
  CHECK(of_affinity(findings_of({answers, refuses})) == 1);
  CHECK(of_affinity(findings_of({answers, later})) == 0);
}

TEST_CASE("an error that a log quotes behind words of a failed request is the server's answer, whatever its id") {
  const std::string failed = "ERROR [mcp-client] request failed: ";
  for (const char* id : {"7", "\"server-error\""}) {
    INFO(id);
    const model::Finding found = only_finding({at(9, failed + R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32600,"message":"Session not found"}})")});
    CHECK(found.rule == "session-lost");
    CHECK(found.fault.party == Party::server);
  }
  CHECK(findings_of({at(9, failed + R"({"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Browser session not found"}})")}).empty());
  CHECK(findings_of({at(9, failed + R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Session not found"}],"isError":true}})")}).empty());
}
