#include "engine/exoneration.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "unit/session/watched.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using engine::exonerate;
using engine::ExhibitGroup;
using model::Certainty;
using model::Exoneration;
using model::Party;
using model::Vantage;

namespace {

// A batch of `size` calls from `first` on, each answered with what it asked for.
void batch(Watched& tap, int first, double at, int size) {
  for (int i = 0; i < size; ++i) tap.request(std::to_string(first + i), at + 0.001 * i, {"s1", "tool", fmt::format("amber-{}", first + i)});
  for (int i = 0; i < size; ++i) tap.reply(std::to_string(first + i), at + (i == 0 ? 5 : 0.1), fmt::format("about amber-{}", first + i));
}

model::Report report_with(Party party, Certainty certainty, std::vector<std::string> contributing = {}) {
  model::Report report;
  model::Finding& finding = report.findings.emplace_back();
  finding.id = "f1";
  finding.rule = "reply-mismatch";
  finding.level = model::Level::critical;
  finding.count = 1;
  finding.fault = {party, certainty, std::move(contributing), "because"};
  return report;
}

bool says(const std::vector<std::string>& lines, const char* what) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(what) != std::string::npos; });
}

bool refuses(const Exoneration& proof, const char* what) {
  return std::any_of(proof.refusals.begin(), proof.refusals.end(), [&](const auto& refusal) { return refusal.reason.find(what) != std::string::npos; });
}

struct Evidence {
  Evidence() {
    batch(wire, 10, 100, 3);
    batch(wire, 20, 200, 12);
  }
  ExhibitGroup group(Vantage vantage = Vantage::client_wire) const { return {{vantage, &wire.ledger, "wire.pcap"}}; }
  Watched wire;
};

}  // namespace

TEST_CASE("where every reply is right the server is cleared, with its calls counted batch by batch") {
  const Evidence evidence;
  const Exoneration proof = exonerate(Party::server, {evidence.group()}, {});
  CHECK(proof.cleared);
  CHECK(proof.calls == 15);
  CHECK(proof.sessions == 1);
  REQUIRE(proof.batches.size() == 2);
  CHECK(proof.batches[1].size == 12);
  CHECK(proof.batches[1].right == 12);
  CHECK(proof.batches[1].repeats_own == 12);
  CHECK(proof.batches[1].position == "first");
  REQUIRE(proof.sweep.size() == 2);
  CHECK(proof.sweep[0].size == 3);
  CHECK(proof.judged_at.find("wire.pcap") != std::string::npos);
}

TEST_CASE("a finding that names the hop, or that it let it happen, is a refusal") {
  const Evidence evidence;
  CHECK(refuses(exonerate(Party::server, {evidence.group()}, report_with(Party::server, Certainty::weak)), "names the server (weak)"));
  CHECK(refuses(exonerate(Party::server, {evidence.group()}, report_with(Party::client, Certainty::proven, {"server"})), "let it happen"));
  const model::Report either = report_with(Party::server, Certainty::weak, {"gateway"});
  for (const Party party : {Party::server, Party::gateway}) CHECK(refuses(exonerate(party, {evidence.group()}, either), "names the server or the gateway (weak)"));
}

TEST_CASE("a fault that is open, or weakly another's, is a refusal; a proven one of another hop is none") {
  const Evidence evidence;
  CHECK(refuses(exonerate(Party::server, {evidence.group()}, report_with(Party::unknown, Certainty::undetermined)), "leaves open"));
  CHECK(refuses(exonerate(Party::server, {evidence.group()}, report_with(Party::unknown, Certainty::undetermined, {"server", "gateway"})), "leaves open"));
  CHECK(refuses(exonerate(Party::server, {evidence.group()}, report_with(Party::gateway, Certainty::weak)), "leaves open"));
  CHECK(exonerate(Party::server, {evidence.group()}, report_with(Party::gateway, Certainty::proven)).cleared);
  CHECK_FALSE(exonerate(Party::gateway, {evidence.group()}, report_with(Party::gateway, Certainty::proven)).cleared);
}

TEST_CASE("without calls there is nothing to clear anybody by") {
  const Exoneration proof = exonerate(Party::server, {}, {});
  CHECK_FALSE(proof.cleared);
  CHECK(refuses(proof, "nothing to judge it by"));
}

TEST_CASE("a call without a reply that nothing explains is a refusal; one its client left is counted") {
  Evidence evidence;
  evidence.wire.request("90", 300, {"s1", "tool", "amber-90"});
  evidence.wire.tracker.finish();
  const Exoneration proof = exonerate(Party::server, {evidence.group()}, {});
  CHECK(proof.cleared);
  CHECK(says(proof.limits, "still open where the evidence ends"));
}

TEST_CASE("gaps limit the claim") {
  const Evidence evidence;
  model::Report report;
  model::Finding& gap = report.findings.emplace_back();
  gap.rule = "capture-gap";
  gap.level = model::Level::informational;
  gap.count = 2;
  const Exoneration proof = exonerate(Party::server, {evidence.group()}, report);
  CHECK(proof.cleared);
  CHECK(says(proof.limits, "2 gaps"));
}

TEST_CASE("the client needs a record of its own; with one that agrees it is cleared") {
  Evidence evidence;
  CHECK(refuses(exonerate(Party::client, {evidence.group()}, {}), "its transcript"));
  Watched record;
  for (const int id : {10, 11, 12}) record.outcome(fmt::format("toolu_{}", id), 100, 106, fmt::format("about amber-{}", id), {"", "tool", fmt::format("amber-{}", id)});
  ExhibitGroup group = evidence.group();
  group.insert(group.begin(), {Vantage::client, &record.ledger, "client.jsonl"});
  CHECK(exonerate(Party::client, {group}, {}).cleared);
}

TEST_CASE("a record that shows something else than its wire gave clears no client, though no finding names it") {
  const Evidence evidence;
  Watched record;
  for (const int id : {10, 11, 12}) record.outcome(fmt::format("toolu_{}", id), 100, 106, id == 11 ? "what nobody sent" : fmt::format("about amber-{}", id), {"", "tool", fmt::format("amber-{}", id)});
  ExhibitGroup group = evidence.group();
  group.insert(group.begin(), {Vantage::client, &record.ledger, "client.jsonl"});
  CHECK(refuses(exonerate(Party::client, {group}, {}), "its record shows for 1 call something else"));
}

TEST_CASE("what points at the network may point at a gateway") {
  const Evidence evidence;
  const model::Report report = report_with(Party::network, Certainty::strong);
  CHECK(refuses(exonerate(Party::gateway, {evidence.group()}, report), "a gateway may be what it means"));
  CHECK(exonerate(Party::server, {evidence.group()}, report).cleared);
}

TEST_CASE("what the client reported stands in the batch table: who timed out, and where the payload landed") {
  Evidence evidence;
  Watched record;
  record.outcome("toolu_a", 100, 106, "", {"", "tool", "amber-10"});
  record.outcome("toolu_b", 100, 106, "about amber-10", {"", "tool", "amber-11"});
  record.outcome("toolu_c", 100, 106, "about amber-12", {"", "tool", "amber-12"});
  ExhibitGroup group = evidence.group();
  group.insert(group.begin(), {Vantage::client, &record.ledger, "client.jsonl"});
  const Exoneration proof = exonerate(Party::server, {group}, report_with(Party::client, Certainty::proven));
  CHECK(proof.cleared);
  REQUIRE(proof.batches.size() == 2);
  CHECK(proof.batches[0].timed_out == std::vector<std::string>{"tool (id 10)"});
  CHECK(proof.batches[0].landed_in == "tool (id 11)");
  CHECK(proof.batches[1].timed_out.empty());
}

TEST_CASE("a gateway that lets payloads out other than they came in is not cleared") {
  Evidence before, behind;
  before.wire.request("50", 400, {"s1", "tool", "amber-50"});
  behind.wire.request("50", 400, {"s1", "tool", "amber-50"});
  before.wire.reply("50", 401, "one thing");
  behind.wire.reply("50", 401, "another thing");
  const ExhibitGroup group{{Vantage::client_wire, &before.wire.ledger, "client.pcap"}, {Vantage::server_wire, &behind.wire.ledger, "server.pcap"}};
  CHECK(refuses(exonerate(Party::gateway, {group}, {}), "1 payloads left the gateway other than they came into it"));
  CHECK(exonerate(Party::server, {group}, {}).cleared);
}

TEST_CASE("the server's own log is its own word, and that limits the claim") {
  const Evidence evidence;
  const Exoneration proof = exonerate(Party::server, {evidence.group(Vantage::server)}, {});
  CHECK(says(proof.limits, "own word"));
}

TEST_CASE("what only a place nearer to the client shows limits the claim, as does a session of two inputs that could not be laid beside each other") {
  Evidence evidence, inner;
  evidence.wire.request("90", 300, {"s1", "tool", "amber-90"});
  const ExhibitGroup both{{Vantage::client_wire, &evidence.wire.ledger, "wire.pcap"}, {Vantage::server_wire, &inner.wire.ledger, "inner.pcap"}};
  const Exoneration joined = exonerate(Party::server, {both}, {});
  CHECK(joined.calls == 15);
  CHECK(says(joined.limits, "1 call that wire.pcap shows is not in inner.pcap: what became of it is not claimed"));

  const Exoneration apart = exonerate(Party::server, {evidence.group(), inner.group()}, {});
  CHECK(apart.calls == 31);
  CHECK(says(apart.limits, "15 calls of wire.pcap are in sessions that another input shows as well"));
  CHECK_FALSE(says(exonerate(Party::server, {evidence.group()}, {}).limits, "another input"));
}
