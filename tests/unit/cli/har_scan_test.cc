// A HAR as observations: what is MCP, in which order things happened, and what an absent body means.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <stdlib.h>

#include "pipeline/har_scan.h"
#include "support/split.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::Observation;
using model::ObservationKind;

namespace {

// Every observation as one short line: what, when (milliseconds of the minute), which exchange, what it says.
class Lines : public model::ObservationSink {
 public:
  void observe(const Observation& seen) override {
    std::string line = fmt::format("{} {}", word(seen), seen.at.known() ? seen.at.us / 1000 % 60000 : -1);
    if (seen.kind != ObservationKind::gap || seen.exchange != 0) line += fmt::format(" x{}", seen.exchange);
    lines.push_back(line);
    entries.push_back(seen.source.number);
  }
  std::vector<std::string> lines;
  std::vector<std::uint64_t> entries;

 private:
  static std::string word(const Observation& seen) {
    switch (seen.kind) {
      case ObservationKind::message: return seen.message->method.empty() ? fmt::format("< {}", seen.message->id.raw) : fmt::format("> {} {}", seen.message->method, seen.message->id.raw);
      case ObservationKind::exchange_request: return fmt::format("open {} {}", seen.http->method, seen.http->path);
      case ObservationKind::exchange_response: return fmt::format("head {}{}", seen.http->status, seen.http->is_sse ? " sse" : "");
      case ObservationKind::exchange_end: return fmt::format("end {}", static_cast<int>(seen.http->end));
      case ObservationKind::gap: return fmt::format("gap {}", seen.gap->reason);
      default: return "other";
    }
  }
};

struct Scanned {
  Lines seen;
  model::InputRow row;
  bool ok = false;
  std::size_t count(std::string_view start) const {
    return static_cast<std::size_t>(std::count_if(seen.lines.begin(), seen.lines.end(), [&](const std::string& line) { return line.starts_with(start); }));
  }
};

class Pieces : public ByteReader {
 public:
  explicit Pieces(std::vector<std::string_view> pieces) : pieces_(std::move(pieces)) {}
  std::size_t read(std::span<char> to) override {
    while (next_ < pieces_.size() && pieces_[next_].empty()) ++next_;
    if (next_ == pieces_.size()) return 0;
    const std::size_t count = std::min(to.size(), pieces_[next_].size());
    std::copy_n(pieces_[next_].data(), count, to.data());
    pieces_[next_].remove_prefix(count);
    return count;
  }

 private:
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
};

Scanned scan(std::vector<std::string_view> pieces, const pipeline::HarScanOptions& options, const Limits& limits) {
  Scanned scanned;
  Pieces bytes(std::move(pieces));
  pipeline::CaptureNumbers numbers;
  scanned.ok = pipeline::scan_har(bytes, {}, 0, options, limits, numbers, scanned.seen, scanned.row, [](std::uint64_t) {}).ok();
  return scanned;
}
Scanned scan(std::string_view entries, const pipeline::HarScanOptions& options = {}, const Limits& limits = {}) {
  const std::string text = fmt::format(R"({{"log":{{"version":"1.2","entries":[{}]}}}})", entries);
  return scan(std::vector<std::string_view>{text}, options, limits);
}

constexpr std::string_view kSession = R"({"name":"Mcp-Session-Id","value":"s-1"})";

struct Entry {
  std::string start = "00.000";       // seconds
  double time = 5;
  std::string body = R"({\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}})";
  std::string status = "200";
  std::string content = R"({"size":40,"mimeType":"application/json","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"})";
  std::string extra;                  // members of the response
  std::string method = "POST";

  std::string text() const {
    return fmt::format(R"({{"startedDateTime":"2026-11-29T17:26:{}Z","time":{},"request":{{"method":"{}","url":"http://h.test:8000/mcp","headers":[{}],"postData":{{"mimeType":"application/json","text":"{}"}}}},"response":{{"status":{},"headers":[]{},"content":{}}},"timings":{{"send":0,"wait":{},"receive":0}}}})",
                       start, time, method, kSession, body, status, extra, content, time);
  }
};

std::string call(int id) { return fmt::format(R"({{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\",\"params\":{{\"name\":\"t\"}}}})", id); }
std::string reply(int id) { return fmt::format(R"({{"text":"{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}","mimeType":"application/json"}})", id); }
Entry exchange(std::string start, double time, int id) { return {std::move(start), time, call(id), "200", reply(id), "", "POST"}; }

}  // namespace

TEST_CASE("An exchange is told as the wire tells it", "[har]") {
  const Scanned read = scan(Entry{}.text());
  CHECK(read.seen.lines == std::vector<std::string>{"open POST /mcp 0 x1", "> tools/call 1 0 x1", "head 200 5 x1", "< 1 5 x1", "end 1 5 x1"});
  CHECK(read.seen.entries == std::vector<std::uint64_t>{1, 1, 1, 1, 1});
  CHECK(read.row.books.used == 1);
}

TEST_CASE("Calls that overlap are told in the order of time", "[har]") {
  const Scanned read = scan(exchange("00.000", 300, 1).text() + "," + exchange("00.100", 100, 2).text() + "," + exchange("00.250", 10, 3).text());
  std::vector<std::string> messages;
  for (const std::string& line : read.seen.lines) {
    if (line[0] == '>' || line[0] == '<') messages.push_back(line);
  }
  CHECK(messages == std::vector<std::string>{"> tools/call 1 0 x1", "> tools/call 2 100 x2", "< 2 200 x2", "> tools/call 3 250 x3", "< 3 260 x3", "< 1 300 x1"});
}

TEST_CASE("The order of the entries in the file does not matter", "[har]") {
  const std::string a = exchange("00.000", 300, 1).text(), b = exchange("00.100", 100, 2).text(), c = exchange("00.250", 10, 3).text();
  const auto forward = scan(a + "," + b + "," + c).seen.lines, backward = scan(c + "," + b + "," + a).seen.lines;
  CHECK(forward == backward);
}

TEST_CASE("A clock of whole seconds makes no two calls concurrent", "[har]") {
  const Scanned read = scan(exchange("26", 210, 1).text() + "," + exchange("26", 260, 2).text() + "," + exchange("27", 0, 3).text());
  CHECK(read.seen.lines[3].starts_with("< 1"));
  CHECK(read.seen.lines[6].starts_with("> tools/call 2"));
}

TEST_CASE("What is not MCP is booked and never told", "[har]") {
  const std::string page = R"({"startedDateTime":"2026-11-29T17:26:00Z","request":{"method":"GET","url":"http://h/"},"response":{"status":200,"content":{"text":"<html>"}}})";
  const std::string rest = R"({"startedDateTime":"2026-11-29T17:26:00Z","request":{"method":"POST","url":"http://h/api","postData":{"mimeType":"application/json","text":"{\"id\":1,\"method\":\"x\"}"}},"response":{"status":200}})";
  const Scanned read = scan(page + "," + rest + "," + Entry{}.text());
  CHECK(read.row.books.ignored.at("not-mcp") == 2);
  CHECK(read.row.books.used == 1);
  CHECK(read.row.books.total == 3);
  CHECK(read.count("open") == 1);
}

TEST_CASE("An absent body is a gap, never an absent reply", "[har]") {
  for (const std::string content : {R"({"size":88,"text":""})", R"({"size":-1,"mimeType":"text/event-stream"})", R"({"mimeType":"application/json"})", "null",
                                    R"({"size":90,"comment":"Response bodies are not included."})", R"({"size":0,"mimeType":"text/event-stream"})"}) {
    Entry entry;
    entry.content = content;
    const Scanned read = scan(entry.text());
    INFO(content);
    CHECK(read.count("gap the HAR holds no body of this response") == 1);
    CHECK(read.seen.lines.back() == "end 7 5 x1");
  }
}

TEST_CASE("An explicitly empty body is evidence of nothing sent", "[har]") {
  for (const std::string content : {R"({"size":0,"text":""})", R"({"size":0,"mimeType":"application/json"})"}) {
    Entry entry;
    entry.content = content;
    CHECK(scan(entry.text()).count("gap") == 0);
  }
  Entry aborted;
  aborted.content = R"({"size":0,"mimeType":"text/event-stream"})";
  aborted.extra = R"(,"_error":"net::ERR_ABORTED")";
  const Scanned read = scan(aborted.text());
  CHECK(read.count("gap") == 0);
  CHECK(read.seen.lines.back() == "end 2 5 x1");
}

TEST_CASE("No gap where no reply was to come", "[har]") {
  Entry notification;
  notification.body = R"({\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"})";
  notification.status = "202";
  notification.content = R"({"size":-1})";
  Entry refused;
  refused.status = "404";
  refused.content = R"({"size":70})";
  Entry redirected;
  redirected.status = "307";
  redirected.content = R"({"size":0,"mimeType":"x-unknown"},"bodySize":12)";
  CHECK(scan(redirected.text()).count("gap") == 0);
  Entry stream;
  stream.method = "GET";
  stream.body = "";
  stream.content = R"({"size":-1,"mimeType":"text/event-stream"})";
  CHECK(scan(notification.text() + "," + refused.text() + "," + stream.text()).count("gap") == 0);
}

TEST_CASE("A body that a proxy cut before the reply is a gap", "[har]") {
  Entry entry;
  entry.content = R"({"size":70000,"mimeType":"text/event-stream","text":"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"})";
  CHECK(scan(entry.text()).count("gap the HAR holds a part of this response's body only") == 1);
}

TEST_CASE("A body that was cut in the middle of its reply is a gap, and the server's no fault") {
  for (const std::string content : {R"({"size":95,"mimeType":"application/json","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"conte"})",
                                    R"({"size":95,"mimeType":"application/json","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"conte... [truncated]"})",
                                    R"({"size":170,"mimeType":"text/event-stream","text":"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"c... [truncated]"})"}) {
    Entry entry;
    entry.content = content;
    const Scanned read = scan(entry.text());
    INFO(content);
    CHECK(read.count("gap the HAR holds a part of this response's body only") == 1);
    CHECK(read.seen.lines.back().starts_with("end 7"));
  }
}

TEST_CASE("A body that is still packed holds all of its size before", "[har]") {
  const std::string packed = "H4sIAAAAAAACA6tWyirOzysqSFayUjLSM1DSUcpMUbIy1FEqSi0uzSlRsqpWSs7PK0nNAzKjq5VKKgtSgSpLUitKgErBlJVSZWqxwkBgpdrY2loAi2+HlMEAAAA=";
  Entry entry;
  entry.content = fmt::format(R"({{"size":193,"mimeType":"application/json","encoding":"base64","text":"{}"}})", packed);
  const Scanned whole = scan(entry.text());
  CHECK(whole.count("< 1") == 1);
  CHECK(whole.count("gap") == 0);
  entry.content = fmt::format(R"({{"size":193,"mimeType":"application/json","encoding":"base64","text":"{}"}})", packed.substr(0, 80));
  CHECK(scan(entry.text()).count("gap the HAR holds a part of this response's body only") == 1);
}

TEST_CASE("A body whose size is 0 where bytes were sent was taken out of the file") {
  Entry entry;
  entry.content = R"({"size":0,"mimeType":"application/json"},"bodySize":95)";
  CHECK(scan(entry.text()).count("gap the HAR holds no body of this response") == 1);
  entry.content = R"({"size":0,"mimeType":"application/json"},"headersSize":290,"bodySize":290)";  // Firefox counts the head in
  CHECK(scan(entry.text()).count("gap") == 0);
}

TEST_CASE("The last event of a stream counts without its blank line when its JSON is whole", "[har]") {
  Entry entry;
  entry.content = R"({"mimeType":"text/event-stream","text":"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"})";
  CHECK(scan(entry.text()).count("< 1") == 1);
}

TEST_CASE("An exchange without a response ends as the producer says", "[har]") {
  const auto end_of = [](std::string status, std::string extra, double time) {
    Entry entry;
    entry.status = std::move(status);
    entry.extra = std::move(extra);
    entry.content = R"({"size":0})";
    entry.time = time;
    return scan(entry.text()).seen.lines.back();
  };
  CHECK(end_of("0", R"(,"_error":"net::ERR_ABORTED")", 40) == "end 2 40 x1");
  CHECK(end_of("0", R"(,"_failureText":"net::ERR_CONNECTION_RESET")", 40) == "end 5 40 x1");
  CHECK(end_of("-999", "", 40) == "end 0 40 x1");
  CHECK(end_of("0", "", 0) == "end 6 0 x1");
  const std::string open = R"({"startedDateTime":"2026-11-29T17:26:00Z","request":{"method":"POST","url":"http://h/mcp","postData":{"text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}"}}})";
  CHECK(scan(open).seen.lines.back() == "end 6 0 x1");
}

TEST_CASE("A request whose body the HAR does not hold is a gap", "[har]") {
  const std::string entry = fmt::format(R"({{"startedDateTime":"2026-11-29T17:26:00Z","request":{{"method":"POST","url":"http://h/mcp","headers":[{}],"bodySize":90}},"response":{{"status":200,"content":{}}}}})", kSession, reply(4));
  const Scanned read = scan(entry);
  CHECK(read.count("gap the HAR holds no body of this request") == 1);
  CHECK(read.count("< 4") == 1);
}

TEST_CASE("Events that Chrome timed are told at their times", "[har]") {
  const std::string events = R"("_eventSourceMessages":[{"time":1795973160.5,"eventName":"message","eventId":"","data":"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}"},{"time":1795973161.25,"eventName":"message","eventId":"","data":"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/b\"}"}],)";
  Entry stream;
  stream.method = "GET";
  stream.body = "";
  stream.time = 5000;
  stream.content = R"({"size":-1,"mimeType":"text/event-stream"})";
  std::string text = stream.text();
  text.insert(1, events);
  text.replace(text.find("\"wait\":5000"), 11, "\"wait\":100");
  const Scanned read = scan(text);
  CHECK(std::vector<std::string>(read.seen.lines.begin(), read.seen.lines.end()) ==
        std::vector<std::string>{"open GET /mcp 0 x1", "head 200 sse 100 x1", "> notifications/a  500 x1", "> notifications/b  1250 x1", "end 1 5000 x1"});
}

TEST_CASE("Past har_pending_entries the earliest is told, and the report says so", "[har][limits]") {
  Limits limits;
  limits.har_pending_entries = 2;
  std::string entries;
  for (int i = 1; i <= 5; ++i) entries += (i > 1 ? "," : "") + exchange(fmt::format("0{}.000", i), 30000, i).text();
  const Scanned read = scan(entries, {}, limits);
  CHECK(read.count("< ") == 5);
  CHECK(read.row.anomalies.entries().contains("har-pending-bound"));
  CHECK_FALSE(scan(entries).row.anomalies.entries().contains("har-pending-bound"));
}

TEST_CASE("Past har_pending_bytes the earliest is told, and nothing is lost", "[har][limits]") {
  Limits limits;
  limits.har_pending_bytes = 1000;
  std::string entries;
  for (int i = 1; i <= 20; ++i) entries += (i > 1 ? "," : "") + exchange(fmt::format("{:02}.000", i), 30000, i).text();
  const Scanned read = scan(entries, {}, limits);
  CHECK(read.count("< ") == 20);
  CHECK(read.row.anomalies.entries().contains("har-pending-bound"));
}

TEST_CASE("An entry further from its place than har_reorder_entries is read late, and the report says so", "[har][limits]") {
  Limits limits;
  limits.har_reorder_entries = 1;
  const std::string entries = exchange("30.000", 1, 1).text() + "," + exchange("20.000", 1, 2).text() + "," + exchange("10.000", 1, 3).text();
  CHECK(scan(entries, {}, limits).row.anomalies.entries().contains("har-out-of-order"));
  const Scanned read = scan(entries);
  CHECK(read.seen.lines[1] == "> tools/call 3 10000 x1");
  CHECK_FALSE(read.row.anomalies.entries().contains("har-out-of-order"));
}

namespace {

std::string marked_worker(const Entry& entry) { return R"({"_serviceWorkerRef":"worker@1",)" + entry.text().substr(1); }
std::string marked_page(Entry entry) {
  entry.extra = R"(,"_fetchedViaServiceWorker":true)";
  return entry.text();
}

}  // namespace

TEST_CASE("A request that a service worker fetched for its page is told once, with the body of the record that has it", "[har]") {
  Entry kept_none = exchange("00.002", 80, 1);
  kept_none.content = R"({"size":0,"mimeType":"application/json","text":""},"bodySize":40)";
  const std::string page = exchange("00.000", 100, 1).text(), worker = marked_worker(kept_none);
  for (const std::string& entries : {page + "," + worker, worker + "," + page}) {
    const Scanned read = scan(entries);
    CHECK(read.seen.lines == std::vector<std::string>{"open POST /mcp 0 x1", "> tools/call 1 0 x1", "head 200 100 x1", "< 1 100 x1", "end 1 100 x1"});
    CHECK(read.row.books.ignored.at("service-worker-copy") == 1);
    CHECK(read.row.books.total == read.row.books.used + 1);
  }
  const Scanned rounded = scan(exchange("00.001", 100, 1).text() + "," + marked_worker(exchange("00.000", 80, 1)));  // the two have clocks of their own
  CHECK(rounded.count("> tools/call") == 1);
}

TEST_CASE("DevTools marks the record of the page, and not the worker's", "[har]") {
  const Scanned read = scan(marked_page(exchange("00.000", 100, 1)) + "," + exchange("00.002", 80, 1).text() + "," + marked_page(exchange("01.000", 100, 2)) + "," +
                            exchange("01.002", 80, 2).text());
  CHECK(read.count("> tools/call") == 2);
  CHECK(read.row.books.ignored.at("service-worker-copy") == 2);
}

TEST_CASE("Of two equal requests that a service worker fetched two stay, and each that has one record", "[har]") {
  const std::string page = exchange("00.000", 100, 1).text(), worker = marked_worker(exchange("00.002", 80, 1));
  CHECK(scan(page + "," + page + "," + worker + "," + worker).count("> tools/call") == 2);
  CHECK(scan(worker + "," + page + "," + worker + "," + page).count("> tools/call") == 2);
  CHECK(scan(page + "," + page).count("> tools/call") == 2);                                                 // no worker
  CHECK(scan(worker + "," + worker).count("> tools/call") == 2);                                             // for itself
  CHECK(scan(marked_page(exchange("00.000", 100, 1))).count("> tools/call") == 1);                           // answered by the worker
  CHECK(scan(page + "," + marked_worker(exchange("00.002", 80, 2))).count("> tools/call") == 2);             // something else
  CHECK(scan(page + "," + marked_worker(exchange("00.200", 80, 1))).count("> tools/call") == 2);             // afterwards
}

TEST_CASE("A request that was redirected is told where it went on", "[har]") {
  Entry first = exchange("00.000", 3, 1);
  first.status = "307";
  first.content = R"({"size":0})";
  const auto to = [&](const std::string& redirect) {
    first.extra = fmt::format(R"(,"redirectURL":"{}")", redirect);
    return first.text() + ",";
  };
  const auto at = [](const Entry& entry, const std::string& path) {
    std::string text = entry.text();
    text.replace(text.find("8000/mcp"), 8, "8000" + path);
    return text;
  };
  const std::string next = at(exchange("00.004", 80, 1), "/mcp/");
  for (const std::string place : {"http://h.test:8000/mcp/", "http://H.test:8000/mcp/#top", "/mcp/"}) {
    const Scanned read = scan(to(place) + next);
    CHECK(read.seen.lines == std::vector<std::string>{"open POST /mcp/ 4 x1", "> tools/call 1 4 x1", "head 200 84 x1", "< 1 84 x1", "end 1 84 x1"});
    CHECK(read.row.books.ignored.at("redirected") == 1);
  }
  CHECK(scan(to("/mcp/") + at(exchange("00.004", 80, 2), "/mcp/")).count("> tools/call") == 2);  // nobody followed it
  CHECK(scan(to("/other") + next).count("> tools/call") == 2);
  CHECK(scan(to("/mcp/") + at(exchange("00.001", 80, 1), "/mcp/")).count("> tools/call") == 2);  // it was there before
  CHECK(scan(to("/mcp/") + to("/mcp/") + next).count("> tools/call") == 2);                       // one of two
}

TEST_CASE("When a response came that tells no duration is not known", "[har]") {
  const auto without = [](std::string text) {
    text.replace(text.find(R"("time":0,)"), 9, R"("time":null,)");
    text.replace(text.find(R"("timings":{"send":0,"wait":0,"receive":0})"), 41, R"("timings":{"send":-1,"wait":-1,"receive":-1})");
    return text;
  };
  const std::vector<std::string> untimed = {"open POST /mcp 0 x1", "> tools/call 1 0 x1", "head 200 -1 x1", "< 1 -1 x1", "end 1 -1 x1"};
  const Scanned alone = scan(without(exchange("00.000", 0, 1).text()));
  CHECK(alone.seen.lines == untimed);
  CHECK(alone.row.anomalies.entries().at("har-no-durations").count == 1);
  CHECK(scan(without(exchange("00.000", 0, 1).text()) + "," + exchange("01.000", 5, 2).text()).count("< 1 -1") == 1);  // the others' say nothing of it
  CHECK(scan(exchange("00.000", 0, 1).text()).seen.lines == untimed);                                                // 0 where nothing was measured
  const Scanned measured = scan(exchange("00.000", 0, 1).text() + "," + exchange("01.000", 5, 2).text());
  CHECK(measured.count("< 1 0") == 1);
  CHECK_FALSE(measured.row.anomalies.entries().contains("har-no-durations"));
}

TEST_CASE("Entries that start outside the window are ignored, and booked", "[har]") {
  pipeline::HarScanOptions options;
  options.since = {INT64_C(1795973160) * kSecond + 10 * kSecond};
  const Scanned read = scan(exchange("00.000", 5, 1).text() + "," + exchange("20.000", 5, 2).text(), options);
  CHECK(read.row.books.ignored.at("out-of-window") == 1);
  CHECK(read.count("> tools/call 2") == 1);
  CHECK(read.count("> tools/call 1") == 0);
}

TEST_CASE("A file that is cut is a gap in all that follows", "[har]") {
  const std::string text = R"({"log":{"entries":[)" + Entry{}.text() + R"(,{"startedDateTime":)";
  const Scanned read = scan(std::vector<std::string_view>{text}, {}, {});
  CHECK(read.seen.lines.back().starts_with("gap the file is cut"));
  CHECK(read.row.books.malformed.at("har-cut-entry") == 1);
  CHECK(read.row.books.total == read.row.books.used + 1);
}

TEST_CASE("Observations do not depend on how the bytes arrive", "[har][split]") {
  const std::string text = R"({"log":{"entries":[)" + exchange("00.000", 300, 1).text() + "," + exchange("00.100", 100, 2).text() + R"(,17]}})";
  const auto expected = scan(std::vector<std::string_view>{text}, {}, {}).seen.lines;
  CHECK(expected.size() == 10);
  for (const auto& pieces : all_cuttings(text)) REQUIRE(scan(pieces, {}, {}).seen.lines == expected);
}

TEST_CASE("A second thread changes nothing", "[har][threads]") {
  std::string entries;
  for (int i = 1; i <= 2000; ++i) entries += (i > 1 ? "," : "") + exchange(fmt::format("{:02}.{:03}", i / 100, i * 7 % 1000), i * 13 % 400, i % 50).text();
  pipeline::HarScanOptions two;
  two.threads = 2;
  const Scanned alone = scan(entries), both = scan(entries, two);
  CHECK(alone.seen.lines.size() == 10000);
  CHECK(alone.seen.lines == both.seen.lines);
  CHECK(alone.seen.entries == both.seen.entries);
  CHECK(alone.row.books.used == both.row.books.used);
  CHECK(alone.row.first == both.row.first);
}

TEST_CASE("Bodies beside the HAR are read for the replies they hold", "[har]") {
  std::string name = (std::filesystem::temp_directory_path() / "mcpscan-har-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  std::ofstream(name + "/reply.json") << R"({"jsonrpc":"2.0","id":1,"result":{}})";
  pipeline::HarScanOptions options;
  options.path = name + "/x.har";
  Entry entry;
  entry.content = R"({"size":40,"mimeType":"application/json","_file":"reply.json"})";
  CHECK(scan(entry.text(), options).count("< 1") == 1);
  entry.content = R"({"size":40,"mimeType":"application/json","_file":"../reply.json"})";
  const Scanned outside = scan(entry.text(), options);
  CHECK(outside.count("gap the HAR holds no body of this response") == 1);
  CHECK(outside.row.anomalies.entries().contains("har-attached-body"));
  std::filesystem::remove_all(name);
}
