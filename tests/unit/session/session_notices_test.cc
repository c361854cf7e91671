// Log statements: which session and call they are about, and what they end.
#include <catch2/catch.hpp>

#include "unit/session/tracker_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::NoticeKind;

TEST_CASE("a reply without a stream belongs to the oldest open call of that id: the one that was taken over first") {
  Tracked log;
  log.request("1", {.session = "s1", .target = "a"});
  log.request("1", {.session = "s1", .target = "b"});
  log.notice(NoticeKind::stream_not_found, {}, "1");
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 1 takes over reused", "! s1 1", "x 1 overwritten"});
}

TEST_CASE("a reply without a stream whose id is open in two sessions closes neither") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("1", {.session = "s2"});
  log.notice(NoticeKind::stream_not_found, {}, "1");
  CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 1", "! ? ?"});
}

TEST_CASE("of two sessions with calls of one id, a reply without a stream is of the one whose shared id was answered already") {
  Tracked log;
  for (const std::string_view session : {"s1", "s2"}) {
    for (const std::string_view tool : {"a", "b"}) log.request("1", {.session = session, .at = 1, .target = tool});
  }
  log.reply("1", {.session = "s2", .at = 2});
  log.told();
  log.notice(NoticeKind::stream_not_found, {.at = 3}, "1");
  CHECK(log.told() == Lines{"! s2 1", "x 1 overwritten"});
}

TEST_CASE("replies without a stream that two sessions fit close their calls once there are as many records as calls") {
  Tracked log;
  for (const std::string_view session : {"s1", "s2"}) {
    for (const std::string_view tool : {"a", "b"}) log.request("1", {.session = session, .at = 1, .target = tool});
    log.reply("1", {.session = session, .at = 2});
  }
  log.told();
  log.notice(NoticeKind::stream_not_found, {.at = 3}, "1");
  CHECK(log.told() == Lines{"! ? ?"});
  log.notice(NoticeKind::stream_not_found, {.at = 4}, "1");
  CHECK(log.told() == Lines{"! ? ?", "x 1 overwritten", "x 1 overwritten"});
}

TEST_CASE("a single call whose stream is gone is undeliverable; a message of the server's own concerns no call") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.notice(NoticeKind::stream_not_found, {}, "_GET_stream");
  log.notice(NoticeKind::stream_not_found, {}, "1");
  CHECK(log.told() == Lines{"+ s1", "> 1", "! ? ?", "! s1 1", "x 1 undeliverable"});
}

TEST_CASE("the server keys its streams by the id's text, so the statement fits a string id as well") {
  Tracked log;
  log.request("\"1\"", {.session = "s1"});
  log.notice(NoticeKind::stream_not_found, {}, "1");
  CHECK(log.told() == Lines{"+ s1", "> \"1\"", "! s1 \"1\"", "x \"1\" undeliverable"});
}

TEST_CASE("a timeout that names its id closes that call") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("2", {.session = "s1"});
  log.notice(NoticeKind::request_timed_out, {}, "1");
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 2", "timeout 1", "x 1 timed_out"});
}

TEST_CASE("a timeout that tells its wait only fits the call of that age, if there is one such call") {
  Tracked log;
  log.request("1", {.session = "s1", .at = 0});
  log.request("2", {.session = "s1", .at = 40});
  log.notice(NoticeKind::request_timed_out, {.at = 60}, {}, 60 * kSecond);
  CHECK(log.told() == Lines{"+ s1", "> 1", "> 2", "timeout 1", "x 1 timed_out"});
  log.request("3", {.session = "s1", .at = 40});
  log.notice(NoticeKind::request_timed_out, {.at = 100}, {}, 60 * kSecond);
  CHECK(log.told() == Lines{"> 3", "timeout ?"});
}

TEST_CASE("a session that ends, expires or crashes takes its open calls along; other sessions go on") {
  for (const auto kind : {NoticeKind::session_ended, NoticeKind::session_expired, NoticeKind::session_crashed, NoticeKind::transport_closed}) {
    Tracked log;
    log.request("1", {.session = "s1"});
    log.request("2", {.session = "s2"});
    log.notice(kind, {.session = "s1"});
    CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 2", "! s1 ?", "x 1 session_ended"});
  }
}

TEST_CASE("a dead client is its own reason, and concerns the only session that waits for something") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("2", {.session = "s2"});
  log.reply("2", {.session = "s2"});
  log.notice(NoticeKind::client_dead);
  CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 2", "< 2 answer", "! s1 ?", "x 1 client_dead"});
}

TEST_CASE("a backend that ended takes along what waited for it, and its session may go on with another one") {
  Tracked log;
  log.request("3", {.session = "s1"});
  log.notice(NoticeKind::backend_exited, {.session = "s1"});
  log.request("4", {.session = "s1"});
  log.reply("4", {.session = "s1"});
  CHECK(log.told() == Lines{"+ s1", "> 3", "! s1 ?", "x 3 backend_gone", "> 4", "< 4 answer"});
}

TEST_CASE("a request before any handshake is told of the one session that the log shows without one") {
  Tracked log;
  log.request("9", {.session = "s1", .method = "ping"});
  log.request("0", {.session = "s2", .method = "initialize"});
  log.notice(NoticeKind::request_before_initialize);
  CHECK(log.told() == Lines{"+ s1", "> 9", "+ s2", "> 0", "! s1 9"});
}

TEST_CASE("a timeout without an id is that of the call whose reply the client had refused") {
  Tracked log;
  log.request("\"a-2\"", {.session = "s1", .at = 0});
  log.reply("\"a-2\"", {.session = "s1", .at = 0.1});
  log.notice(NoticeKind::unknown_reply_id, {.session = "s1", .at = 0.1}, "a-2");
  log.notice(NoticeKind::request_timed_out, {.at = 20}, {}, 20 * kSecond);
  CHECK(log.told() == Lines{"+ s1", "> \"a-2\"", "< \"a-2\" answer", "! s1 ?", "timeout \"a-2\" ended"});
}

TEST_CASE("where several sessions wait, a statement without a session is about none of them") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.request("2", {.session = "s2"});
  log.notice(NoticeKind::transport_closed);
  CHECK(log.told() == Lines{"+ s1", "> 1", "+ s2", "> 2", "! ? ?"});
}

TEST_CASE("a client that complains about an unknown reply complains about the one that the log has shown") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.reply("1", {.session = "s1"});
  log.notice(NoticeKind::unknown_reply_id, {}, "1");
  CHECK(log.told() == Lines{"+ s1", "> 1", "< 1 answer", "! s1 ?"});
}

TEST_CASE("the id that a client is given names the session which goes by its client's own name, if only one begins") {
  Tracked log;
  const Where client{.session = "a17e", .keying = model::SessionKeying::process};
  const Where header{.session = "s1", .keying = model::SessionKeying::mcp_session_id};
  log.request("\"a17e-0\"", {.session = "a17e", .keying = model::SessionKeying::process, .method = "initialize"});
  log.notice(NoticeKind::session_created, header);
  log.reply("\"a17e-0\"", client);
  log.request("\"a17e-1\"", client);
  log.notice(NoticeKind::session_not_found, {.session = "s1", .direction = model::Direction::server_to_client, .keying = model::SessionKeying::mcp_session_id});
  CHECK(log.told() == Lines{"+ a17e", "> \"a17e-0\"", "! s1 ?", "< \"a17e-0\" answer", "> \"a17e-1\"", "! s1 \"a17e-1\"", "x \"a17e-1\" refused"});
  Tracked two;
  two.request("\"a-0\"", {.session = "a", .keying = model::SessionKeying::process, .method = "initialize"});
  two.request("\"b-0\"", {.session = "b", .keying = model::SessionKeying::process, .method = "initialize"});
  two.notice(NoticeKind::session_created, header);
  CHECK(two.told() == Lines{"+ a", "> \"a-0\"", "+ b", "> \"b-0\"", "+ s1", "! s1 ?"});
}

TEST_CASE("who is refused for its session says so of the call in flight; of several none is named, and none is missed later") {
  Tracked log;
  const Where told{.direction = model::Direction::server_to_client};
  log.request("1", {.session = "s1", .at = 0});
  log.notice(NoticeKind::session_not_found, told);
  CHECK(log.told() == Lines{"+ s1", "> 1", "! s1 1", "x 1 refused"});
  log.request("2", {.session = "s1", .at = 1});
  log.request("3", {.session = "s1", .at = 2});
  log.notice(NoticeKind::session_not_found, told, "3");
  CHECK(log.told() == Lines{"> 2", "> 3", "! s1 3", "x 3 refused"});
  log.request("4", {.session = "s1", .at = 3});
  log.notice(NoticeKind::session_not_found, told);
  CHECK(log.told() == Lines{"> 4", "! s1 ?"});
}

TEST_CASE("a call that has waited for long was taken, and is not what is refused now; nor is one of two with one id") {
  Tracked log;
  const Where told{.at = 60, .direction = model::Direction::server_to_client};
  log.request("1", {.session = "s1", .at = 0});
  log.notice(NoticeKind::session_not_found, told);
  CHECK(log.told() == Lines{"+ s1", "> 1", "! s1 ?"});
  log.request("2", {.session = "s1", .at = 59});
  log.request("2", {.session = "s1", .at = 59.5, .target = "other"});
  log.notice(NoticeKind::session_not_found, told);
  CHECK(log.told() == Lines{"> 2", "> 2 takes over reused", "! s1 ?"});
}

TEST_CASE("what a server says of a session it does not know is about none of the calls it has seen") {
  Tracked log;
  log.request("1", {.session = "s1"});
  log.notice(NoticeKind::session_not_found, {.session = "s1"});
  CHECK(log.told() == Lines{"+ s1", "> 1", "! s1 ?"});
}
