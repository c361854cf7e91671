#include <catch2/catch.hpp>

#include <string>

#include "http_support.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

class TextRecorder final : public model::ObservationSink {
 public:
  void observe(const model::Observation& o) override {
    if (o.message != nullptr) text = o.text;
  }
  std::string text;
};

}  // namespace

TEST_CASE("sniff_bytes bounds the search for a first head, at the same byte for every cutting") {
  Limits limits;
  limits.sniff_bytes = 300;
  for (const std::size_t noise : {100u, 400u}) {
    Wire whole(false, limits), pieces(false, limits);
    const std::string bytes = std::string(noise, 'x') + "\r\n" + post(call(1));
    whole.client(bytes);
    for (const char& byte : bytes) pieces.client({&byte, 1});
    CHECK(whole.end() == pieces.end());
    CHECK(whole.recorder.lines.empty() == (noise == 400));
  }
}

TEST_CASE("http_buffer_bytes bounds the bodies kept of all connections; what exceeds it is cut and told") {
  Limits limits;
  limits.http_buffer_bytes = 1000;
  Wire wire(true, limits);
  const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + std::string(5000, 'a') + R"("}})";
  const std::string request = post(body);
  for (std::size_t at = 0; at < request.size(); at += 400) wire.client(std::string_view(request).substr(at, 400));
  CHECK(wire.end()[1] == "#1 > request 1 tools/call truncated [post s1]");
  CHECK(wire.noticed("http-body-bound"));
  CHECK(wire.shared.exchanges_not_mcp == 0);
}

TEST_CASE("http_buffer_bytes also cuts an event that grows too long, and later events are read") {
  Limits limits;
  limits.http_buffer_bytes = 1000;
  Wire wire(true, limits);
  wire.client(post(call(1))).server(sse_head()).server(chunk(R"(data: {"jsonrpc":"2.0","id":1,"result":{"content":[")"));
  for (int i = 0; i < 10; ++i) wire.server(chunk(std::string(200, 'a')));
  wire.server(chunk("\n\n" + event(result(2))) + "0\r\n\r\n");
  const Lines lines = wire.end();
  REQUIRE(lines.size() == 6);
  CHECK(lines[3] == "#1 < result 1 truncated [post s1]");
  CHECK(lines[4] == "#1 < result 2 [post s1]");
}

TEST_CASE("content_decoders bounds the compressed bodies being decoded") {
  Limits limits;
  limits.content_decoders = 0;
  Wire wire(true, limits);
  wire.client(post(call(1)))
      .server("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\nabcd");
  CHECK(wire.end().back() == "#1 end complete 83/4");
  CHECK(wire.noticed("content-decoders-bound"));
}

TEST_CASE("foreign_events bounds the events after which a stream of unknown nature is foreign") {
  Limits limits;
  limits.foreign_events = 2;
  Wire wire(true, limits);
  wire.client("GET /s HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n").server(sse_head());
  wire.server(chunk("data: 1\n\ndata: 2\n\n")).server(chunk(event(R"({"jsonrpc":"2.0","method":"notifications/message"})")));
  CHECK(wire.end().empty());
}

TEST_CASE("evidence_text_bytes bounds the quoted head of a message, never inside a character") {
  Limits limits;
  limits.evidence_text_bytes = 12;
  TextRecorder recorder;
  model::AnomalyLog anomalies;
  app::BodyMessages messages{limits, anomalies, recorder};
  app::HttpShared shared{limits, messages, anomalies};
  model::FlowInfo flow;
  flow.saw_start = true;
  app::make_http_analyzer(shared, flow)->feed(Side::client, post("{\"method\":\"\xC3\xBC\",\"jsonrpc\":\"2.0\",\"id\":1}"), {});
  CHECK(recorder.text == "{\"method\":\"");
}
