// What one entry of a HAR says, as the many producers write it.
#include <catch2/catch.hpp>

#include "unit/ingest/har_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using ingest::HarEntry;

namespace {

// Views of the entry live as long as this.
struct One {
  explicit One(std::string_view entry, const Limits& bounds = {}) : text(har_of(entry)), bytes({text}), limits(bounds), reader(bytes, {}, 0, Zone(), limits, books, anomalies) { good = reader.next(read); }
  std::string text;
  Pieces bytes;
  Limits limits;
  model::Books books;
  model::AnomalyLog anomalies;
  ingest::HarReader reader;
  HarEntry read;
  bool good = false;
};

std::string started(std::string_view stamp) {
  const One one(fmt::format(R"({{"startedDateTime":{},"request":{{"method":"GET"}}}})", stamp));
  return one.read.started.known() ? format_rfc3339(one.read.started) : "unknown";
}

}  // namespace

TEST_CASE("Every written form of a start is read", "[har]") {
  CHECK(started(R"("2026-11-29T17:26:08.771Z")") == "2026-11-29T17:26:08.771000Z");
  CHECK(started(R"("2025-06-16T15:14:15.1234007+02:00")") == "2025-06-16T13:14:15.123400Z");
  CHECK(started(R"("2026-11-29T09:26:08.771-08:00")") == "2026-11-29T17:26:08.771000Z");
  CHECK(started(R"("2026-11-29T22:56:08+0530")") == "2026-11-29T17:26:08.000000Z");
  CHECK(started(R"("2024-09-13T10:00:01.5")") == "2024-09-13T10:00:01.500000Z");
  CHECK(started("1764437168771") == "2025-11-29T17:26:08.771000Z");
  CHECK(started("null") == "unknown");
  CHECK(started(R"("yesterday")") == "unknown");
}

TEST_CASE("A start tells how exact it is, and whether it names a zone", "[har]") {
  const One seconds(R"({"startedDateTime":"2026-09-19T10:56:26+02:00","request":{}, "request":{"method":"GET"}})");
  CHECK(seconds.read.precision_us == kSecond);
  CHECK(seconds.read.has_zone);
  const One fine(R"({"startedDateTime":"2026-09-19T10:56:26.123","request":{"method":"GET"}})");
  CHECK(fine.read.precision_us == kMillisecond);
  CHECK_FALSE(fine.read.has_zone);
  CHECK(fine.anomalies.entries().contains("har-no-zone"));
}

TEST_CASE("The head comes after sending and waiting, the end after all", "[har]") {
  const One one(R"({"time":57.845,"timings":{"blocked":1,"dns":-1,"connect":3.5,"ssl":2,"send":0.5,"wait":40,"receive":12.845},"request":{"method":"GET"}})");
  CHECK(one.read.until_head_us == 45000);
  CHECK(one.read.total_us == 57845);
}

TEST_CASE("Durations that are missing or impossible are not made up", "[har]") {
  const One none(R"({"time":null,"timings":{},"request":{"method":"GET"}})");
  CHECK(none.read.total_us == -1);
  CHECK(none.read.until_head_us == -1);
  const One negative(R"({"time":20,"timings":{"connect":115,"send":-79,"wait":37,"receive":3,"ssl":79},"request":{"method":"GET"}})");
  CHECK(negative.read.total_us == 20000);
  CHECK(negative.read.until_head_us == 20000);
  const One summed(R"({"time":-1,"timings":{"send":1,"wait":2,"receive":3},"request":{"method":"GET"}})");
  CHECK(summed.read.total_us == 6000);
  const One huge(R"({"time":1e300,"request":{"method":"GET"}})");
  CHECK(huge.read.total_us > 0);
}

TEST_CASE("Bodies come out whatever is said about their encoding", "[har]") {
  const auto body = [](std::string_view content) {
    One one(fmt::format(R"({{"request":{{"method":"POST"}},"response":{{"status":200,"content":{}}}}})", content));
    return std::string(ingest::body_text(one.read.response, one.reader.arena()).text);
  };
  CHECK(body(R"({"encoding":"base64","text":"eyJpZCI6NH0="})") == R"({"id":4})");
  CHECK(body(R"({"encoding":"base64","text":"eyJpZCI6\r\nNH0"})") == R"({"id":4})");
  CHECK(body(R"({"encoding":"base64","text":"{\"id\":1}"})") == R"({"id":1})");
  CHECK(body(R"({"text":"eyJpZCI6NH0="})") == R"({"id":4})");
  CHECK(body(R"({"text":"eyJpZ it is text"})") == "eyJpZ it is text");
  CHECK(body(R"({"text":"data: {\"x\":\"\u00e9\\n\"}\n\n"})") == "data: {\"x\":\"\xC3\xA9\\n\"}\n\n");
  CHECK(body(R"({"text":{"id":5}})") == R"({"id":5})");
  CHECK(body(R"({"text":"lone \ud800 half"})") == "lone \xEF\xBF\xBD half");
  CHECK(body(R"({"text":null})").empty());
  CHECK(body("null").empty());
}

TEST_CASE("Long texts full of escapes come out as short ones do", "[har]") {
  Arena arena;
  const std::string piece = R"({\"a\":\"b\\\\c\/\t\u00e9\ud83d\ude00 \ud800x\uZZ \u12)";
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += piece.substr(0, piece.size() - static_cast<std::size_t>(i) % 5) + std::string(static_cast<std::size_t>(i), 'y');
    for (const std::string& tail : {std::string(), std::string("\\"), std::string("\\u"), std::string("\\ud83d")}) {
      const ingest::JsonValue value{ingest::JsonType::string, true, std::string_view(text)};
      const std::string whole = text + tail;
      const ingest::JsonValue ended{ingest::JsonType::string, true, std::string_view(whole)};
      REQUIRE(ingest::unescape_body(value, arena) == ingest::unescape_json(value, arena));
      REQUIRE(ingest::unescape_body(ended, arena) == ingest::unescape_json(ended, arena));
    }
  }
}

TEST_CASE("A request body that was taken for a form is put together again", "[har]") {
  One one(R"({"request":{"method":"POST","postData":{"params":[{"name":"{\"a\":\"b","value":"c\"}"}]}}})");
  CHECK(ingest::body_text(one.read.request, one.reader.arena()).text == R"({"a":"b=c"})");
}

TEST_CASE("A JSON body that was taken apart into its members is put together again, with the types of its values", "[har]") {
  One one(R"({"request":{"method":"POST","postData":{"mimeType":"application/json","params":[{"name":"jsonrpc","value":"2.0"},{"name":"id","value":0},)"
          R"({"name":"method","value":"a\"b"},{"name":"params","value":{"x":[1,null]}},{"name":"y","value":null}]}}})");
  CHECK(ingest::body_text(one.read.request, one.reader.arena()).text == R"({"jsonrpc":"2.0","id":0,"method":"a\"b","params":{"x":[1,null]},"y":null})");
  CHECK_FALSE(one.anomalies.entries().contains("har-wrong-type"));
  One batch(R"({"request":{"method":"POST","postData":{"mimeType":"application/json; charset=utf-8","params":[{"name":"0","value":{"id":1}},{"name":"1","value":{"id":2}}]}}})");
  CHECK(ingest::body_text(batch.read.request, batch.reader.arena()).text == R"([{"id":1},{"id":2}])");
}

TEST_CASE("Fields of another type are told with their entry, and taken where their meaning is plain", "[har]") {
  const One one(R"({"time":"12.5","request":{"method":"POST","headers":{"Accept":"x"},"url":7},"response":{"status":"404","content":[1]},"timings":"fast"})");
  REQUIRE(one.good);
  CHECK(one.read.total_us == 12500);
  CHECK(one.read.status == 404);
  CHECK(one.read.url == "7");
  REQUIRE(one.read.request_headers.size() == 1);
  CHECK(one.read.request_headers[0].name == "Accept");
  CHECK(one.anomalies.entries().at("har-wrong-type").source.number == 1);
  CHECK(one.anomalies.entries().at("har-wrong-type").text == "time is 12.5");
}

TEST_CASE("null is the same as missing everywhere", "[har]") {
  const One one(R"({"startedDateTime":null,"time":null,"request":{"method":"GET","headers":null,"postData":null,"bodySize":null},"response":null,"timings":null,"_eventSourceMessages":null})");
  CHECK(one.good);
  CHECK_FALSE(one.read.has_response);
  CHECK_FALSE(one.anomalies.entries().contains("har-wrong-type"));
}

TEST_CASE("Bytes that are not UTF-8 and raw line ends in strings cost nothing but themselves", "[har]") {
  One one("{\"request\":{\"method\":\"POST\",\"url\":\"http://h/\xFF\"},\"response\":{\"content\":{\"text\":\"{\\\"id\\\":\n1}\"}}}");
  REQUIRE(one.good);
  CHECK(one.read.url == "http://h/?");
  CHECK(ingest::body_text(one.read.response, one.reader.arena()).text == "{\"id\": 1}");
  CHECK(one.anomalies.entries().contains("har-unsound-text"));
}

TEST_CASE("Chrome's own record of an event stream is read with the times of its events", "[har]") {
  const One one(R"({"request":{"method":"GET"},"_eventSourceMessages":[{"time":1764437168.771,"eventName":"message","eventId":"7","data":"{}"},{"data":null}]})");
  REQUIRE(one.read.events.size() == 2);
  CHECK(format_rfc3339(one.read.events[0].at) == "2025-11-29T17:26:08.771000Z");
  CHECK(one.read.events[0].id == "7");
  CHECK_FALSE(one.read.events[1].at.known());
}

TEST_CASE("Headers beyond header_bytes are not kept", "[har][limits]") {
  Limits limits;
  limits.header_bytes = 30;
  const One one(R"({"request":{"method":"GET","headers":[{"name":"Accept","value":"a"},{"name":"Origin","value":"b"},{"name":"Host","value":"h"}]},"response":{"headers":[{"name":"Server","value":"s"}]}})", limits);
  CHECK(one.read.request_headers.size() == 2);
  CHECK(one.read.response_headers.size() == 1);
  CHECK(one.anomalies.entries().at("har-headers-bound").text.find("header_bytes") != std::string::npos);
}

TEST_CASE("More timed events than har_pending_entries are read from the body, all at its end", "[har][limits]") {
  Limits limits;
  limits.har_pending_entries = 2;
  const One one(R"({"request":{"method":"GET"},"_eventSourceMessages":[{"data":"1"},{"data":"2"},{"data":"3"}],"response":{"content":{"text":"data: 1"}}})", limits);
  CHECK(one.read.events.empty());
  CHECK(one.read.events_left_out);
  CHECK(one.read.response.has_text());
  CHECK(one.anomalies.entries().contains("har-events-bound"));
}

TEST_CASE("An object without a request is no entry", "[har]") {
  const One one(R"({"startedDateTime":"2026-11-29T17:26:08Z","response":{}})");
  CHECK_FALSE(one.good);
  CHECK(one.books.malformed.at("har-no-request") == 1);
}
