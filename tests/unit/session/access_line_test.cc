// Requests that access lines tell: calls from their start to the end of their exchange, whose replies nobody saw.
#include <catch2/catch.hpp>

#include "unit/session/tracker_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

// The request of an access line, when it came; and the line's exchange, when it was over.
Where begins(std::uint64_t line, double at, std::string_view method = "tools/call") {
  Where where;
  where.session = "s1";
  where.exchange = line;
  where.of_access_line = true;
  where.at = at;
  where.method = method;
  where.direction = model::Direction::client_to_server;
  return where;
}
Where ends(std::uint64_t line, double at) { return begins(line, at, {}); }

Http status(std::uint16_t code) {
  Http http;
  http.status = code;
  return http;
}

}  // namespace

TEST_CASE("a call told by its access line is open until the exchange is over, and nobody says that it was answered") {
  Tracked log;
  log.request("1", begins(1, 10));
  log.summary(status(200), ends(1, 12));
  CHECK(log.told() == Lines{"+ s1", "> 1", "x 1 unseen"});
}

TEST_CASE("two access lines with one id collide when their times overlap, and not when they do not") {
  Tracked log;
  log.request("1", begins(1, 10));
  log.request("1", begins(2, 11));
  log.summary(status(200), ends(2, 12));
  log.summary(status(200), ends(1, 70));
  log.request("1", begins(3, 80));
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 1 takes over reused", "x 1 unseen", "x 1 unseen", "> 1 reused"});
}

TEST_CASE("a refusal in the access line is the answer of its call") {
  Tracked log;
  log.request("1", begins(1, 10));
  log.summary(status(404), ends(1, 11));
  CHECK(log.told() == Lines{"+ s1", "> 1", "x 1 refused"});
}

TEST_CASE("requests without an id are counted and never collide") {
  Tracked log;
  log.request("", begins(1, 10));
  log.request("", begins(2, 10));
  log.summary(status(200), ends(1, 12));
  log.summary(status(200), ends(2, 12));
  log.tracker.finish();
  REQUIRE(log.tracker.rows().size() == 1);
  CHECK(log.tracker.rows()[0].counts.requests == 2);
  CHECK(log.tracker.rows()[0].counts.tools_calls == 2);
  CHECK((log.tracker.capabilities() & model::kRequestIds) == 0);
}

TEST_CASE("a request that the application's log has shown is not counted again by the proxy's line of it") {
  Tracked log;
  Where shown;
  shown.session = "s1";
  shown.at = 10.01;
  log.request("1", shown);
  log.request("1", begins(1, 10));
  log.summary(status(200), ends(1, 12));
  log.tracker.finish();
  CHECK(log.tracker.rows()[0].counts.requests == 1);
}

TEST_CASE("the error that an access line names answers its call, without the evidence showing replies in general") {
  Tracked log;
  log.request("1", begins(1, 10));
  Where where = ends(1, 11);
  where.direction = model::Direction::server_to_client;
  log.error("1", where);
  log.summary(status(200), ends(1, 11));
  CHECK(log.told() == Lines{"+ s1", "> 1", "< 1 answer"});
  CHECK((log.tracker.capabilities() & model::kReplies) == 0);
}

TEST_CASE("a reply told without an id ends the oldest call to its tool that was told without one") {
  Tracked log;
  Where add = begins(0, 10), other = begins(0, 11);
  add.of_access_line = other.of_access_line = false;
  add.target = "add";
  other.target = "search";
  log.request("", add);
  log.request("", other);
  add.at = 12;
  add.direction = model::Direction::server_to_client;
  log.reply("", add);
  CHECK(log.told() == Lines{"+ s1", "> ", "> ", "<  answer"});
  log.finish();
  CHECK(log.tracker.rows()[0].counts.replies == 1);
}

TEST_CASE("a call told without an id is never said to be lost: its reply may have been any") {
  Tracked log;
  Where where = begins(0, 10);
  where.of_access_line = false;
  log.request("", where);
  log.finish();
  CHECK(log.told() == Lines{"+ s1", "> ", "x  evidence_ends", "- s1"});
}
