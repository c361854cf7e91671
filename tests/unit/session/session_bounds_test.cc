// What is open is bounded: the oldest is let go, and said to be.
#include <catch2/catch.hpp>

#include "unit/session/tracker_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::EndReason;

TEST_CASE("beyond calls_in_flight the oldest call is aged out, and counted") {
  Limits limits;
  limits.calls_in_flight = 2;
  Tracked log(limits);
  for (const char* id : {"1", "2", "3"}) log.request(id, {.session = "s1"});
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 2", "x 1 aged_out", "> 3"});
  CHECK(log.tracker.aged_out_calls() == 1);
}

TEST_CASE("a call older than call_age_us is aged out by what is read later") {
  Limits limits;
  limits.call_age_us = 10 * kSecond;
  Tracked log(limits);
  log.request("1", {.session = "s1", .at = 0});
  for (int i = 0; i < 5000; ++i) log.notify("notifications/message", {.session = "s1", .at = 11});
  CHECK(log.tracker.aged_out_calls() == 1);
  log.finish();
  CHECK(log.tracker.rows().at(0).counts.notifications == 5000);
}

TEST_CASE("beyond sessions the longest silent one is finished with its counts, and counted") {
  Limits limits;
  limits.sessions = 2;
  Tracked log(limits);
  for (const char* session : {"s1", "s2", "s3"}) log.request("1", {.session = session});
  CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 1", "x 1 evidence_ends", "- s1", "+ s3", "> 1"});
  log.finish();
  CHECK(log.tracker.retired_sessions() == 1);
  std::uint64_t requests = 0;
  for (const auto& row : log.tracker.rows()) requests += row.counts.requests;
  CHECK(requests == 3);
}

TEST_CASE("beyond exchanges the oldest is closed as a gap of the evidence") {
  Limits limits;
  limits.exchanges = 1;
  Tracked wire(limits, true);
  for (std::uint64_t number : {1, 2}) {
    wire.open(number, {.session = "s1"});
    wire.request(number == 1 ? "1" : "2", {.session = "s1", .exchange = number, .direction = model::Direction::client_to_server});
  }
  CHECK(wire.told() == Lines{"+ s1", "> 1", "x 1 evidence_gap", "> 2"});
}

TEST_CASE("beyond finished_calls an old duplicate can no longer be told from an orphan") {
  Limits limits;
  limits.finished_calls = 1;
  Tracked log(limits);
  for (const char* id : {"1", "2"}) {
    log.request(id, {.session = "s1"});
    log.reply(id, {.session = "s1"});
  }
  log.told();
  log.reply("2", {.session = "s1"});
  CHECK(log.told() == Lines{"< 2 duplicate"});
}

TEST_CASE("beyond event_ids a resumed stream's own requests are no longer known, and nothing is accused") {
  Limits limits;
  limits.event_ids = 1;
  Tracked wire(limits, true);
  wire.open(1, {.session = "s1"});
  wire.request("5", {.session = "s1", .exchange = 1, .direction = model::Direction::client_to_server, .stream = model::StreamKind::post});
  wire.event_id(1, "e1");
  wire.event_id(1, "e2");
  wire.end(1, EndReason::closed_by_client);
  wire.open(2, {.method = "GET", .session = "s1", .last_event_id = "e1"});
  wire.told();
  wire.reply("5", {.session = "s1", .exchange = 2, .direction = model::Direction::server_to_client, .stream = model::StreamKind::get_resume});
  CHECK(wire.told() == Lines{"< 5 answer"});
}

TEST_CASE("beyond report_sessions one row stands for the others, so that the sums stay true") {
  Limits limits;
  limits.report_sessions = 1;
  Tracked log(limits);
  for (const char* session : {"s1", "s2", "s3"}) log.request("1", {.session = session});
  log.finish();
  REQUIRE(log.tracker.rows().size() == 2);
  CHECK(log.tracker.rows()[1].key == "(others)");
  CHECK(log.tracker.rows()[1].counts.requests == 2);
  CHECK(log.tracker.rows_left_out() == 2);
}

TEST_CASE("an access line for a port says nothing about a call whose place was given to another") {
  Limits limits;
  limits.finished_calls = 1;
  Tracked log(limits);
  log.request("1", {.session = "s1", .peer = "10.0.0.1", .port = 4001});
  log.reply("1", {.session = "s1"});
  log.request("2", {.session = "s1"});
  log.reply("2", {.session = "s1"});
  log.request("3", {.session = "s1"});  // in the place of call 1
  log.told();
  log.summary({.peer = "10.0.0.1", .port = 4001, .status = 404});
  CHECK(log.told() == Lines{});
}

TEST_CASE("beyond tools the calls of further ones are counted together") {
  Limits limits;
  limits.tools = 2;
  Tracked log(limits);
  for (const char* tool : {"a", "b", "c", "d", "a"}) log.request("1", {.session = "s1", .target = tool});
  const auto& tools = log.tracker.tools();
  CHECK(tools.at("a").calls == 2);
  CHECK(tools.at("(others)").calls == 2);
  CHECK(tools.size() == 3);
}

TEST_CASE("beyond session_addresses no further address or principal of a session is kept") {
  Limits limits;
  limits.session_addresses = 2;
  Tracked log(limits);
  for (const char* peer : {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.1"}) log.request("1", {.session = "s1", .peer = peer, .principal = hash_bytes(peer)});
  log.finish();
  CHECK(log.addresses == 2);
  CHECK(log.principals == 2);
}
