#include "engine/first_divergence.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>

#include "base/embedded_file.h"
#include "engine/attribution.h"
#include "unit/session/watched.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using engine::FindingBook;
using engine::Rule;
using engine::RuleSet;
using engine::VantagePath;
using model::Certainty;
using model::Finding;
using model::Party;
using model::Vantage;

namespace {

void add_rule(RuleSet& rules, std::string_view name) {
  for (const EmbeddedFile& file : embedded_rules()) {
    if (std::string_view(file.path).ends_with("/" + std::string(name) + ".yml")) REQUIRE(rules.add(file.text, file.path).ok());
  }
}
void add_swap_rule(RuleSet& rules) { add_rule(rules, "reply-mismatch"); }

Rule rule_named(const char* id, const char* category) {
  Rule rule;
  rule.id = id;
  rule.category = category;
  rule.level = model::Level::high;
  return rule;
}
const Rule kLost = rule_named("lost-reply", "replies"), kSwap = rule_named("reply-mismatch", "replies"), kDuplicate = rule_named("duplicate-request-id", "ids");
const Rule kLate = rule_named("late-reply", "replies"), kNotTaken = rule_named("reply-dropped-by-client", "client"), kVainCancel = rule_named("cancel-invalid-target", "time");
const Rule kQueue = rule_named("serialized-calls", "time"), kReset = rule_named("connection-reset", "time"), kTimeout = rule_named("client-timeout", "time");

// The two wires of a gateway, and the books of what was found at each.
struct Taps {
  Taps() {
    outer.input = 0;
    inner.input = 1;
    for (int i = 1; i <= 5; ++i) both(i, fmt::format("quartz-{}", i), fmt::format("plain {}", i), fmt::format("plain {}", i));
  }
  // Sent at `id` seconds; what came at each wire. An empty payload: nothing.
  void both(int id, const std::string& arguments, const std::string& outer_payload, const std::string& inner_payload) {
    const std::string token = std::to_string(id);
    const double at = 10.0 * id;
    outer.request(token, at, {"s1", "tool", arguments});
    inner.request(token, at + 0.1, {"s1", "tool", arguments});
    if (!inner_payload.empty()) inner.reply(token, at + 0.5, inner_payload);
    if (!outer_payload.empty()) outer.reply(token, at + 0.6, outer_payload);
  }
  // A swap overlaps: both are asked before one is answered.
  void two(const std::string& first, const std::string& second) {
    for (Watched* tap : {&outer, &inner}) {
      tap->request("21", 300, {"s1", "tool", "amber-21"});
      tap->request("22", 300, {"s1", "tool", "amber-22"});
    }
    inner.reply("21", 301, "payload of 21");
    inner.reply("22", 301, "payload of 22");
    outer.reply("21", 302, first);
    outer.reply("22", 302, second);
  }
  void accuse(FindingBook& book, const Rule& rule, const char* id, double at, Party party, const char* detail = "", const std::string& discriminator = "") {
    model::FindingDraft draft;
    draft.session = "s1";
    draft.detail = detail;
    draft.discriminator = discriminator;
    draft.requestor = model::Direction::client_to_server;
    draft.call = model::FindingCall{model::OwnedId({model::IdType::integer, id, id}), "tools/call", "tool", {std::llround(at * 1e6)}, {}};
    draft.fault = {party, Certainty::weak, {}, "seen here"};
    book.add(rule, std::move(draft));
  }
  void judge(Vantage inner_place = Vantage::server_wire) {
    outer.tracker.finish();
    inner.tracker.finish();
    VantagePath path;
    path.points = {{Vantage::client_wire, &outer.ledger, &at_client}, {inner_place, &inner.ledger, &at_server}};
    path.to_inner = {{session::align(outer.ledger, inner.ledger)}, {}};
    engine::name_first_divergence(path, rules);
  }
  static const model::Fault& fault(const FindingBook& book) { return book.findings().at(0).finding.fault; }

  Limits limits;
  Watched outer, inner;
  FindingBook at_client{limits}, at_server{limits};
  RuleSet rules;
};

}  // namespace

TEST_CASE("lost at the client's wire, answered behind the gateway: the gateway, proven") {
  Taps taps;
  taps.both(9, "amber-9", "", "payload");
  taps.accuse(taps.at_client, kLost, "9", 90, Party::server);
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::gateway);
  CHECK(Taps::fault(taps.at_client).certainty == Certainty::proven);
}

TEST_CASE("lost at both wires: the server's, not the gateway's") {
  Taps taps;
  taps.both(9, "amber-9", "", "");
  taps.accuse(taps.at_client, kLost, "9", 90, Party::server);
  taps.accuse(taps.at_server, kLost, "9", 90.1, Party::server);
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::server);
  CHECK(Taps::fault(taps.at_client).certainty == Certainty::proven);
}

TEST_CASE("lost while the server waits for an answer of its client behind the gateway: the gateway kept the question") {
  Taps taps;
  taps.both(9, "amber-9", "", "");
  taps.accuse(taps.at_client, kLost, "9", 90, Party::server, "timeout");
  taps.accuse(taps.at_server, kLost, "9", 90.1, Party::client, "timeout", std::string(engine::kWaitsForClient));
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::gateway);
  CHECK(Taps::fault(taps.at_client).certainty == Certainty::proven);
  CHECK(taps.at_server.findings().empty());  // the same call
}

TEST_CASE("a client that was asked at its own wire and never answered is not the gateway's fault") {
  Taps taps;
  taps.both(9, "amber-9", "", "");
  taps.accuse(taps.at_client, kLost, "9", 90, Party::client, "timeout", std::string(engine::kWaitsForClient));
  taps.accuse(taps.at_server, kLost, "9", 90.1, Party::client, "timeout", std::string(engine::kWaitsForClient));
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::client);
}

TEST_CASE("a call that ended in one way before the proxy and in another behind it is lost once") {
  Taps taps;
  taps.both(9, "amber-9", "", "");
  taps.both(10, "amber-10", "", "");
  taps.accuse(taps.at_client, kLost, "9", 90, Party::server, "stream closed");
  taps.accuse(taps.at_server, kLost, "9", 90.1, Party::server, "timeout");
  taps.accuse(taps.at_server, kLost, "10", 100.1, Party::server, "timeout");
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::server);
  REQUIRE(taps.at_server.findings().size() == 1);
  CHECK(taps.at_server.findings()[0].finding.count == 1);
}

TEST_CASE("two files of one place move no blame") {
  Taps taps;
  taps.both(9, "amber-9", "", "payload");
  taps.accuse(taps.at_client, kLost, "9", 90, Party::server);
  taps.judge(Vantage::client_wire);
  CHECK(Taps::fault(taps.at_client).party == Party::server);
  CHECK(Taps::fault(taps.at_client).certainty == Certainty::weak);
}

TEST_CASE("right in the server's log and wrong at the client's wire leaves open which hop between did it") {
  Taps taps;
  taps.both(9, "amber-9", "", "payload");
  taps.accuse(taps.at_client, kLost, "9", 90, Party::unknown);
  taps.judge(Vantage::server);
  CHECK(Taps::fault(taps.at_client).party == Party::unknown);
  CHECK(Taps::fault(taps.at_client).contributing.size() == 2);
}

TEST_CASE("a log of unknown place that shows the same swap takes no blame off the hop between the wires") {
  Taps taps;
  add_swap_rule(taps.rules);
  taps.two("payload of 22", "payload of 21");
  FindingBook elsewhere{taps.limits};
  for (FindingBook* book : {&taps.at_client, &elsewhere}) {
    for (const char* id : {"21", "22"}) taps.accuse(*book, kSwap, id, 300, Party::server, "swap");
  }
  taps.outer.tracker.finish();
  taps.inner.tracker.finish();
  const auto inward = session::align(taps.outer.ledger, taps.inner.ledger), outward = session::align(taps.inner.ledger, taps.outer.ledger);
  VantagePath path;
  path.points = {{Vantage::client_wire, &taps.outer.ledger, &taps.at_client}, {Vantage::server_wire, &taps.inner.ledger, &taps.at_server}, {Vantage::unknown, &taps.outer.ledger, &elsewhere}};
  path.to_inner = {{inward, session::align(taps.outer.ledger, taps.outer.ledger)}, {outward}, {}};
  engine::name_first_divergence(path, taps.rules);
  CHECK(Taps::fault(taps.at_client).party == Party::gateway);
  CHECK(Taps::fault(taps.at_client).certainty == Certainty::proven);
  CHECK(taps.at_server.findings().empty());
}

TEST_CASE("a call that is not joined moves no blame") {
  Taps taps;
  taps.outer.request("9", 90, {"s1", "tool", "amber-9"});
  taps.accuse(taps.at_client, kLost, "9", 90, Party::server);
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::server);
  CHECK(Taps::fault(taps.at_client).certainty == Certainty::weak);
}

TEST_CASE("a swap that both wires show is the server's; without its log strong, not proven") {
  Taps taps;
  for (Watched* tap : {&taps.outer, &taps.inner}) {
    tap->request("21", 300, {"s1", "tool", "amber-21"});
    tap->reply("21", 301, "payload of 22");
  }
  taps.accuse(taps.at_client, kSwap, "21", 300, Party::server, "swap");
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::server);
  CHECK(Taps::fault(taps.at_client).certainty == Certainty::strong);
}

TEST_CASE("payloads exchanged between the wires are found although nothing in them tells") {
  Taps taps;
  add_swap_rule(taps.rules);
  taps.two("payload of 22", "payload of 21");
  taps.judge();
  REQUIRE(taps.at_client.findings().size() == 1);
  const Finding& found = taps.at_client.findings()[0].finding;
  CHECK(found.rule == "reply-mismatch");
  CHECK(found.count == 2);
  CHECK(found.fault.party == Party::gateway);
  CHECK(found.fault.certainty == Certainty::proven);
  CHECK(taps.at_server.findings().empty());
}

TEST_CASE("two calls that their client sent under one id are not exchanged by the hop behind which they have ids of their own") {
  Taps taps;
  add_swap_rule(taps.rules);
  taps.outer.request("21", 300, {"s1", "tool", "amber-21"});
  taps.outer.request("21", 300, {"s1", "tool", "amber-22"});
  taps.inner.request("31", 300, {"s1", "tool", "amber-21"});
  taps.inner.request("32", 300, {"s1", "tool", "amber-22"});
  taps.inner.reply("31", 301, "payload of the first");
  taps.inner.reply("32", 302, "payload of the second");
  taps.outer.reply("21", 301.1, "payload of the first");
  taps.outer.reply("21", 302.1, "payload of the second");
  taps.judge();
  CHECK(taps.at_client.findings().empty());
  CHECK(taps.at_server.findings().empty());
}

TEST_CASE("payloads that are alike, or that a gateway only rewrote, are no exchange") {
  Taps taps;
  add_swap_rule(taps.rules);
  taps.two("payload of 21, masked", "payload of 22");
  taps.both(31, "amber-31", "ok", "ok");
  taps.both(32, "amber-32", "ok", "ok");
  taps.judge();
  CHECK(taps.at_client.findings().empty());
}

TEST_CASE("ids that differ at the client and are one behind: the gateway's id map, not the client") {
  Taps taps;
  taps.outer.request("41", 500, {"s1", "tool", "amber-41"});
  taps.outer.request("42", 500.01, {"s1", "tool", "amber-42"});
  taps.inner.request("7", 500.1, {"s1", "tool", "amber-41"});
  taps.inner.request("7", 500.2, {"s1", "tool", "amber-42"});
  taps.accuse(taps.at_server, kDuplicate, "7", 500.2, Party::client, "concurrent");
  taps.judge();
  CHECK(Taps::fault(taps.at_server).party == Party::gateway);
}

TEST_CASE("an id that the client shared itself stays the client's") {
  Taps taps;
  for (Watched* tap : {&taps.outer, &taps.inner}) {
    tap->request("7", 500.0, {"s1", "tool", "amber-41"});
    tap->request("7", 500.2, {"s1", "tool", "amber-42"});
  }
  taps.accuse(taps.at_server, kDuplicate, "7", 500.2, Party::client, "concurrent");
  taps.judge();
  CHECK(Taps::fault(taps.at_server).party == Party::client);
}

TEST_CASE("one fault seen at both wires, whose sessions differ, is told once, nearer to the client") {
  const Limits limits;
  const RuleSet rules;
  Watched outer, inner;
  FindingBook at_client(limits), at_server(limits);
  const auto accuse = [](FindingBook& book, const char* session, double at) {
    model::FindingDraft draft;
    draft.session = session;
    draft.call = model::FindingCall{model::OwnedId({model::IdType::integer, "3", "3"}), "tools/call", "tool", {std::llround(at * 1e6)}, {}};
    draft.fault = {Party::server, Certainty::weak, {}, "seen here"};
    book.add(kLost, std::move(draft));
  };
  for (int i = 1; i <= 5; ++i) {
    outer.request(std::to_string(i), 10 * i, {"front", "tool", fmt::format("quartz-{}", i)});
    inner.request(std::to_string(i), 10 * i + 1, {"back", "tool", fmt::format("quartz-{}", i)});
  }
  accuse(at_client, "front", 30);
  accuse(at_server, "back", 31);
  VantagePath path;
  path.points = {{Vantage::client_wire, &outer.ledger, &at_client}, {Vantage::server_wire, &inner.ledger, &at_server}};
  path.to_inner = {{session::align(outer.ledger, inner.ledger)}, {}};
  engine::name_first_divergence(path, rules);
  CHECK(at_client.findings().size() == 1);
  CHECK(at_server.findings().empty());
  CHECK(Taps::fault(at_client).party == Party::server);
}

TEST_CASE("a reply that passed behind the gateway and never came out was kept by it: no client refused it, and its cancel was in time") {
  Taps taps;
  add_rule(taps.rules, "lost-reply");
  taps.both(9, "amber-9", "", "payload");
  taps.accuse(taps.at_client, kTimeout, "9", 90, Party::client);
  taps.accuse(taps.at_server, kNotTaken, "9", 90.1, Party::client);
  taps.accuse(taps.at_server, kVainCancel, "9", 90.1, Party::client);
  taps.judge();
  CHECK(taps.at_server.findings().empty());
  REQUIRE(taps.at_client.findings().size() == 2);
  CHECK(taps.at_client.findings()[0].cause_rule == "lost-reply");
  CHECK(taps.at_client.findings()[1].finding.rule == "lost-reply");
  CHECK(taps.at_client.findings()[1].finding.fault.party == Party::gateway);
  CHECK(taps.at_client.findings()[1].finding.fault.certainty == Certainty::proven);
}

TEST_CASE("a reply that came to the client's wire in time and was not taken stays the client's") {
  Taps taps;
  add_rule(taps.rules, "lost-reply");
  taps.both(9, "amber-9", "payload", "payload");
  taps.accuse(taps.at_server, kNotTaken, "9", 90.1, Party::client);
  taps.judge();
  REQUIRE(taps.at_server.findings().size() == 1);
  CHECK(Taps::fault(taps.at_server).party == Party::client);
  CHECK(taps.at_client.findings().empty());
}

TEST_CASE("a cancel of a call that a gateway never sent on is no cancel of nothing") {
  Taps taps;
  taps.outer.request("9", 90, {"s1", "tool", "amber-9"});
  for (const char* id : {"9", "10"}) {  // the client sent 9 and never 10
    model::FindingDraft draft;
    draft.session = "s1";
    draft.call = model::FindingCall{model::OwnedId({model::IdType::integer, id, id}), {}, {}, {}, {}};
    draft.fault = {Party::client, Certainty::weak, {}, "seen here"};
    taps.at_server.add(kVainCancel, std::move(draft));
  }
  taps.judge();
  REQUIRE(taps.at_server.findings().size() == 1);
  REQUIRE(taps.at_server.findings()[0].finding.calls.size() == 1);
  CHECK(taps.at_server.findings()[0].finding.calls[0].id.value == "10");
}

TEST_CASE("a late reply is the gateway's where it spent most of the call there, and the client's deadline where the server did") {
  const bool held = GENERATE(true, false);
  Taps taps;
  taps.outer.request("9", 90, {"s1", "tool", "amber-9"});
  taps.inner.request("9", 90.1, {"s1", "tool", "amber-9"});
  taps.inner.reply("9", held ? 90.5 : 94, "payload");
  taps.outer.reply("9", 94.1, "payload");
  taps.accuse(taps.at_client, kLate, "9", 90, Party::client);
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == (held ? Party::gateway : Party::client));
}

TEST_CASE("a reply that is late at both wires stays a matter of the client's deadline") {
  Taps taps;
  taps.both(9, "amber-9", "payload", "payload");
  taps.accuse(taps.at_client, kLate, "9", 90, Party::client);
  taps.accuse(taps.at_server, kLate, "9", 90.1, Party::client);
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == Party::client);
}

TEST_CASE("calls that come to a gateway together and go on one at a time queue there") {
  const bool one_at_a_time = GENERATE(true, false);
  Taps taps;
  for (int i = 0; i < 3; ++i) {
    const std::string id = std::to_string(40 + i), what = fmt::format("amber-{}", i);
    taps.outer.request(id, 400, {"s1", "tool", what});
    taps.accuse(taps.at_client, kQueue, id.c_str(), 400, Party::server);
  }
  for (int i = 0; i < 3; ++i) {
    const std::string id = std::to_string(40 + i), what = fmt::format("amber-{}", i);
    if (one_at_a_time && i > 0) taps.inner.reply(std::to_string(39 + i), 400.9 + (i - 1), "payload");
    taps.inner.request(id, one_at_a_time ? 401.0 + (i - 1) : 400.01, {"s1", "tool", what});
  }
  if (!one_at_a_time) {
    for (int i = 0; i < 3; ++i) taps.inner.reply(std::to_string(40 + i), 401 + i, "payload");
  }
  for (int i = 0; i < 3; ++i) taps.outer.reply(std::to_string(40 + i), 402.5 + i, "payload");
  taps.judge();
  CHECK(Taps::fault(taps.at_client).party == (one_at_a_time ? Party::gateway : Party::server));
}

TEST_CASE("a request that a gateway sent twice is no id that the client used twice") {
  Taps taps;
  taps.outer.request("9", 90, {"s1", "tool", "amber-9"});
  taps.inner.request("9", 90.1, {"s1", "tool", "amber-9"});
  taps.inner.request("9", 90.6, {"s1", "tool", "amber-9"});
  taps.accuse(taps.at_server, kDuplicate, "9", 90.6, Party::client, "concurrent");
  taps.judge();
  CHECK(Taps::fault(taps.at_server).party == Party::gateway);
}

TEST_CASE("ids that are others behind a gateway are told whatever they look like; those that few calls have, or that stay, are not") {
  const bool rewritten = GENERATE(true, false);
  Taps taps;
  add_rule(taps.rules, "remapped-id");
  Watched front(session::kLedgerCalls, true), back(session::kLedgerCalls, true);
  for (int i = 1; i <= 4; ++i) {
    const std::string what = fmt::format("beryl-{}", i), id = std::to_string(i), other = std::to_string(rewritten ? 7000 + i : i);
    for (auto& [tap, token] : {std::pair{&front, &id}, std::pair{&back, &other}}) tap->answered(*token, 10 * i, 1, {"s1", "tool", what});
  }
  front.tracker.finish();
  back.tracker.finish();
  VantagePath path;
  path.points = {{Vantage::client_wire, &front.ledger, &taps.at_client}, {Vantage::server_wire, &back.ledger, &taps.at_server}};
  path.to_inner = {{session::align(front.ledger, back.ledger)}, {}};
  engine::name_first_divergence(path, taps.rules);
  REQUIRE(taps.at_client.findings().size() == (rewritten ? 1 : 0));
  if (rewritten) CHECK(taps.at_client.findings()[0].finding.count == 4);
}

TEST_CASE("one book of both hops: a call that both show is one, and what only the outer one shows is the proxy's") {
  Taps taps;
  taps.both(9, "amber-9", "", "payload");
  taps.both(10, "amber-10", "", "");
  taps.outer.tracker.finish();
  taps.inner.tracker.finish();
  taps.accuse(taps.at_client, kLost, "9", 90, Party::server, "stream closed");
  taps.accuse(taps.at_client, kTimeout, "10", 100, Party::client);
  taps.accuse(taps.at_client, kTimeout, "10", 100.1, Party::client);
  VantagePath path;
  path.one_book = true;
  path.points = {{Vantage::client_wire, &taps.outer.ledger, &taps.at_client}, {Vantage::server_wire, &taps.inner.ledger, &taps.at_client}};
  path.to_inner = {{session::align(taps.outer.ledger, taps.inner.ledger)}, {}};
  engine::name_first_divergence(path, taps.rules);
  REQUIRE(taps.at_client.findings().size() == 2);
  CHECK(Taps::fault(taps.at_client).party == Party::gateway);
  CHECK(taps.at_client.findings()[1].finding.count == 1);
}

TEST_CASE("a point that was not looked at when a call was made is nothing to that call, but shows that there is a hop") {
  const bool covered_too = GENERATE(true, false);
  Taps taps;
  if (covered_too) taps.both(9, "amber-9", "", "payload");
  taps.outer.request("40", 400, {"s1", "tool", "amber-40"});
  taps.outer.tracker.finish();
  taps.inner.tracker.finish();
  if (covered_too) taps.accuse(taps.at_client, kLost, "9", 90, Party::server, "stream closed");
  taps.accuse(taps.at_client, kLost, "40", 400, Party::server, "stream closed");
  taps.at_client.findings()[0].finding.fault.certainty = Certainty::strong;
  VantagePath path;
  path.points = {{Vantage::client_wire, &taps.outer.ledger, &taps.at_client}, {Vantage::server_wire, &taps.inner.ledger, &taps.at_server, Time{10 * kSecond}, Time{120 * kSecond}}};
  path.to_inner = {{session::align(taps.outer.ledger, taps.inner.ledger)}, {}};
  engine::name_first_divergence(path, taps.rules);
  REQUIRE(taps.at_client.findings().size() == 1);
  CHECK(Taps::fault(taps.at_client).party == (covered_too ? Party::gateway : Party::server));
  CHECK(Taps::fault(taps.at_client).certainty == (covered_too ? Certainty::strong : Certainty::weak));
  if (!covered_too) CHECK(Taps::fault(taps.at_client).contributing == std::vector<std::string>{"gateway"});
}

TEST_CASE("a reply that never came out is the gateway's also where the client only hung up") {
  Taps taps;
  add_rule(taps.rules, "lost-reply");
  taps.both(9, "amber-9", "", "payload");
  taps.judge();
  CHECK(taps.at_client.findings().empty());  // the evidence ends while it waits
  Taps hung_up;
  add_rule(hung_up.rules, "lost-reply");
  hung_up.both(9, "amber-9", "", "payload");
  hung_up.outer.cancel("9", 95);
  hung_up.judge();
  REQUIRE(hung_up.at_client.findings().size() == 1);
  CHECK(Taps::fault(hung_up.at_client).party == Party::gateway);
}

TEST_CASE("a request that is wrong behind the gateway only was made wrong by it") {
  const bool wrong_before = GENERATE(false, true);
  const Rule rule = rule_named("header-body-mismatch", "protocol");
  Taps taps;
  taps.both(9, "amber-9", "payload", "payload");
  if (wrong_before) taps.accuse(taps.at_client, rule, "9", 90, Party::client);
  taps.accuse(taps.at_server, rule, "9", 90.1, Party::client);
  taps.judge();
  CHECK(Taps::fault(taps.at_server).party == (wrong_before ? Party::client : Party::gateway));
}
