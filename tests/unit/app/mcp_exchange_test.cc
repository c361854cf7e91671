#include <catch2/catch.hpp>

#include "app/mcp_endpoints.h"
#include "http_support.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";

std::string get(std::string_view target, std::string_view fields = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n{}\r\n", target, fields);
}

class FactsRecorder final : public model::ObservationSink {
 public:
  void observe(const model::Observation& o) override {
    if (o.kind != model::ObservationKind::exchange_request) return;
    name = o.http->mcp_name;
    forwarded = o.http->forwarded_for;
    principal = o.http->principal;
    server = o.http->server;
    port = o.http->peer_port;
  }
  std::string name, forwarded, server;
  std::uint64_t principal = 0;
  std::uint16_t port = 0;
};

}  // namespace

TEST_CASE("the initialize exchange is known by its reply's session from the response on") {
  Wire wire;
  wire.client(post(kInitialize, "")).server(json_reply(R"({"jsonrpc":"2.0","id":0,"result":{}})", "Mcp-Session-Id: s9\r\n"));
  const Lines lines = wire.end();
  CHECK(lines[1] == "#1 > request 0 initialize [post]");
  CHECK(lines[2] == "#1 200 [post s9]");
  CHECK(lines[3] == "#1 < result 0 [post s9]");
}

TEST_CASE("GET streams are standalone or resumed, by Last-Event-ID") {
  Wire wire;
  wire.client(get("/mcp", "Mcp-Session-Id: s1\r\n")).server(sse_head() + chunk("id: e5\ndata: " + result(1) + "\n\n") + "0\r\n\r\n");
  wire.client(get("/mcp", "Mcp-Session-Id: s1\r\nLast-Event-ID: e5\r\n"))
      .server("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
  const Lines lines = wire.end();
  CHECK(lines[0] == "#1 GET /mcp [get s1]");
  CHECK(lines[2] == "#1 < result 1 event e5 [get s1]");
  CHECK(lines[4] == "#2 GET /mcp [resume s1]");
}

TEST_CASE("the endpoint event makes a stream of the 2024-11-05 transport and names its session") {
  Wire wire;
  wire.client(get("/sse")).server(sse_head() + chunk("event: endpoint\ndata: /messages?sessionId=abc\n\n") + chunk(event(result(1))));
  CHECK(wire.end(EndReason::evidence_ends) ==
        Lines{"#1 GET /sse [legacy abc]", "#1 200 sse [legacy abc]", "#1 < result 1 [legacy abc]", "#1 end evidence_ends 0/118"});
}

TEST_CASE("a POST to a legacy URL carries the session of the URL and may be answered 202") {
  Wire wire;
  wire.client(post(call(1), "", "/messages?sessionId=abc")).server("HTTP/1.1 202 Accepted\r\nContent-Length: 8\r\n\r\nAccepted");
  CHECK(wire.end() == Lines{"#1 POST /messages?sessionId=abc [post abc]", "#1 > request 1 tools/call [post abc]", "#1 202 [post abc]",
                            "#1 end complete 83/8"});
}

TEST_CASE("subscriptions/listen opens a listen stream") {
  Wire wire;
  wire.client(post(R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}})", "MCP-Protocol-Version: 2026-07-28\r\n"));
  CHECK(wire.end()[0] == "#1 POST /mcp [listen]");
}

TEST_CASE("batches are told message by message, in requests and in replies") {
  Wire wire;
  wire.client(post("[" + call(1) + "," + call(2) + "]"))
      .server(sse_head() + chunk(event("[" + result(2) + "," + result(1) + "]")) + "0\r\n\r\n");
  const Lines lines = wire.end();
  CHECK(lines[1] == "#1 > request 1 tools/call 0/2 [post s1]");
  CHECK(lines[5] == "#1 < result 1 1/2 [post s1]");
}

TEST_CASE("an HTTP error whose body is a JSON-RPC error is a message of its exchange") {
  Wire wire;
  const std::string body = R"({"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null})";
  wire.client(post(call(1))).server(fmt::format("HTTP/1.1 404 Not Found\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  CHECK(wire.end()[3] == "#1 < error null [post s1]");
}

TEST_CASE("a client's answer to a server request goes from client to server") {
  Wire wire;
  wire.client(post(R"({"jsonrpc":"2.0","id":"q","result":{"roots":[]}})")).server("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  CHECK(wire.end()[1] == "#1 > result \"q\" [post s1]");
}

TEST_CASE("only events of type message carry messages") {
  Wire wire;
  wire.client(post(call(1)))
      .server(sse_head() + chunk("event: heartbeat\ndata: " + result(1) + "\n\n") + chunk("data: " + result(1) + "\n\n") + "0\r\n\r\n");
  CHECK(wire.end().size() == 5);
}

TEST_CASE("other traffic yields nothing and is counted") {
  SECTION("another JSON-RPC dialect") {
    Wire wire;
    wire.client(post(R"({"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"})", "", "/rpc"))
        .server(json_reply(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})"));
    CHECK(wire.end().empty());
    CHECK(wire.shared.exchanges_not_mcp == 1);
  }
  SECTION("a page with JSON-RPC in a script, and REST") {
    Wire wire;
    wire.client("GET / HTTP/1.1\r\n\r\n").server("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 83\r\n\r\n" + call(1));
    wire.client("GET /items HTTP/1.1\r\n\r\n").server(json_reply(R"({"id":1,"result":"ok"})"));
    CHECK(wire.end().empty());
    CHECK(wire.shared.exchanges_not_mcp == 2);
  }
  SECTION("a foreign event stream") {
    Wire wire;
    wire.client(get("/ticker")).server(sse_head());
    for (int i = 0; i < 40; ++i) wire.server(chunk("data: {\"price\":1}\n\n"));
    CHECK(wire.end().empty());
    CHECK(wire.shared.exchanges_not_mcp == 1);
  }
}

TEST_CASE("on a URL known to be MCP's a message needs no proof of its own") {
  Wire wire;
  wire.client(post(call(1), "")).server(json_reply(result(1)));
  wire.client(post(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", "")).server(json_reply(R"({"jsonrpc":"2.0","id":2,"result":{}})"));
  CHECK(wire.end()[6] == "#2 > request 2 ping [post]");
}

TEST_CASE("compressed bodies are read, event by event") {
  // gzip of: data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n, stored, flushed.
  const std::string text = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";
  std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\x03\0", 11);
  packed += {static_cast<char>(text.size()), '\0', static_cast<char>(~text.size()), '\xff'};
  packed += text;
  Wire wire;
  wire.client(post(call(1)))
      .server("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunk(packed));
  CHECK(wire.recorder.lines.back() == "#1 < result 1 [post s1]");
}

TEST_CASE("facts: names are decoded, secrets are digests, addresses are the connection's") {
  FactsRecorder recorder;
  Limits limits;
  model::AnomalyLog anomalies;
  app::BodyMessages messages{limits, anomalies, recorder};
  app::HttpShared shared{limits, messages, anomalies};
  model::FlowInfo flow;
  flow.saw_start = true;
  flow.key.client.port = 4711;
  flow.key.server.address = {10, 0, 0, 1};
  flow.key.server.port = 80;
  const auto analyzer = app::make_http_analyzer(shared, flow);
  analyzer->feed(Side::client,
                 post(call(1),
                      "Mcp-Method: tools/call\r\nMcp-Name: =?base64?Z3LDvMOfZQ==?=\r\nAuthorization: Bearer secret\r\nX-Forwarded-For: "
                      "203.0.113.9\r\n"),
                 {});
  CHECK(recorder.name ==
        "gr\xC3\xBC\xC3\x9F"
        "e");
  CHECK(recorder.forwarded == "203.0.113.9");
  CHECK(recorder.principal != 0);
  CHECK(recorder.server == "10.0.0.1:80");
  CHECK(recorder.port == 4711);
}

TEST_CASE("what a server says instead of a reply is kept where it refuses by status, or in words about the session") {
  struct Refusals final : model::ObservationSink {
    void observe(const model::Observation& o) override {
      if (o.kind == model::ObservationKind::exchange_end) told = o.http->refusal;
    }
    std::string told;
  };
  const auto told = [](const std::string& response) {
    Refusals refusals;
    Limits limits;
    model::AnomalyLog anomalies;
    app::BodyMessages messages{limits, anomalies, refusals};
    app::HttpShared shared{limits, messages, anomalies};
    model::FlowInfo flow;
    flow.saw_start = true;
    const auto analyzer = app::make_http_analyzer(shared, flow);
    analyzer->feed(Side::client, post(call(1)), {});
    analyzer->feed(Side::server, response, {});
    return refusals.told;
  };
  CHECK(told(json_reply(R"({"error":"Session not found"})")) == R"({"error":"Session not found"})");
  CHECK(told("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone") == "gone");
  CHECK(told(json_reply(R"({"ok":true})")).empty());
  CHECK(told(json_reply(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Session not found"}]}})")).empty());
}

TEST_CASE("a legacy URL is resolved against its stream, absolute or relative") {
  Limits limits;
  app::McpEndpoints endpoints(limits);
  CHECK(endpoints.learn_legacy("s", "/a/sse", "http://h:1/a/message?x=1&session_id=77") == "77");
  CHECK(endpoints.legacy_session("s", "/a/message?x=1&session_id=77") == "77");
  CHECK(endpoints.learn_legacy("s", "/a/sse?k=1", "message/5") == "/a/message/5");
  CHECK(endpoints.legacy_session("s", "/a/message/5") == "/a/message/5");
  CHECK(endpoints.legacy_session("other", "/a/message/5").empty());
}

TEST_CASE("URLs remembered are bounded") {
  Limits limits;
  limits.mcp_endpoints = 2;
  app::McpEndpoints endpoints(limits);
  CHECK(endpoints.learn("s", "/1"));
  CHECK(endpoints.learn("s", "/2?q"));
  CHECK_FALSE(endpoints.learn("s", "/3"));
  CHECK(endpoints.knows("s", "/2"));
}
