// One log record to observations: what it becomes, and which books it is entered in.
#include "pipeline/record_observer.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;
using ingest::LogRecord;
using ingest::RecordKind;
using model::ObservationKind;
using pipeline::ParsedBlock;

namespace {

// A record of kind `kind`, as the only dialect (number 0) gives it.
LogRecord record_of(RecordKind kind, std::string_view body = {}) {
  LogRecord record;
  record.kind = kind;
  record.body = record.text = record.line = body;
  record.codec = "json";
  record.codec_lenient = true;
  record.source = {3, model::PlaceKind::line, 17, 400};
  record.at = {5 * kSecond};
  return record;
}

struct Observed {
  explicit Observed(const LogRecord& record, Limits bounds = {}) : limits(bounds) {
    block.records_by_dialect.assign(2, 0);
    pipeline::RecordObserver(limits).observe(record, block);
    block.settle();
  }
  const model::Observation& first() const {
    REQUIRE_FALSE(block.observations.empty());
    return block.observations.front();
  }

  Limits limits;
  ParsedBlock block;
};

}  // namespace

TEST_CASE("a message keeps the place, time, session and peer of its record, and its line is used") {
  LogRecord record = record_of(RecordKind::message, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  record.session = "s1";
  record.peer = "10.0.0.1";
  record.peer_port = 4001;
  const Observed seen(record);
  CHECK(seen.first().kind == ObservationKind::message);
  CHECK(seen.first().message->method == "ping");
  CHECK(seen.first().source.number == 17);
  CHECK(seen.first().session == "s1");
  CHECK(seen.first().http->peer_port == 4001);
  CHECK(seen.block.books.used == 1);
  CHECK(seen.block.books.total == 1);
}

TEST_CASE("a batch gives one observation a member, and counts as the one record it is") {
  const Observed seen(record_of(RecordKind::message, R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])"));
  CHECK(seen.block.observations.size() == 2);
  CHECK(seen.block.books.used == 1);
}

TEST_CASE("a record of a whole call shows its request and its reply, in that order, whichever stands first") {
  LogRecord record = record_of(RecordKind::message, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  record.second_body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const Observed seen(record);
  REQUIRE(seen.block.observations.size() == 2);
  CHECK(seen.first().message->method == "ping");
  CHECK(seen.block.observations[1].message->kind == model::MessageKind::result);
  CHECK(seen.block.books.used == 1);
}

TEST_CASE("a record that shows one message twice, parsed and as text, shows one") {
  LogRecord record = record_of(RecordKind::message, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  record.second_body = R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})";
  CHECK(Observed(record).block.observations.size() == 1);
}

TEST_CASE("a reply that a logger cut before its id is malformed, and tells that something is missing") {
  for (const RecordKind kind : {RecordKind::message, RecordKind::unknown}) {
    const Observed seen(record_of(kind, R"({"result":{"content":[{"type":"text","text":"abc)"));
    CHECK(seen.first().kind == ObservationKind::gap);
    CHECK(seen.block.books.malformed.at("truncated-body") == 1);
  }
}

TEST_CASE("a record of several lines is entered with all of them") {
  LogRecord record = record_of(RecordKind::noise);
  record.reason = "startup";
  record.lines = 3;
  const Observed seen(record);
  CHECK(seen.block.books.ignored.at("startup") == 3);
  CHECK(seen.block.books.total == 3);
}

TEST_CASE("a broken framing is malformed, for the reason it was given, and observed by nobody") {
  LogRecord record = record_of(RecordKind::message, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  record.malformed = true;
  record.reason = "broken-json-line";
  const Observed seen(record);
  CHECK(seen.block.books.malformed.at("broken-json-line") == 1);
  CHECK(seen.block.observations.empty());
}

TEST_CASE("an unknown line that holds a message is read for it, one that holds none is no traffic") {
  const Observed found(record_of(RecordKind::unknown, R"(gateway says {"jsonrpc":"2.0","id":7,"method":"tools/list"} at last)"));
  CHECK(found.first().message->id.value == "7");
  CHECK(found.block.records_by_dialect.back() == 1);
  const Observed none(record_of(RecordKind::unknown, "nothing to see"));
  CHECK(none.block.observations.empty());
  CHECK(none.block.books.ignored.at("not-mcp") == 1);
}

TEST_CASE("a tool argument that holds a whole fake message stays an argument") {
  const Observed seen(record_of(RecordKind::unknown,
                                R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"x":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"}}})"));
  REQUIRE(seen.block.observations.size() == 1);
  CHECK(seen.first().message->id.value == "1");
}

TEST_CASE("a keep-alive of an event stream is ignored as one") {
  LogRecord record = record_of(RecordKind::message, ": ping - 2026-11-29\n\n");
  record.codec = "sse";
  CHECK(Observed(record).block.books.ignored.at("keep-alive") == 1);
}

TEST_CASE("the quote of a record has at most evidence_text_bytes") {
  Limits limits;
  limits.evidence_text_bytes = 10;
  const Observed seen(record_of(RecordKind::message, R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), limits);
  CHECK(seen.first().text.size() <= 10);
}

TEST_CASE("a message nested beyond json_depth is told and is an anomaly at its place") {
  Limits limits;
  limits.json_depth = 4;
  const Observed seen(record_of(RecordKind::message, R"({"jsonrpc":"2.0","id":1,"result":{"a":[[[[[1]]]]]}})"), limits);
  CHECK(seen.first().message->id.value == "1");
  REQUIRE(seen.block.anomalies.entries().count("json-too-deep") == 1);
  CHECK(seen.block.anomalies.entries().at("json-too-deep").source.number == 17);
}

TEST_CASE("an access line tells the request that it holds when that came, then its exchange, under one number") {
  LogRecord record = record_of(RecordKind::exchange, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  model::HttpFacts http;
  http.started = {2 * kSecond};
  record.http = &http;
  const Observed seen(record);
  REQUIRE(seen.block.observations.size() == 2);
  CHECK(seen.first().message->method == "ping");
  CHECK(seen.first().at.us == 2 * kSecond);
  CHECK(seen.first().of_access_line);
  CHECK(seen.block.observations[1].kind == ObservationKind::exchange_summary);
  CHECK(seen.block.observations[1].exchange == seen.first().exchange);
  CHECK(seen.block.books.used == 1);
}

TEST_CASE("a reply that the client posted is not told from an access line: what it answers is never shown there") {
  LogRecord record = record_of(RecordKind::exchange, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  model::HttpFacts http;
  record.http = &http;
  const Observed seen(record);
  REQUIRE(seen.block.observations.size() == 1);
  CHECK(seen.first().kind == ObservationKind::exchange_summary);
  CHECK(seen.first().exchange == 0);
}

TEST_CASE("a message told by its method and id alone is told as it is, without a body") {
  LogRecord record = record_of(RecordKind::message);
  model::RpcMessage told;
  told.kind = model::MessageKind::request;
  told.method = "tools/call";
  record.told = &told;
  const Observed seen(record);
  CHECK(seen.first().message->method == "tools/call");
  CHECK(seen.block.books.used == 1);
}

TEST_CASE("a statement without a time of its own says when the record before it was written") {
  ParsedBlock block;
  block.records_by_dialect.assign(2, 0);
  const Limits limits;
  pipeline::RecordObserver observer(limits);
  observer.observe(record_of(RecordKind::noise), block);
  LogRecord timeless = record_of(RecordKind::notice);
  const model::Notice notice{model::NoticeKind::request_timed_out, {}, {}, {}, 20 * kSecond};
  timeless.notice = &notice;
  timeless.at = {};
  observer.observe(timeless, block);
  REQUIRE(block.observations.size() == 1);
  CHECK_FALSE(block.observations[0].at.known());
  CHECK(block.observations[0].not_before.us == 5 * kSecond);
}

TEST_CASE("what stands before the first dated row of Rich's in a block waits for the time of the row before, and is no later") {
  ParsedBlock block;
  block.records_by_dialect.assign(2, 0);
  const Limits limits;
  pipeline::RecordObserver observer(limits);
  const model::Notice notice{model::NoticeKind::request_timed_out, {}, {}, {}, 0};
  LogRecord row = record_of(RecordKind::notice);
  row.notice = &notice;
  row.rich_time = true;
  const Time dated = std::exchange(row.at, {});
  observer.observe(row, block);
  row.at = dated;
  observer.observe(row, block);
  REQUIRE(block.observations.size() == 2);
  CHECK(block.left_out == std::vector<std::size_t>{0});
  CHECK(block.rich_time == dated);
  block.clear();
  CHECK(block.left_out.empty());
  CHECK_FALSE(block.rich_time.known());
}
