// Messages of logs: whose session they are in, and how replies pair.
#include <catch2/catch.hpp>

#include "unit/session/tracker_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::Direction;
using model::NoticeKind;
using model::SessionKeying;

namespace {

const model::SessionRow* row_of(const Tracked& log, std::string_view key) {
  for (const auto& row : log.tracker.rows()) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a request and its reply pair by id, whichever order replies come in") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("2", {.session = "s1"});
  log.reply("2", {.session = "s1"});
  log.reply("1", {.session = "s1"});
  log.finish();
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 2", "< 2 answer", "< 1 answer", "- s1"});
  CHECK(row_of(log, "s1")->paired == 2);
}

TEST_CASE("a request under an id in flight takes it over; the reply goes to the newer one") {
  Tracked log;
  log.request("1", {.session = "s1", .target = "a"});
  log.request("1", {.session = "s1", .target = "b"});
  log.reply("1", {.session = "s1"});
  log.notice(NoticeKind::stream_not_found, {.session = "s1"}, "1");
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 1 takes over reused", "< 1 answer", "! s1 1", "x 1 overwritten"});
}

TEST_CASE("an id answered before is used again: told, but it takes nothing over") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.reply("1", {.session = "s1"});
  log.request("1", {.session = "s1", .payload = "other"});
  CHECK(log.told() == Lines{"+ s1", "> 1", "< 1 answer", "> 1 reused"});
}

TEST_CASE("the same id in two sessions, or from both sides of one, is no reuse") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("1", {.session = "s2"});
  log.request("1", {.session = "s1", .direction = Direction::server_to_client, .method = "sampling/createMessage"});
  log.reply("1", {.session = "s1", .direction = Direction::client_to_server});
  log.reply("1", {.session = "s1", .direction = Direction::server_to_client});
  log.finish();
  CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 1", "> 1", "< 1 answer", "< 1 answer", "- s1", "x 1 evidence_ends", "- s2"});
  CHECK(row_of(log, "s1")->counts.server_requests == 1);
  CHECK(row_of(log, "s1")->counts.replies == 1);
}

TEST_CASE("a log that tells no direction has it from the method, and for a reply from who waits") {
  Tracked log;
  log.request("7", {.session = "s1", .method = "roots/list"});
  log.reply("7", {.session = "s1"});
  log.request("8", {.session = "s1"});
  log.reply("8", {.session = "s1"});
  log.finish();
  CHECK(row_of(log, "s1")->counts.server_requests == 1);
  CHECK(row_of(log, "s1")->counts.requests == 1);
  CHECK(row_of(log, "s1")->counts.replies == 1);
}

TEST_CASE("an id that comes back in another JSON type answers its call, and is told") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.reply("\"1\"", {.session = "s1"});
  CHECK(log.told() == Lines{"+ s1", "> 1", "< 1 type_drift"});
}

TEST_CASE("a second reply is a duplicate; one after the client gave up is late") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.reply("1", {.session = "s1"});
  log.reply("1", {.session = "s1"});
  log.request("2", {.session = "s1"});
  log.notify("notifications/cancelled", {.session = "s1", .reason = "Request timed out", .related = "2"});
  log.reply("2", {.session = "s1"});
  CHECK(log.told() == Lines{"+ s1", "> 1", "< 1 answer", "< 1 duplicate", "> 2", "~ ?", "timeout 2", "x 2 timed_out", "< 2 late"});
}

TEST_CASE("a cancel without a word of time is a cancel, and one of an unknown call names none") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.notify("notifications/cancelled", {.session = "s1", .reason = "user", .related = "1"});
  log.notify("notifications/cancelled", {.session = "s1", .reason = "user", .related = "9"});
  CHECK(log.told() == Lines{"+ s1", "> 1", "~ ?", "cancel 1", "x 1 cancelled", "~ ?", "cancel ?"});
}

TEST_CASE("a reply that nobody waits for is an orphan where the session's start was seen, else perhaps only older than the log") {
  Tracked log;
  log.reply("5", {.session = "s1"});
  log.request("0", {.session = "s2", .method = "initialize"});
  log.reply("5", {.session = "s2"});
  CHECK(log.told() == Lines{"+ s1", "< ? head_of_evidence", "+ s2", "> 0", "< ? orphan"});
}

TEST_CASE("progress is told with the call whose token it carries, and with the ended one afterwards") {
  Tracked log;
  log.request("3", {.session = "s1", .related = "3"});
  log.notify("notifications/progress", {.session = "s1", .related = "3"});
  log.reply("3", {.session = "s1"});
  log.notify("notifications/progress", {.session = "s1", .related = "3"});
  CHECK(log.told() == Lines{"+ s1", "> 3", "~ 3", "< 3 answer", "~ 3 ended"});
}

TEST_CASE("the members of a batch are calls of their own") {
  Tracked log;
  for (const char* id : {"1", "2", "3"}) log.request(id, {.session = "s1", .batch = 3});
  for (const char* id : {"3", "1", "2"}) log.reply(id, {.session = "s1", .batch = 3});
  log.finish();
  CHECK(row_of(log, "s1")->paired == 3);
}

TEST_CASE("a message with defects is told as malformed and pairs all the same") {
  Tracked log;
  log.request("1", {.session = "s1", .defects = model::kNoVersion});
  log.reply("1", {.session = "s1", .defects = model::kBadError});
  CHECK(log.told() == Lines{"+ s1", "malformed s1", "> 1", "malformed s1", "< 1 answer"});
}

TEST_CASE("one message written by two handlers of a process counts once; by one handler twice, it was sent twice") {
  Tracked log;
  log.request("1", {.session = "s1", .channel = 10, .at = 1});
  log.request("1", {.session = "s1", .channel = 20, .at = 1.01});
  CHECK(log.told() == Lines{"+ s1", "> 1"});
  log.request("2", {.session = "s1", .channel = 10, .at = 2});
  log.request("2", {.session = "s1", .channel = 10, .at = 2.01});
  log.request("3", {.session = "s1", .channel = 10, .at = 3});
  log.request("3", {.session = "s1", .channel = 20, .at = 3.5});
  CHECK(log.told() == Lines{"> 2", "x 2 sent_again", "> 2 again", "> 3", "x 3 sent_again", "> 3 again"});
}

TEST_CASE("where no exchanges are told, the same message again under an id in flight is a retry; each copy may have a reply") {
  Tracked log;
  log.request("1", {.session = "s1", .at = 1, .target = "a"});
  log.request("1", {.session = "s1", .at = 2, .target = "a"});
  log.reply("1", {.session = "s1", .at = 3});
  log.reply("1", {.session = "s1", .at = 4});
  log.reply("1", {.session = "s1", .at = 5});
  CHECK(log.told() == Lines{"+ s1", "> 1", "x 1 sent_again", "> 1 again", "< 1 answer", "< 1 redelivery", "< 1 duplicate"});
}

TEST_CASE("the same message again long after the first is a second use of the id") {
  Tracked log;
  log.request("1", {.session = "s1", .at = 1, .target = "a"});
  log.request("1", {.session = "s1", .at = 12, .target = "a"});
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 1 takes over reused"});
}

TEST_CASE("a reset is told when its session ends, and not where the same message went out again") {
  for (const bool again : {false, true}) {
    Tracked wire({}, true);
    wire.open(1, {.session = "s1"}, {.at = 1});
    wire.request("1", {.session = "s1", .exchange = 1, .at = 1, .target = "a"});
    wire.response(1, 200, {}, {.at = 1.1});
    wire.end(1, model::EndReason::reset_by_server, {.at = 2});
    CHECK(wire.told() == Lines{"+ s1", "> 1"});
    if (again) {
      wire.open(2, {.session = "s1"}, {.at = 2.1});
      wire.request("1", {.session = "s1", .exchange = 2, .at = 2.1, .target = "a"});
      wire.reply("1", {.session = "s1", .exchange = 2, .at = 3, .stream = model::StreamKind::post});
    }
    wire.finish();
    CHECK(wire.told() == (again ? Lines{"x 1 sent_again", "> 1 again", "< 1 answer", "- s1"} : Lines{"x 1 connection_reset", "- s1"}));
  }
}

TEST_CASE("the answer to an initialize names its session in a log that had no name for it before") {
  Tracked log;
  log.request("0", {.method = "initialize"});
  log.reply("0", {.session = "s1", .keys = model::kProtocolVersionKey | model::kCapabilities | model::kServerInfo});
  log.request("1", {.session = "s1", .target = "a"});
  log.reply("77", {.session = "s1", .keys = model::kContent});
  CHECK(log.told() == Lines{"+ log#1", "> 0", "< 0 answer", "> 1", "< ? orphan for 1"});
}

TEST_CASE("requests of 2026-07-28 in a log share no id space: equal ids in flight are no collision, and their replies are nobody's for sure") {
  Tracked log;
  log.request("1", {.target = "a", .version = "2026-07-28"});
  log.request("1", {.target = "b", .version = "2026-07-28"});
  log.reply("1");
  CHECK(log.told() == Lines{"+ log (2026-07-28)", "> 1", "> 1", "< ? unattributed"});
}

TEST_CASE("a notification between requests of 2026-07-28 is of their conversation, a request of no revision is not") {
  Tracked log;
  log.request("1", {.target = "a", .version = "2026-07-28"});
  log.notify("notifications/tools/list_changed");
  CHECK(log.told() == Lines{"+ log (2026-07-28)", "> 1", "~ ?"});
  log.request("2", {.target = "b"});
  CHECK(log.told() == Lines{"+ log", "> 2"});
}

TEST_CASE("a reply that names no session goes to the only one that waits for its id") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("2", {.session = "s2"});
  log.reply("2");
  CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 2", "< 2 answer"});
}

TEST_CASE("where two sessions wait for that id nobody is accused: the reply is unattributed, and counted in a row of its own") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("1", {.session = "s2"});
  log.reply("1");
  log.finish();
  CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 1", "< ? unattributed", "x 1 evidence_ends", "- s1", "x 1 evidence_ends", "- s2"});
  CHECK(log.tracker.unattributed_replies() == 1);
  CHECK(row_of(log, "(no session told)")->counts.replies == 1);
}

TEST_CASE("the session that began last has no claim to a reply that names none, where requests name theirs") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("0", {.method = "initialize"});
  log.notice(NoticeKind::session_created, {.session = "s2"});
  log.request("1", {.session = "s2"});
  log.told();
  log.reply("1");
  CHECK(log.told() == Lines{"< ? unattributed"});
}

TEST_CASE("where no request names a session, the one that began last has the reply") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("0", {.method = "initialize"});
  log.request("1");
  log.told();
  log.reply("1");
  CHECK(log.told() == Lines{"< 1 answer"});
}

TEST_CASE("an initialize without a session id gets it from the line that creates the session, its open calls included") {
  Tracked log;
  log.request("0", {.method = "initialize", .client_name = "c"});
  log.notice(NoticeKind::session_created, {.session = "s1"});
  log.reply("0", {.session = "s1"});
  log.finish();
  CHECK(log.told() == Lines{"+ log#1", "> 0", "! s1 ?", "< 0 answer", "- s1"});
  REQUIRE(row_of(log, "s1"));
  CHECK(row_of(log, "s1")->client_name == "c");
  CHECK(row_of(log, "s1")->paired == 1);
}

TEST_CASE("two initializes waiting for their ids are told apart in the order they came") {
  Tracked log;
  log.request("0", {.method = "initialize", .client_name = "first"});
  log.request("0", {.method = "initialize", .client_name = "second"});
  log.notice(NoticeKind::session_created, {.session = "s1"});
  log.notice(NoticeKind::session_created, {.session = "s2"});
  log.finish();
  CHECK(row_of(log, "s1")->client_name == "first");
  CHECK(row_of(log, "s2")->client_name == "second");
}

TEST_CASE("a process that starts again ends what was open, and its ids begin anew") {
  Tracked log;
  const Where process{.session = "stdio:files", .keying = SessionKeying::process};
  auto say = [&](std::string_view id, std::string_view method) {
    Where where = process;
    where.method = method;
    log.request(id, where);
  };
  say("0", "initialize");
  say("1", "tools/call");
  say("0", "initialize");
  say("1", "tools/call");
  CHECK(log.told() == Lines{"+ stdio:files", "> 0", "> 1", "x 0 restarted", "x 1 restarted", "> 0", "> 1"});
}

TEST_CASE("two processes of one log that names no session each count their own ids; one that asks twice collides with itself") {
  const auto told = [](std::uint64_t second, std::string_view payload) {
    Tracked log;
    log.request("1", {.connection = 7, .at = 0, .direction = model::Direction::client_to_server, .method = "tools/call", .payload = "a"});
    log.request("1", {.connection = second, .at = 0.1, .direction = model::Direction::client_to_server, .method = "tools/call", .payload = payload});
    const std::string last = log.told().back();
    log.finish();
    return std::make_pair(last, log.mixed);
  };
  CHECK(told(8, "b") == std::make_pair(std::string("> 1 reused"), std::vector{true}));
  CHECK(told(7, "b") == std::make_pair(std::string("> 1 takes over reused"), std::vector{false}));
  CHECK(told(8, "a").second == std::vector{false});
}

TEST_CASE("a process that carries on its count beside one started later, under the same name: the log holds several clients") {
  Tracked log;
  const auto ask = [&](std::string_view id, std::string_view method, double at, std::string_view payload) {
    log.request(id, {.session = "stdio:files", .at = at, .keying = SessionKeying::process, .method = method, .payload = payload});
  };
  const auto mixed = [&] {
    log.finish();
    return log.mixed == std::vector{true};
  };
  SECTION("the second began while the first was busy") {
    ask("0", "initialize", 0, "a");
    ask("1", "tools/call", 1, "b");
    ask("0", "initialize", 5, "a");
    ask("2", "tools/call", 6, "c");
    CHECK(mixed());
  }
  SECTION("both began at once") {
    ask("0", "initialize", 0, "a");
    ask("0", "initialize", 0.03, "a");
    ask("1", "tools/list", 1, "b");
    ask("1", "tools/list", 1.01, "b");
    CHECK(mixed());
  }
  SECTION("the second began when the first was over") {
    ask("0", "initialize", 0, "a");
    ask("1", "tools/call", 1, "b");
    ask("0", "initialize", 5, "a");
    ask("1", "tools/call", 6, "c");
    ask("2", "tools/call", 7, "d");
    CHECK_FALSE(mixed());
  }
}

TEST_CASE("a client's word that it cancels explains an exchange that ended just before, nobody told how") {
  Tracked wire({}, true);
  wire.open(1, {.session = "s1"}, {.at = 0});
  wire.request("7", {.session = "s1", .exchange = 1, .at = 0, .direction = Direction::client_to_server});
  wire.open(2, {.session = "s1"}, {.at = 0});
  wire.response(2, 202, {.session = "s1"}, {.at = 0});
  wire.end(1, model::EndReason::unknown, {.at = 1});
  const double later = GENERATE(0.5, 30.0);
  wire.notify("notifications/cancelled", {.session = "s1", .at = 1 + later, .direction = Direction::client_to_server, .related = "7"});
  const auto lines = wire.told();
  CHECK(std::count(lines.begin(), lines.end(), later < 1 ? "x 7 cancelled" : "x 7 no_response") == 1);
}

TEST_CASE("messages that name no session share the session of their source") {
  Tracked log;
  log.request("1");
  log.reply("1");
  log.finish();
  CHECK(log.told() == Lines{"+ log", "> 1", "< 1 answer", "- log"});
  CHECK(row_of(log, "log")->keyed_by == SessionKeying::source);
}

TEST_CASE("times may step back by hours or be missing: order tells, and no duration is negative") {
  Tracked log;
  log.request("1", {.session = "s1", .at = 7200});
  log.reply("1", {.session = "s1", .at = 10});
  log.request("2", {.session = "s1"});
  log.reply("2", {.session = "s1", .at = 7201});
  log.finish();
  CHECK(log.told() == Lines{"+ s1", "> 1", "< 1 answer", "> 2", "< 2 answer", "- s1"});
  const auto& tool = log.tracker.tools().at("");
  CHECK(tool.replies == 2);
  CHECK(tool.latency.longest() >= 0);
}

TEST_CASE("where a log names requests by method and replies by id, a reply ends the oldest request; an id that was seen keeps its own") {
  Tracked log;
  log.request("0", {.method = "initialize"});
  log.reply("0");
  log.request("", {.method = "tools/list"});
  log.request("");
  log.reply("1");
  log.reply("2");
  log.reply("3");
  CHECK(log.told() == Lines{"+ log#1", "> 0", "< 0 answer", "> ", "> ", "<  answer", "<  answer", "< ? orphan"});
}
