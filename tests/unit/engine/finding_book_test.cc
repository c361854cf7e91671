#include "engine/finding_book.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;
using engine::FindingBook;
using engine::Rule;
using model::FindingDraft;
using model::IdType;
using model::OwnedId;
using model::RpcId;

namespace {

Rule rule_named(const char* id) {
  Rule rule;
  rule.id = id;
  rule.level = model::Level::low;
  return rule;
}

const Rule kRule = rule_named("duplicate-request-id");

FindingDraft draft(const char* session, std::uint64_t line, std::int64_t at = 0) {
  FindingDraft made;
  made.session = session;
  made.at = {at};
  made.call = model::FindingCall{};
  made.evidence.push_back({{0, model::PlaceKind::line, line, line * 10}, "text"});
  return made;
}

std::string only_id(const FindingBook& book) {
  REQUIRE(book.findings().size() == 1);
  return book.findings()[0].finding.id;
}

}  // namespace

TEST_CASE("a finding's id says what it is: not where, when, how often, nor how its session id is spelled") {
  const Limits limits;
  FindingBook first(limits), second(limits);
  first.add(kRule, draft("ab-cd", 1, 5));
  second.add(kRule, draft("ABCD", 900, 70));
  second.add(kRule, draft("ABCD", 901, 71));
  CHECK(only_id(first) == only_id(second));
  CHECK(second.findings()[0].finding.count == 2);
}

TEST_CASE("a call that a proxy sent on is one call with both its places; the same id again at one hop is another") {
  const Limits limits;
  FindingBook book(limits);
  const auto call_at = [](std::uint64_t line, std::int64_t at) {
    FindingDraft made = draft("s", line, at);
    made.call->id = OwnedId(RpcId{IdType::integer, "5", "5"});
    made.call->requested_at = {at};
    return made;
  };
  book.add(kRule, call_at(1, 0), 1);
  book.add(kRule, call_at(2, 3000), 2);
  book.add(kRule, call_at(3, 50000), 1);
  book.add(kRule, call_at(4, 52000), 2);
  REQUIRE(book.findings().size() == 1);
  CHECK(book.findings()[0].finding.count == 2);
  CHECK(book.findings()[0].finding.calls.size() == 2);
  CHECK(book.findings()[0].finding.evidence.size() == 4);
  book.add(kRule, call_at(5, 900000), 2);
  CHECK(book.findings()[0].finding.count == 3);
}

TEST_CASE("what names no call is one as well where a proxy and the server behind it show it at once") {
  const Limits limits;
  FindingBook book(limits);
  const auto seen_at = [](std::int64_t at) {
    FindingDraft made = draft("s", 1, at);
    made.call.reset();
    return made;
  };
  book.add(kRule, seen_at(0), 1);
  book.add(kRule, seen_at(3000), 2);
  book.add(kRule, seen_at(900000), 2);
  CHECK(book.findings().at(0).finding.count == 2);
}

TEST_CASE("a finding that is dropped leaves the others where they are found") {
  const Limits limits;
  FindingBook book(limits);
  for (const char* session : {"a", "b", "c"}) book.add(kRule, draft(session, 1, 0));
  book.drop([](const engine::BookedFinding& booked) { return booked.finding.session == "a"; });
  book.add(kRule, draft("c", 2, 1000));
  REQUIRE(book.findings().size() == 2);
  CHECK(book.findings()[1].finding.count == 2);
}

TEST_CASE("rule, detail, session, requestor and discriminator each make another finding") {
  const auto base = engine::finding_id("r", "d", "s", model::Direction::client_to_server, "1");
  CHECK(base != engine::finding_id("q", "d", "s", model::Direction::client_to_server, "1"));
  CHECK(base != engine::finding_id("r", "e", "s", model::Direction::client_to_server, "1"));
  CHECK(base != engine::finding_id("r", "d", "t", model::Direction::client_to_server, "1"));
  CHECK(base != engine::finding_id("r", "d", "s", model::Direction::server_to_client, "1"));
  CHECK(base != engine::finding_id("r", "d", "s", model::Direction::client_to_server, "2"));
  CHECK(base.size() == 16);
}

TEST_CASE("a detail that is a note is no part of the identity") {
  const Limits limits;
  FindingBook book(limits);
  for (const char* note : {"3 bursts", "4 bursts"}) {
    FindingDraft made = draft("s", 1);
    made.detail = note;
    made.detail_is_note = true;
    book.add(kRule, made);
  }
  CHECK(book.findings().size() == 1);
  CHECK(book.findings()[0].finding.detail == "4 bursts");
}

TEST_CASE("equal drafts add up: count, first and last in any order, the highest level, the surest fault") {
  const Limits limits;
  FindingBook book(limits);
  FindingDraft later = draft("s", 2, 20);
  later.level = model::Level::high;
  later.fault = {model::Party::client, model::Certainty::proven, {}, "sure"};
  book.add(kRule, later);
  FindingDraft earlier = draft("s", 1, 10);
  earlier.fault = {model::Party::server, model::Certainty::weak, {}, "unsure"};
  book.add(kRule, earlier);
  const model::Finding& finding = book.findings()[0].finding;
  CHECK(finding.count == 2);
  CHECK(finding.first.us == 10);
  CHECK(finding.last.us == 20);
  CHECK(finding.level == model::Level::high);
  CHECK(finding.fault.reason == "sure");
}

TEST_CASE("beyond report_calls and report_evidence the rest is counted") {
  Limits limits;
  limits.report_calls = 2;
  limits.report_evidence = 1;
  FindingBook book(limits);
  for (std::uint64_t line = 1; line <= 5; ++line) book.add(kRule, draft("s", line));
  const model::Finding& finding = book.findings()[0].finding;
  CHECK(finding.calls.size() == 2);
  CHECK(finding.calls_left_out == 3);
  CHECK(finding.evidence.size() == 1);
  CHECK(finding.evidence_left_out == 4);
  CHECK(finding.count == 5);
}

TEST_CASE("beyond findings new ones are counted, known ones still grow") {
  Limits limits;
  limits.findings = 1;
  FindingBook book(limits);
  for (const char* session : {"s", "t", "s", "u"}) book.add(kRule, draft(session, 1));
  CHECK(book.findings().size() == 1);
  CHECK(book.findings()[0].finding.count == 2);
  CHECK(book.left_out() == 2);
}

TEST_CASE("the same traffic at two places is one finding, with the larger count and the places of both") {
  const Limits limits;
  FindingBook book(limits), other(limits);
  book.add(kRule, draft("s", 1));
  other.add(kRule, draft("s", 7));
  other.add(kRule, draft("s", 8));
  other.add(kRule, draft("t", 9));
  book.merge(std::move(other));
  REQUIRE(book.findings().size() == 2);
  CHECK(book.findings()[0].finding.count == 2);
  CHECK(book.findings()[0].finding.calls.size() == 2);
  CHECK(book.findings()[0].finding.evidence.size() == 3);
}

TEST_CASE("merging keeps the bounds too: findings, report_evidence") {
  Limits limits;
  limits.findings = 1;
  limits.report_evidence = 2;
  FindingBook book(limits), other(limits);
  for (std::uint64_t line : {1, 2, 3}) book.add(kRule, draft("s", line));
  for (std::uint64_t line : {4, 5, 6}) other.add(kRule, draft("s", line));
  FindingBook third(limits);
  third.add(kRule, draft("t", 9));
  book.merge(std::move(other));
  book.merge(std::move(third));
  REQUIRE(book.findings().size() == 1);
  CHECK(book.findings()[0].finding.evidence.size() == 2);
  CHECK(book.findings()[0].finding.evidence_left_out == 4);
  CHECK(book.left_out() == 1);
}

TEST_CASE("a finding that names no session is given one, and is then what another place found under that session") {
  const Limits limits;
  FindingBook client(limits), server(limits);
  client.add(kRule, draft("", 1));
  server.add(kRule, draft("ab-cd", 7));
  CHECK(client.give_session("another-rule", "AB-CD") == nullptr);
  REQUIRE(client.give_session("duplicate-request-id", "AB-CD") != nullptr);
  CHECK(client.give_session("duplicate-request-id", "AB-CD") == nullptr);
  server.merge(std::move(client));
  CHECK(only_id(server) == engine::finding_id("duplicate-request-id", "", "abcd", model::Direction::unknown, ""));
}

TEST_CASE("what a session is called elsewhere: its findings and those of the other name are one") {
  const Limits limits;
  FindingBook book(limits), wire(limits);
  book.add(kRule, draft("demo", 1));
  wire.add(kRule, draft("s", 7));
  wire.add(kRule, draft("s", 8));
  book.rename_sessions({{"demo", "s"}});
  wire.merge(std::move(book));
  CHECK(only_id(wire) == engine::finding_id(kRule.id, {}, "s", model::Direction::unknown, {}));
  CHECK(wire.findings()[0].finding.count == 2);
}
