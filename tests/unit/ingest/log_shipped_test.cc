// The wrappers of clouds and log shippers, as exported and as tailed, alone and stacked.
#include <catch2/catch.hpp>

#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using mcpscan::tests::parse;
using mcpscan::tests::Read;

namespace {

struct Shipped {
  Read record;
  std::string framing;
};

// The one record of a line.
Shipped shipped(std::string_view line) {
  const auto parsed = parse(line);
  REQUIRE(parsed.records.size() == 1);
  return {parsed.records[0], parsed.calibration.framing};
}

// A line that carries "INFO:     Shutting down" at 16:35:55.274.
void check_carried(std::string_view line, const char* framing) {
  INFO(line);
  const auto [record, found] = shipped(line);
  CHECK(record.notice == "server_stopped");
  CHECK(record.at.substr(0, 23) == "2026-11-29T16:35:55.274");
  CHECK(found == framing);
}

}  // namespace

TEST_CASE("Cloud Logging: text and structured payloads, severity, the pod as process") {
  check_carried(R"({"insertId":"a1","logName":"projects/p/logs/stderr","textPayload":"INFO:     Shutting down","timestamp":"2026-11-29T16:35:55.274Z","severity":"INFO"})", "gcp");
  check_carried(R"({"insertId":"a1","jsonPayload":{"message":"Shutting down","logger":"uvicorn.error"},"resource":{"type":"k8s_container","labels":{"pod_name":"gw-1"}},"timestamp":"2026-11-29T16:35:55.274Z"})",
                "json-lines > gcp");
  const auto one = shipped(R"({"insertId":"a1","textPayload":"x","severity":"ERROR","resource":{"labels":{"pod_name":"gw-1"}},"timestamp":"2026-11-29T16:35:55.274Z"})").record;
  const auto two = shipped(R"({"insertId":"a1","textPayload":"x","severity":"ERROR","resource":{"labels":{"pod_name":"gw-2"}},"timestamp":"2026-11-29T16:35:55.274Z"})").record;
  CHECK(one.level == "ERROR");
  CHECK(one.process != two.process);
}

TEST_CASE("CloudWatch: events of the API, Insights' fields, and aws logs tail") {
  check_carried(R"({"timestamp":1795970155274,"message":"INFO:     Shutting down\n","ingestionTime":1795970156000})", "cloudwatch");
  check_carried(R"({"logStreamName":"ecs/gw/0f1e","timestamp":1795970155274,"message":"INFO:     Shutting down","eventId":"3"})", "cloudwatch");
  check_carried(R"({"@timestamp":"2026-11-29 16:35:55.274","@message":"INFO:     Shutting down","@ptr":"Cl"})", "cloudwatch");
  check_carried("2026-11-29T16:35:55.274000+00:00 ecs/gateway/0f1e2d INFO:     Shutting down", "cloudwatch");
  check_carried("2026-11-29T16:35:55.274000+00:00 2026/11/29/[$LATEST]0f1e2d INFO:     Shutting down", "cloudwatch");
  CHECK(shipped("2026-11-29T16:35:55.274Z POST /mcp 200").framing == "plain");
}

TEST_CASE("Datadog: content of API 1, attributes of API 2, archives") {
  check_carried(R"({"id":"AA","content":{"timestamp":"2026-11-29T16:35:55.274Z","host":"gw1","service":"mcp","message":"INFO:     Shutting down","attributes":{}}})", "datadog");
  check_carried(R"({"id":"AA","type":"log","attributes":{"timestamp":"2026-11-29T16:35:55.274Z","host":"gw1","service":"mcp","status":"info","message":"INFO:     Shutting down"}})", "datadog");
  check_carried(R"({"_id":"AA","date":"2026-11-29T16:35:55.274Z","host":"gw1","service":"mcp","status":"info","message":"INFO:     Shutting down"})", "datadog");
}

TEST_CASE("Loki: logcli as text and JSON lines, Grafana's download") {
  check_carried(R"(2026-11-29T16:35:55.274Z {app="mcp", pod="gw-\"1"} INFO:     Shutting down)", "loki");
  check_carried(R"(2026-11-29T16:35:55.274+00:00 {} INFO:     Shutting down)", "loki");
  check_carried(R"({"labels":{"app":"mcp"},"line":"INFO:     Shutting down","timestamp":"2026-11-29T16:35:55.274Z"})", "loki");
  check_carried(R"({"line":"INFO:     Shutting down","timestamp":"1795970155274000000","date":"2026-11-29T16:35:55.274Z","fields":{"app":"mcp"}})", "loki");
  CHECK(shipped(R"(2026-11-29T16:35:55.274Z {"jsonrpc":"2.0","id":1,"method":"ping"})").framing == "plain");
}

TEST_CASE("Fluent Bit, fluentd, FireLens: the text under log, with and without the date; their own files") {
  check_carried(R"({"date":1795970155.274,"log":"INFO:     Shutting down","stream":"stderr","time":"2026-11-29T16:35:55.274Z","kubernetes":{"pod_name":"gw-1"}})", "fluent-bit");
  check_carried(R"({"container_id":"c1","container_name":"/gw","source":"stderr","log":"INFO:     Shutting down","ecs_task_arn":"arn:x","date":1795970155.274})", "fluent-bit");
  check_carried("2026-11-29T16:35:55.274+00:00\tdocker.gw\t{\"log\":\"INFO:     Shutting down\",\"container_name\":\"/gw\"}", "fluent-bit");
  check_carried(R"(kube.gw: [1795970155.274000000, {"log":"INFO:     Shutting down","kubernetes":{"pod_name":"gw-1"}}])", "fluent-bit");
}

TEST_CASE("Fluent Bit keeps Docker's three names but not its line end: the next record is another one") {
  const auto parsed = parse(R"({"log":"INFO:     Shutting down","stream":"stderr","time":"2026-11-29T16:35:55.274Z","_p":"F"})" "\n"
                            R"({"log":"INFO:     Started server","stream":"stderr","time":"2026-11-29T16:35:56.274Z","_p":"P"})" "\n"
                            R"({"log":" process [7]","stream":"stderr","time":"2026-11-29T16:35:56.274Z","_p":"F"})" "\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].notice == "server_stopped");
  CHECK(parsed.records[1].notice == "server_started");
  CHECK(parsed.records[1].lines == 2);
}

TEST_CASE("Elastic Common Schema: level and logger nested or dotted, a search hit around it") {
  check_carried(R"({"@timestamp":"2026-11-29T16:35:55.274Z","log":{"level":"info","logger":"uvicorn.error"},"message":"Shutting down","ecs":{"version":"8.0"}})", "json-lines > ecs");
  check_carried(R"({"_index":"logs-1","_id":"x","_source":{"@timestamp":"2026-11-29T16:35:55.274Z","message":"Shutting down","log.level":"info"}})", "json-lines > elasticsearch > ecs");
  CHECK(shipped(R"({"@timestamp":"2026-11-29T16:35:55.274Z","log":{"level":"warn","logger":"mcp.x"},"message":"hm","ecs":{"version":"8.0"}})").record.logger == "mcp.x");
}

TEST_CASE("a record of the program's own keeps what stands beside its message; a wrapper without its usual time takes any") {
  const auto own = shipped(R"({"@timestamp":"2026-11-29T16:35:55.274Z","ecs":{"version":"8.0"},"message":"got","mcp_session_id":"s-1","body":{"jsonrpc":"2.0","id":1,"method":"ping"}})").record;
  CHECK(own.kind == RecordKind::message);
  CHECK(own.session == "s-1");
  CHECK(shipped(R"({"ts":1795970155.274,"log":"INFO:     Shutting down","container_name":"gw"})").record.at.substr(0, 23) == "2026-11-29T16:35:55.274");
  CHECK(shipped("2026-11-29T16:35:55.274Z tools/call {\"jsonrpc\":\"2.0\"}").framing == "plain");
}

TEST_CASE("two pods of one log are two processes, by whatever name a shipper tells them, though each of them is process 1") {
  const auto process_of = [](std::string_view told, const char* pod) {
    std::string line = R"({"timestamp":"2026-11-29T16:35:55.274Z","level":"DEBUG","pid":1,POD,"message":"got"})";
    std::string members(told);
    members.replace(members.find('?'), 1, pod);
    line.replace(line.find("POD"), 3, members);
    return shipped(line).record.process;
  };
  for (const std::string_view told : {R"("pod":"?")", R"("pod_name":"?")", R"("podName":"?")", R"("k8s.pod.name":"?")", R"("kubernetes.pod_name":"?")", R"("kubernetes.pod.name":"?")",
                                      R"("kubernetes":{"pod_name":"?","container_name":"mcp"})", R"("kubernetes":{"pod":{"name":"?"}})"}) {
    INFO(told);
    CHECK(process_of(told, "mcp-a") != process_of(told, "mcp-b"));
    CHECK(process_of(told, "mcp-a") == process_of(told, "mcp-a"));
  }
}

TEST_CASE("a structured log's message beside its event: as text, as SSE, as Python's bytes, and its session by any of its names") {
  const std::string head = R"({"timestamp":"2026-11-29T16:35:55.274Z","level":"info","event":"mcp_message",)";
  const auto beside = [&](const std::string& rest) { return shipped(head + rest + "}").record; };
  const auto text = beside(R"("direction":"client_to_server","sid":"s-1","body":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")");
  CHECK(text.body == R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  CHECK(text.session == "s-1");
  CHECK(text.direction == "client-to-server");
  CHECK(beside(R"("data":"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")").kind == RecordKind::message);
  CHECK(beside(R"("raw":"b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'")").kind == RecordKind::message);
  CHECK(beside(R"("raw":"it said {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")").kind == RecordKind::unknown);
  CHECK(beside(R"("headers":{"mcp-session-id":"s-2"},"rpc":{"jsonrpc":"2.0","id":1,"method":"ping"})").session == "s-2");
  CHECK(beside(R"("mcp":{"session":{"id":"s-3"},"rpc":{"jsonrpc":"2.0","id":1,"method":"ping"}})").session == "s-3");
  CHECK(beside(R"("rpc":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"session_id":"s-4"}}})").session.empty());
}

TEST_CASE("four wrappers, one in the other, are all taken off; a fifth stays text") {
  const std::string cri = R"(2026-11-29T16:35:55.274000000Z stderr F INFO:     Shutting down)";
  const std::string fluent = R"({\"log\":\")" + cri + R"(\",\"kubernetes\":{\"pod_name\":\"gw-1\"}})";
  const std::string four = R"({"insertId":"a1","timestamp":"2026-11-29T16:35:57Z","jsonPayload":{"@timestamp":"2026-11-29T16:35:56Z","ecs":{"version":"8"},"message":")" + fluent + R"("}})";
  check_carried(four, "cri > json-lines > gcp > ecs > fluent-bit");
  CHECK(shipped(four).record.transport_at == "2026-11-29T16:35:57.000000Z");
  CHECK(shipped("<134>1 2026-11-29T16:35:58Z h a - - - " + four).record.kind == RecordKind::unknown);
}

TEST_CASE("a JSON-RPC message that only looks shipped is a message") {
  const auto read = shipped(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"},"timestamp":"2026-11-29T16:35:55.274Z","labels":{}})").record;
  CHECK(read.kind == RecordKind::message);
}

TEST_CASE("Cloud Logging: what a program writes to its standard output does not go on with what it wrote to standard error") {
  const std::string head = R"({"insertId":"a","resource":{"labels":{"revision_name":"r"}},"timestamp":"2026-11-29T16:35:55.274Z","logName":"projects/p/logs/)";
  const auto parsed = parse(head + R"(stderr","textPayload":"2026-11-29 16:35:54,620 - app - INFO - one"})" "\n" + head + R"(stdout","textPayload":"two"})" "\n");
  CHECK(parsed.records.size() == 2);
}

TEST_CASE("AWS Lambda: a printed event behind the runtime's time, id and level, its body in base64") {
  const auto [record, framing] = shipped(
      "2026-11-29T16:35:56.698Z\t8f507cfc-1111-4222-8333-444455556666\tINFO\t"
      R"({"requestContext":{"http":{"sourceIp":"198.51.100.7"}},"headers":{"mcp-session-id":"0123456789abcdef"},"body":"eyJqc29ucnBjIjoiMi4wIiwiaWQiOjcsIm1ldGhvZCI6InBpbmcifQ==","isBase64Encoded":true})");
  CHECK(framing == "json-lines > cloudwatch");
  CHECK(record.body == R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  CHECK(record.session == "0123456789abcdef");
  CHECK(shipped("2026-11-29T16:35:56.698Z\t8f507cfc-1111-4222-8333-444455556666\tWARN\tSession not found: 0b0e6f4e-1111-4222-8333-444455556666").record.notice == "session_not_found");
  CHECK(shipped("2026-11-29T16:35:56.698Z\tone\ttwo\tthree").framing == "plain");
}
