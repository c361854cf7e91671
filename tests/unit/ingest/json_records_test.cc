#include "ingest/text/json_records.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "unit/ingest/pieces_reader.h"

namespace mcpscan::ingest {
namespace {

std::string as_lines(const std::string& text, std::size_t piece = 1 << 20, const Limits& limits = {}) {
  tests::PiecesReader pieces(text, piece);
  const RecordForm* form = record_form(text);
  REQUIRE(form != nullptr);
  JsonRecordLines lines(pieces, *form, limits);
  std::string all;
  char room[7];
  for (std::size_t count = lines.read(room); count != 0; count = lines.read(room)) all.append(room, count);
  return all;
}

std::string without_blanks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

const std::string kPretty = "[\n  {\n    \"debug\": \"a [b], {c}\",\n    \"n\": [1, 2]\n  },\n  {\n    \"error\": \"x \\\" y\"\n  }\n]\n";

bool is_an_array(const std::string& head) { return record_form(head) != nullptr && record_form(head)->path == "[]"; }

TEST_CASE("an array over lines is told from a batch on one line and from a log line in brackets") {
  CHECK(is_an_array(kPretty));
  CHECK(is_an_array("\n[\r\n{\"a\":1}"));
  CHECK_FALSE(is_an_array("[{\"jsonrpc\":\"2.0\"}]\n"));
  CHECK_FALSE(is_an_array("[info] {\"a\":1}\n"));
  CHECK_FALSE(is_an_array("[\n1\n]"));
  CHECK_FALSE(is_an_array("[\n"));
  CHECK_FALSE(is_an_array(""));
}

TEST_CASE("each element becomes one line, its blanks stay in number, and its strings stay as they are") {
  const std::string lines = as_lines(kPretty);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 1);
  CHECK(without_blanks(lines).starts_with("{\"debug\":\"a[b],{c}\",\"n\":[1,2]}\n{\"error\":\"x\\\"y\"}"));
  CHECK(lines.find("\"a [b], {c}\"") != std::string::npos);
  const std::size_t before_first = kPretty.find('{');
  CHECK(lines.find("\"error\"") + before_first == kPretty.find("\"error\""));
}

TEST_CASE("the lines do not depend on how the bytes are cut") {
  const std::string whole = as_lines(kPretty);
  for (std::size_t piece = 1; piece < kPretty.size(); ++piece) CHECK(as_lines(kPretty, piece) == whole);
}

TEST_CASE("a string that does not end breaks its element only") {
  const std::string lines = without_blanks(as_lines("[\n{\"a\":\"one\n},\n{\"b\":2},\n{\"c\":\"cut"));
  CHECK(lines.find("\n{\"b\":2}\n") != std::string::npos);
  CHECK(lines.find("\n{\"c\":\"cut") != std::string::npos);
}

TEST_CASE("what stands behind the array and elements that are no objects are lines of their own") {
  CHECK(without_blanks(as_lines("[\n{\"a\":1},\n7,\n\"x,y\",\n[1,2]]\n{\"b\":2}\n")) == "{\"a\":1}\n7\n\"x,y\"\n[1,2]\n{\"b\":2}");
}

// One log event in each of the documents, as lines.
TEST_CASE("documents of clouds: the records of their array, one a line, and nothing of what stands around them") {
  CHECK(without_blanks(as_lines(R"({"events":[{"timestamp":1,"message":"a"},{"timestamp":2,"message":"b"}],"searchedLogStreams":[{"x":1}],"nextToken":"t"})")) ==
        "{\"timestamp\":1,\"message\":\"a\"}\n{\"timestamp\":2,\"message\":\"b\"}");
  CHECK(without_blanks(as_lines("{\n  \"nextToken\": \"]\\\"\",\n  \"entries\": [\n    {\n      \"insertId\": \"a\"\n    },\n    {\n      \"insertId\": \"b\"\n    }\n  ]\n}\n")) ==
        "{\"insertId\":\"a\"}\n{\"insertId\":\"b\"}");
  CHECK(without_blanks(as_lines(R"({"meta":{"page":{"data":[1]}},"data":[{"id":"A","type":"log","attributes":{"message":"m"}}],"links":{}})")) ==
        "{\"id\":\"A\",\"type\":\"log\",\"attributes\":{\"message\":\"m\"}}");
  CHECK(without_blanks(as_lines(R"({"took":1,"hits":{"total":{"value":1},"hits":[{"_id":"x","_source":{"message":"m"}}]}})")) == "{\"_id\":\"x\",\"_source\":{\"message\":\"m\"}}");
}

TEST_CASE("CloudWatch's subscription records stand one behind the other: the events of all of them") {
  const std::string one = R"({"messageType":"DATA_MESSAGE","logStream":"s","logEvents":[{"id":"1","timestamp":1,"message":"a"},{"id":"2","timestamp":2,"message":"b"}]})";
  const std::string lines = without_blanks(as_lines(one + "\n" + one));
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
  CHECK(lines.find("\n{\"id\":\"1\"", 4) != std::string::npos);
}

TEST_CASE("Loki's pairs become what logcli writes, each under the labels of its stream") {
  const std::string text = R"({"status":"success","data":{"resultType":"streams","result":[{"stream":{"pod":"a"},"values":[["1795970155274000000","x \"y\""],["1795970156274000000","z",{"m":"1"}]]},{"stream":{"pod":"b"},"values":[["1795970157274000000","w"]]}]}})";
  CHECK(as_lines(text) == R"({"labels":{"pod":"a"},"timestamp":"1795970155274000000","line":"x \"y\""})" "\n"
                          R"({"labels":{"pod":"a"},"timestamp":"1795970156274000000","line":"z"})" "\n"
                          R"({"labels":{"pod":"b"},"timestamp":"1795970157274000000","line":"w"})");
  CHECK(as_lines(R"({"streams":[{"stream":{"pod":"a"},"values":[["1","x"],["no pair"],["2","y"]]}]})") ==
        "{\"labels\":{\"pod\":\"a\"},\"timestamp\":\"1\",\"line\":\"x\"}\n[\"no pair\"]\n{\"labels\":{\"pod\":\"a\"},\"timestamp\":\"2\",\"line\":\"y\"}");
  for (std::size_t piece = 1; piece < text.size(); ++piece) CHECK(as_lines(text, piece) == as_lines(text));
}

TEST_CASE("Insights' lists of fields become objects") {
  CHECK(as_lines(R"({"results":[[{"field":"@timestamp","value":"2026-11-29 16:35:55.274"},{"field":"@message","value":"m"}],[{"field":"@message","value":"n"}]],"status":"Complete"})") ==
        "{\"@timestamp\":\"2026-11-29 16:35:55.274\",\"@message\":\"m\"}\n{\"@message\":\"n\"}");
}

TEST_CASE("a record that does not end is given up where the next one begins on a line of its own") {
  const std::string lines = without_blanks(as_lines("[\n  {\n    \"a\": {\n      \"b\": 1\n  },\n  {\n    \"c\": 2\n  }\n]\n"));
  CHECK(lines.find("\n{\"c\":2}") != std::string::npos);
}

TEST_CASE("documents that hold other things are left alone") {
  CHECK(record_form(R"({"events":[{"name":"x"}]})") == nullptr);
  CHECK(record_form(R"({"data":[{"id":1}]})") == nullptr);
  CHECK(record_form(R"({"level":"info","message":"m","events":[1,2]})") == nullptr);
  CHECK(record_form(R"({"results":[{"field":"x"}]})") == nullptr);
  CHECK(record_form(R"([{"jsonrpc":"2.0","id":1,"timestamp":"x"}])") == nullptr);
  CHECK(record_form(R"([{"timestamp":"2026-11-29T16:35:55Z","textPayload":"x"}])") != nullptr);
}

TEST_CASE("what stands around the records may be nested beyond Limits::json_depth") {
  Limits limits;
  limits.json_depth = 4;
  CHECK(as_lines(R"({"events":[{"timestamp":1,"message":"a"}],"x":[[[[[[{"y":[1]}]]]]]]}{"x":[[[[[[]]]]]],"events":[{"timestamp":2,"message":"b"}]})", 5, limits).find("\n{\"timestamp\":2") != std::string::npos);
}

}  // namespace
}  // namespace mcpscan::ingest
