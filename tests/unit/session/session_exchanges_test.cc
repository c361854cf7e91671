// HTTP exchanges of captures: which stream a reply may come on, how calls end with their exchange, and what gaps mean.
#include <catch2/catch.hpp>

#include "unit/session/tracker_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::Direction;
using model::EndReason;
using model::SessionKeying;
using model::StreamKind;

namespace {

constexpr std::string_view kServer = "10.0.0.2:80";

// A capture of one client and one server, all on connection 9.
struct Wire : Tracked {
  explicit Wire(Limits bounds = {}) : Tracked(bounds, true) {}

  void post(std::uint64_t number, std::string_view id, std::string_view session = "s1") {
    open(number, {.session = session, .peer = "10.0.0.1", .server = kServer}, {.connection = 9});
    request(id, {.session = session, .exchange = number, .direction = Direction::client_to_server, .stream = StreamKind::post});
  }
  void listen(std::uint64_t number, std::string_view last_event_id) { open(number, {.method = "GET", .session = "s1", .last_event_id = last_event_id, .server = kServer}); }
  void initialize(std::uint64_t number) {
    open(number, {.peer = "10.0.0.1", .server = kServer});
    request("0", {.exchange = number, .direction = Direction::client_to_server, .stream = StreamKind::post, .method = "initialize"});
  }
  void answer(std::uint64_t number, std::string_view id, StreamKind stream = StreamKind::post, std::string_view payload = "p") {
    reply(id, {.session = "s1", .exchange = number, .direction = Direction::server_to_client, .stream = stream, .payload = payload});
  }
};

}  // namespace

TEST_CASE("a reply on the exchange of its request answers it") {
  Wire wire;
  wire.post(1, "5");
  wire.response(1, 200);
  wire.answer(1, "5");
  wire.end(1, EndReason::complete);
  CHECK(wire.told() == Lines{"+ s1", "> 5", "< 5 answer"});
}

TEST_CASE("a request that a redirect sends elsewhere is one call, and the session that its initialize begins is one") {
  Wire wire;
  wire.initialize(1);
  wire.response(1, 307);
  wire.end(1, EndReason::complete);
  wire.initialize(2);
  wire.response(2, 200, {.response_session = "s1"});
  wire.answer(2, "0");
  wire.post(3, "1");
  wire.response(3, 308);
  wire.end(3, EndReason::complete);
  wire.post(4, "1");
  wire.answer(4, "1");
  CHECK(wire.told() == Lines{"+ log#2", "> 0", "x 0 sent_again", "> 0", "< 0 answer", "> 1", "x 1 sent_again", "> 1", "< 1 answer"});
  wire.post(5, "2");
  wire.response(5, 307);
  wire.end(5, EndReason::complete);
  wire.told();
  wire.finish();
  CHECK(wire.told() == Lines{"x 2 refused", "- s1"});
  CHECK(wire.tracker.rows().front().counts.requests == 3);
}

TEST_CASE("a right id on another request's exchange is on the wrong channel") {
  Wire wire;
  wire.post(1, "5");
  wire.post(2, "6");
  wire.answer(2, "5");
  CHECK(wire.told() == Lines{"+ s1", "> 5", "> 6", "< 5 answer wrong-channel"});
}

TEST_CASE("a reply on the standalone GET stream is on the wrong channel") {
  Wire wire;
  wire.post(1, "5");
  wire.listen(2, {});
  wire.answer(2, "5", StreamKind::get_standalone);
  CHECK(wire.told() == Lines{"+ s1", "> 5", "< 5 answer wrong-channel"});
}

TEST_CASE("a reply on the stream of the 2024-11-05 transport is at home, and the 202 of its POST ends nothing") {
  Wire wire;
  const auto legacy = SessionKeying::legacy_session_id;
  wire.open(1, {.method = "GET", .session = "L"}, {.keying = legacy});
  wire.open(2, {.session = "L"}, {.keying = legacy});
  wire.request("5", {.session = "L", .exchange = 2, .direction = Direction::client_to_server, .keying = legacy});
  wire.response(2, 202);
  wire.end(2, EndReason::complete);
  wire.reply("5", {.session = "L", .exchange = 1, .direction = Direction::server_to_client, .stream = StreamKind::legacy_sse, .keying = legacy});
  CHECK(wire.told() == Lines{"+ L", "> 5", "< 5 answer"});
}

TEST_CASE("calls that wait for the one stream of the 2024-11-05 transport end with it") {
  const auto legacy = SessionKeying::legacy_session_id;
  const auto ended = [&](EndReason reason) {
    Wire wire;
    wire.open(1, {.method = "GET", .session = "L"}, {.stream = StreamKind::legacy_sse, .keying = legacy});
    wire.open(2, {.session = "L"}, {.keying = legacy});
    wire.request("5", {.session = "L", .exchange = 2, .direction = Direction::client_to_server, .keying = legacy});
    wire.response(2, 202);
    wire.end(2, EndReason::complete);
    wire.end(1, reason);
    return wire.told();
  };
  CHECK(ended(EndReason::closed_by_client) == Lines{"+ L", "> 5", "x 5 client_closed"});
  CHECK(ended(EndReason::closed_by_server) == Lines{"+ L", "> 5", "x 5 stream_closed"});
  CHECK(ended(EndReason::evidence_ends) == Lines{"+ L", "> 5"});
}

namespace {

// The one stream of a session of the 2024-11-05 transport, in a capture.
struct LegacyWire : Wire {
  static constexpr auto kLegacy = SessionKeying::legacy_session_id;

  LegacyWire() { listen_on(1, "L"); }
  void listen_on(std::uint64_t number, std::string_view named) {
    open(number, {.method = "GET", .session = named, .server = kServer}, {.stream = StreamKind::legacy_sse, .keying = kLegacy});
    open(number + 100, {.session = named, .server = kServer}, {.keying = kLegacy});
    request("0", {.session = named, .exchange = number + 100, .direction = Direction::client_to_server, .keying = kLegacy, .method = "initialize"});
    told();
  }
  void post(std::uint64_t number, std::string_view id, double at, std::string_view named) {
    open(number, {.session = named, .server = kServer}, {.at = at, .keying = kLegacy});
    request(id, {.session = named, .exchange = number, .at = at, .direction = Direction::client_to_server, .keying = kLegacy});
  }
  void answer_on(std::uint64_t number, std::string_view id, double at) {
    reply(id, {.exchange = number, .at = at, .direction = Direction::server_to_client, .stream = StreamKind::legacy_sse, .keying = kLegacy, .place = model::PlaceKind::packet});
  }
};

}  // namespace

TEST_CASE("a reply on the stream of the 2024-11-05 transport may be read before its request, whose connection waits behind a hole") {
  LegacyWire wire;
  wire.answer_on(1, "5", 2.010);
  wire.post(2, "5", 2.000, "L");
  wire.response(2, 202, {}, {.at = 2.150});
  CHECK(wire.told() == Lines{"> 5", "< 5 answer"});
}

TEST_CASE("a reply that no request comes for is told when none can be held back any longer, and is no answer to a younger one") {
  LegacyWire wire;
  wire.answer_on(1, "5", 2.0);
  wire.post(2, "5", 2.3, "L");
  CHECK(wire.told() == Lines{"> 5"});
  wire.response(2, 202, {}, {.at = 2.7});
  CHECK(wire.told() == Lines{"< ? orphan"});
}

TEST_CASE("a client's answer may be read before what the server asks, whose connection waits behind a hole, and after its own POST is over") {
  for (const bool asked : {true, false}) {
    Wire wire;
    wire.listen(1, {});
    wire.open(9, {.session = "s1", .server = kServer});
    wire.request("0", {.session = "s1", .exchange = 9, .direction = Direction::client_to_server, .method = "initialize"});
    wire.told();
    wire.open(2, {.session = "s1", .server = kServer}, {.at = 2.0});
    wire.reply("7", {.exchange = 2, .at = 2.0, .direction = Direction::client_to_server, .place = model::PlaceKind::packet});
    wire.response(2, 202, {}, {.at = 2.01});
    wire.end(2, EndReason::complete, {.at = 2.01});
    CHECK(wire.told() == Lines{});
    if (asked) wire.request("7", {.session = "s1", .exchange = 1, .at = 1.9, .direction = Direction::server_to_client, .stream = StreamKind::get_standalone, .method = "roots/list"});
    wire.response(1, 200, {}, {.at = 2.7});
    CHECK(wire.told() == (asked ? Lines{"> 7", "< 7 answer"} : Lines{"< ? orphan"}));
  }
}

TEST_CASE("a cancel may be read before the request that it takes back, whose connection waits behind a hole") {
  Wire wire;
  wire.listen(1, {});
  wire.open(2, {.session = "s1", .server = kServer}, {.at = 2.1});
  wire.notify("notifications/cancelled", {.session = "s1", .exchange = 2, .at = 2.1, .direction = Direction::client_to_server, .related = "5", .place = model::PlaceKind::packet});
  wire.open(3, {.session = "s1", .server = kServer}, {.at = 2.0});
  wire.request("5", {.session = "s1", .exchange = 3, .at = 2.0, .direction = Direction::client_to_server});
  wire.response(1, 200, {}, {.at = 2.2});
  const Lines told = wire.told();
  const auto asked = std::find(told.begin(), told.end(), "> 5");
  REQUIRE(asked != told.end());
  CHECK(std::find(asked, told.end(), "x 5 cancelled") != told.end());
}

TEST_CASE("a reply like another session's is that session's only where no request of its own can be missing") {
  for (const bool hole : {false, true}) {
    LegacyWire wire;
    wire.listen_on(2, "M");
    wire.post(3, "5", 2.0, "M");
    wire.answer_on(2, "5", 2.1);
    if (hole) wire.gap({.connection = 9, .at = 2.1, .direction = Direction::client_to_server});
    wire.told();
    wire.answer_on(1, "5", 2.2);
    wire.finish();
    CHECK(wire.told().front() == (hole ? "< ? orphan" : "< ? other_session for 5"));
  }
}

TEST_CASE("a server's request on a stream is answered by a POST of the client") {
  Wire wire;
  wire.listen(1, {});
  wire.request("1", {.session = "s1", .exchange = 1, .direction = Direction::server_to_client, .stream = StreamKind::get_standalone, .method = "roots/list"});
  wire.open(2, {.session = "s1", .server = kServer});
  wire.reply("1", {.session = "s1", .exchange = 2, .direction = Direction::client_to_server, .stream = StreamKind::post});
  CHECK(wire.told() == Lines{"+ s1", "> 1", "< 1 answer"});
}

TEST_CASE("in a HAR a client's answer may be told before the server's request, whose stream has not ended yet") {
  for (const bool har : {true, false}) {
    Wire wire;
    wire.initialize(1);
    wire.response(1, 200, {.response_session = "s1"});
    wire.answer(1, "0");
    wire.told();
    wire.post(2, "9");
    wire.open(3, {.session = "s1", .server = kServer});
    wire.reply("4", {.session = "s1", .exchange = 3, .direction = Direction::client_to_server, .stream = StreamKind::post, .place = har ? model::PlaceKind::entry : model::PlaceKind::packet});
    CHECK(wire.told() == Lines{"> 9", har ? "< ? unattributed" : "< ? orphan"});
  }
}

TEST_CASE("how an exchange ends says why its calls have no reply") {
  const auto ending = [](EndReason reason, std::uint16_t status) {
    Wire wire;
    wire.post(1, "5");
    wire.response(1, status);
    wire.end(1, reason);
    wire.finish();
    return wire.told().at(2);
  };
  CHECK(ending(EndReason::complete, 200) == "x 5 stream_closed");
  CHECK(ending(EndReason::complete, 202) == "x 5 accepted_only");
  CHECK(ending(EndReason::complete, 404) == "x 5 refused");
  CHECK(ending(EndReason::closed_by_client, 200) == "x 5 client_closed");
  CHECK(ending(EndReason::reset_by_client, 200) == "x 5 client_closed");
  CHECK(ending(EndReason::reset_by_server, 200) == "x 5 connection_reset");
  CHECK(ending(EndReason::evidence_gap, 200) == "x 5 evidence_gap");
  CHECK(ending(EndReason::evidence_ends, 200) == "x 5 evidence_ends");
}

TEST_CASE("where nothing of the server's side was ever seen, a missing response is a gap of the evidence") {
  Wire wire;
  wire.post(1, "5");
  wire.end(1, EndReason::closed_by_client);
  CHECK(wire.told() == Lines{"+ s1", "> 5", "x 5 evidence_gap"});
}

TEST_CASE("the error body of a refused exchange, with a null id, is the refusal of its one call") {
  Wire wire;
  wire.post(1, "5");
  wire.response(1, 400);
  wire.error("null", {.session = "s1", .exchange = 1, .direction = Direction::server_to_client, .stream = StreamKind::post});
  wire.end(1, EndReason::complete);
  wire.finish();
  CHECK(wire.told() == Lines{"+ s1", "> 5", "< 5 refusal", "x 5 refused", "- s1"});
}

TEST_CASE("the same request again after a refusal is a retry of the transport, not a second use of its id") {
  Wire wire;
  wire.post(1, "5");
  wire.response(1, 503);
  wire.end(1, EndReason::complete);
  wire.post(2, "5");
  CHECK(wire.told() == Lines{"+ s1", "> 5", "x 5 refused", "> 5 again"});
}

TEST_CASE("a resumed stream delivers its own stream's replies, new or again; another stream's are told") {
  Wire wire;
  wire.post(1, "5");
  wire.event_id(1, "e1");
  wire.post(2, "6");
  wire.answer(2, "6", StreamKind::post, "six");
  wire.end(2, EndReason::complete);
  wire.end(1, EndReason::closed_by_client);
  wire.listen(3, "e1");
  wire.answer(3, "5", StreamKind::get_resume, "five");
  wire.answer(3, "5", StreamKind::get_resume, "five");
  wire.answer(3, "6", StreamKind::get_resume, "six");
  CHECK(wire.told() == Lines{"+ s1", "> 5", "> 6", "< 6 answer", "< 5 answer", "< 5 redelivery", "< 6 redelivery across"});
}

TEST_CASE("an initialize gets its session from the response's header") {
  Wire wire;
  wire.initialize(1);
  wire.response(1, 200, {.response_session = "s1"});
  wire.reply("0", {.exchange = 1, .direction = Direction::server_to_client, .stream = StreamKind::post});
  wire.end(1, EndReason::complete);
  wire.finish();
  REQUIRE(wire.tracker.rows().size() == 1);
  CHECK(wire.tracker.rows()[0].id == "s1");
  CHECK(wire.tracker.rows()[0].paired == 1);
}

TEST_CASE("an initialize answered without a session id belongs to a stateless client, whose ids prove nothing across exchanges") {
  Wire wire;
  wire.initialize(1);
  wire.response(1, 200);
  wire.reply("0", {.exchange = 1, .direction = Direction::server_to_client, .stream = StreamKind::post});
  for (std::uint64_t number : {2, 3}) {
    wire.open(number, {.peer = "10.0.0.1", .server = kServer});
    wire.request("0", {.exchange = number, .direction = Direction::client_to_server, .stream = StreamKind::post});
  }
  wire.finish();
  CHECK(wire.tracker.rows().size() == 1);
  for (const std::string& line : wire.told()) CHECK(line.find("takes over") == std::string::npos);
}

TEST_CASE("two answers with the same session id are one session: the second initialize folds into it, counts and calls too") {
  Wire wire;
  for (std::uint64_t number : {1, 2}) {
    wire.initialize(number);
    wire.response(number, 200, {.response_session = "s1"});
  }
  wire.finish();
  REQUIRE(wire.tracker.rows().size() == 1);
  CHECK(wire.tracker.rows()[0].counts.requests == 2);
}

TEST_CASE("a stream that can be resumed may go on behind the end of the evidence, or in what is missing of the session") {
  const double end = GENERATE(12.0, 40.0);
  const bool gap = GENERATE(false, true);
  Tracked wire({}, true);
  wire.open(1, {.session = "s1", .server = kServer}, {.at = 1});
  wire.request("5", {.session = "s1", .exchange = 1, .at = 1});
  wire.response(1, 200, {.sse = true}, {.at = 1});
  wire.event_id(1, "e1");
  wire.end(1, EndReason::closed_by_client, {.at = 10});
  wire.open(2, {.session = "s1", .server = kServer}, {.at = end});
  if (gap) wire.gap({.exchange = 2, .at = end});
  wire.told();
  wire.finish();
  CHECK(wire.told().at(0) == (end < 20 ? "x 5 evidence_ends" : gap ? "x 5 evidence_gap" : "x 5 client_closed"));
}

TEST_CASE("a reply whose request the capture lost is no second answer to another client's call of that id") {
  Tracked wire({}, true);
  wire.open(1, {.peer = "10.0.0.1", .server = kServer, .protocol_version = "2026-07-28"});
  wire.request("1", {.exchange = 1});
  wire.response(1, 200);
  wire.reply("1", {.exchange = 1, .stream = StreamKind::post});
  wire.end(1, EndReason::complete);
  wire.told();
  wire.reply("1", {.exchange = 2, .stream = StreamKind::post, .payload = "of another call"});
  CHECK(wire.told() == Lines{"< ? head_of_evidence"});
}

TEST_CASE("a reply whose request the capture lost is no answer to another client's call of that id either") {
  Tracked wire({}, true);
  wire.open(1, {.peer = "10.0.0.1", .server = kServer, .protocol_version = "2026-07-28"});
  wire.request("1", {.exchange = 1});
  wire.told();
  wire.reply("1", {.exchange = 2, .stream = StreamKind::post, .payload = "of another call"});
  wire.response(1, 200);
  wire.reply("1", {.exchange = 1, .stream = StreamKind::post});
  CHECK(wire.told() == Lines{"< ? head_of_evidence", "< 1 answer"});
}

TEST_CASE("a request whose id the capture lost is answered by what comes on its exchange, and one that is lost whole accuses nobody") {
  Wire wire;
  wire.initialize(1);
  wire.response(1, 200, {.response_session = "s1"});
  wire.reply("0", {.exchange = 1, .direction = Direction::server_to_client, .stream = StreamKind::post, .keys = model::kProtocolVersionKey | model::kCapabilities});
  wire.end(1, EndReason::complete);
  wire.open(2, {.session = "s1", .server = kServer, .body_unknown = true}, {.connection = 9});
  wire.request({}, {.session = "s1", .exchange = 2, .direction = Direction::client_to_server, .stream = StreamKind::post, .defects = model::kTruncated});
  wire.answer(2, "5");
  wire.end(2, EndReason::complete);
  wire.open(3, {.session = "s1", .server = kServer, .body_unknown = true}, {.connection = 9});
  wire.answer(3, "6");
  CHECK(wire.told() == Lines{"+ log#2", "> 0", "< 0 answer", "malformed s1", "> ", "<  answer", "< ? head_of_evidence"});
}

TEST_CASE("a reply whose request the capture lost is no answer to a call that it does not fit") {
  Wire wire;
  wire.initialize(1);
  wire.end(1, EndReason::evidence_gap);
  wire.reply("0", {.exchange = 2, .direction = Direction::server_to_client, .stream = StreamKind::post});
  const Lines told = wire.told();
  CHECK(std::count(told.begin(), told.end(), "< 0 answer") == 0);
}

TEST_CASE("a reply whose request the capture lost is in the session that its response names") {
  Wire wire;
  wire.post(1, "5");
  wire.reply("9", {.session = "s1", .exchange = 2, .direction = Direction::server_to_client, .stream = StreamKind::post, .server = kServer});
  CHECK(wire.told() == Lines{"+ s1", "> 5", "< ? head_of_evidence for 5"});
}

TEST_CASE("a request of revision 2026-07-28 belongs to no session, and its hung-up exchange cancels it") {
  Wire wire;
  wire.open(1, {.peer = "10.0.0.1", .server = kServer, .protocol_version = "2026-07-28"});
  wire.request("1", {.exchange = 1, .direction = Direction::client_to_server, .stream = StreamKind::post});
  wire.response(1, 200);
  wire.end(1, EndReason::closed_by_client);
  wire.finish();
  CHECK(wire.told().at(2) == "x 1 cancelled");
  CHECK(wire.tracker.rows().at(0).transport == "modern-http");
  CHECK(wire.tracker.rows().at(0).protocol_version == "2026-07-28");
}

TEST_CASE("DELETE ends the session and what waits in it") {
  Wire wire;
  wire.post(1, "5");
  wire.open(2, {.method = "DELETE", .session = "s1", .server = kServer});
  wire.response(2, 204);
  wire.end(2, EndReason::complete);
  CHECK(wire.told() == Lines{"+ s1", "> 5", "x 5 session_ended"});
}

TEST_CASE("a stream that the server ends while a DELETE waits for its answer ended with the session, one that it ends after a refused DELETE did not") {
  for (const auto& [status, why] : {std::pair{std::uint16_t{200}, "x 5 session_ended"}, {std::uint16_t{405}, "x 5 stream_closed"}}) {
    Wire wire;
    wire.post(1, "5");
    wire.open(2, {.method = "DELETE", .session = "s1", .server = kServer});
    if (status == 405) {
      wire.response(2, status);
      wire.end(2, EndReason::complete);
    }
    wire.response(1, 200);
    wire.end(1, EndReason::complete);
    if (status == 200) {
      wire.response(2, status);
      wire.end(2, EndReason::complete);
    }
    wire.finish();
    CHECK(wire.told() == Lines{"+ s1", "> 5", why, "- s1"});
  }
}

TEST_CASE("a gap in an exchange holds its calls back, whatever ends it") {
  Wire wire;
  wire.post(1, "5");
  wire.gap({.exchange = 1});
  wire.end(1, EndReason::complete);
  CHECK(wire.told() == Lines{"+ s1", "> 5", "gap s1", "x 5 evidence_gap"});
}

TEST_CASE("a gap in an exchange holds its call back also where the session ends first") {
  Wire wire;
  wire.post(1, "5");
  wire.gap({.exchange = 1});
  wire.open(2, {.method = "DELETE", .session = "s1", .server = kServer});
  wire.response(2, 204);
  wire.end(2, EndReason::complete);
  CHECK(wire.told() == Lines{"+ s1", "> 5", "gap s1", "x 5 evidence_gap"});
}

TEST_CASE("a gap between two exchanges of a connection is its session's gap too") {
  Wire wire;
  wire.post(1, "5");
  wire.answer(1, "5");
  wire.end(1, EndReason::complete);
  wire.gap({.connection = 9});
  CHECK(wire.told() == Lines{"+ s1", "> 5", "< 5 answer", "gap s1"});
}

TEST_CASE("where a connection to a server could not be read, any request of its sessions may have gone over it, and none of another server's") {
  struct Ended : Wire {
    void on_event(const model::TimelineEvent& event) override {
      Wire::on_event(event);
      if (event.kind != model::EventKind::session_finished) return;
      CHECK(event.session->unread_connections == event.session->lacks_requests());
      ends.push_back(event.session->id + (event.session->unread_connections ? " unread" : " read"));
    }
    Lines ends;
  } wire;
  wire.post(1, "5");
  wire.open(2, {.session = "s2", .peer = "10.0.0.1", .server = "10.0.0.3:80"}, {.connection = 10});
  wire.request("5", {.session = "s2", .exchange = 2, .direction = Direction::client_to_server, .stream = StreamKind::post});
  wire.gap({.server = kServer});
  wire.tracker.finish();
  CHECK(wire.ends == Lines{"s1 unread", "s2 read"});
}

TEST_CASE("a gap of the whole input is a gap of every session, and told once where there is none") {
  Wire wire;
  wire.gap({}, true);
  wire.post(1, "5");
  wire.post(2, "6", "s2");
  wire.gap({}, true);
  CHECK(wire.told() == Lines{"gap ?", "+ s1", "> 5", "+ s2", "> 6", "gap s1", "gap s2"});
}

TEST_CASE("an access line with an error status refuses the call that its client's address and port last sent") {
  Tracked log;
  log.request("5", {.session = "s1", .peer = "10.0.0.1", .port = 4001});
  log.request("6", {.session = "s1", .peer = "10.0.0.1", .port = 4002});
  log.summary({.peer = "10.0.0.1", .port = 4001, .status = 404});
  CHECK(log.told() == Lines{"+ s1", "> 5", "> 6", "x 5 refused"});
}
