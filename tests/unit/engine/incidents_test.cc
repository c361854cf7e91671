#include "engine/incidents.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mcpscan;
using engine::FindingBook;
using engine::Rule;
using model::FindingDraft;
using model::Level;

namespace {

Rule rule_named(const char* id, Level level = Level::high) {
  Rule rule;
  rule.id = id;
  rule.title = id;
  rule.level = level;
  return rule;
}

const Rule kCause = rule_named("duplicate-request-id"), kEffect = rule_named("lost-reply"), kNote = rule_named("late-reply", Level::informational);

FindingDraft draft(const char* session, const char* id = "1") {
  FindingDraft made;
  made.session = session;
  made.call = model::FindingCall{model::OwnedId({model::IdType::integer, id, id}), "tools/call", "tool", {}, {}};
  return made;
}

FindingDraft caused(const char* session, const char* id = "1") {
  FindingDraft made = draft(session, id);
  made.cause_rule = "duplicate-request-id";
  made.cause_id = id;
  return made;
}

std::vector<model::Incident> incidents_of(FindingBook& book) { return engine::assemble_incidents(book, {}); }

}  // namespace

TEST_CASE("a consequence stands under its cause, in one incident") {
  const Limits limits;
  FindingBook book(limits);
  book.add(kEffect, caused("s"));
  book.add(kCause, draft("s"));
  const auto incidents = incidents_of(book);
  REQUIRE(incidents.size() == 1);
  CHECK(incidents[0].root == book.findings()[1].finding.id);
  CHECK(book.findings()[0].finding.consequence_of == incidents[0].root);
  CHECK(incidents[0].findings.size() == 2);
}

TEST_CASE("a cause in another session that the consequence names explains it") {
  const Limits limits;
  FindingBook book(limits);
  book.add(kCause, draft("t"));
  FindingDraft effect = caused("s");
  effect.cause_session = "t";
  book.add(kEffect, effect);
  CHECK(incidents_of(book).size() == 1);
  CHECK(book.findings()[1].finding.consequence_of == book.findings()[0].finding.id);
}

TEST_CASE("a cause in another session, or about another id, explains nothing") {
  const Limits limits;
  FindingBook book(limits);
  book.add(kCause, draft("t"));
  book.add(kCause, draft("s", "2"));
  book.add(kEffect, caused("s", "1"));
  const auto incidents = incidents_of(book);
  CHECK(incidents.size() == 2);
  CHECK(book.findings()[2].finding.consequence_of.empty());
}

TEST_CASE("an incident's story tells what each of its causes was, once") {
  const Limits limits;
  FindingBook book(limits);
  Rule rule = rule_named("capability-violation");
  rule.incident_story = "Methods were used: {reason}.";
  for (const char* reason : {"it used a", "it used b", "it used b"}) {
    FindingDraft made = draft("s");
    made.discriminator = std::to_string(book.findings().size());
    made.fault = {model::Party::client, model::Certainty::strong, {}, reason};
    book.add(rule, made);
  }
  const auto incidents = incidents_of(book);
  REQUIRE(incidents.size() == 1);
  CHECK((incidents[0].story == "Methods were used: it used a; it used b." || incidents[0].story == "Methods were used: it used b; it used a."));
}

TEST_CASE("one fault of one party in several sessions is one incident") {
  const Limits limits;
  FindingBook book(limits);
  for (const char* session : {"s", "t", "u"}) book.add(kCause, draft(session));
  const auto incidents = incidents_of(book);
  REQUIRE(incidents.size() == 1);
  CHECK(incidents[0].sessions == 3);
  CHECK(incidents[0].calls == 3);
}

TEST_CASE("what is only informational raises no alarm") {
  const Limits limits;
  FindingBook book(limits);
  book.add(kNote, draft("s"));
  CHECK(incidents_of(book).empty());
}

TEST_CASE("an incident keeps its id when the evidence is read in another order, and when there is more of it") {
  const Limits limits;
  FindingBook once(limits), more(limits);
  once.add(kCause, draft("s"));
  once.add(kEffect, caused("s"));
  more.add(kEffect, caused("s"));
  more.add(kEffect, caused("s"));
  more.add(kCause, draft("s"));
  more.add(kCause, draft("s"));
  const auto first = incidents_of(once), second = incidents_of(more);
  REQUIRE(first.size() == 1);
  REQUIRE(second.size() == 1);
  CHECK(first[0].id == second[0].id);
  CHECK(first[0].id.substr(0, 4) == "inc-");
}

TEST_CASE("the worst incident comes first") {
  const Limits limits;
  const Rule low = rule_named("a-low-one", Level::low);
  FindingBook book(limits);
  book.add(low, draft("s"));
  book.add(kCause, draft("s"));
  const auto incidents = incidents_of(book);
  REQUIRE(incidents.size() == 2);
  CHECK(incidents[0].level == Level::high);
}

TEST_CASE("two rules that name each other as cause end in an incident all the same") {
  const Limits limits;
  FindingBook book(limits);
  FindingDraft circular = draft("s");
  circular.cause_rule = "lost-reply";
  book.add(kCause, circular);
  book.add(kEffect, caused("s"));
  CHECK(incidents_of(book).size() >= 1);
}
