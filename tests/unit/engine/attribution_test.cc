// A test for each row of the table of protocol notes C.2, and for what caps it.
#include "engine/attribution.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;
using engine::attribute;
using engine::behind;
using engine::between;
using engine::MisroutePicture;
using engine::ServerRecord;
using engine::Sight;
using model::Certainty;
using model::Fault;
using model::Party;
using model::Vantage;

namespace {

MisroutePicture picture(Sight client_wire, Sight server_wire = Sight::unseen) {
  MisroutePicture made;
  made.client_wire = client_wire;
  made.server_wire = server_wire;
  return made;
}

void check(const Fault& fault, Party party, Certainty certainty) {
  INFO(fault.reason);
  CHECK(fault.party == party);
  CHECK(fault.certainty == certainty);
  CHECK_FALSE(fault.reason.empty());
}

bool names(const Fault& fault, const char* party) { return std::find(fault.contributing.begin(), fault.contributing.end(), party) != fault.contributing.end(); }

}  // namespace

TEST_CASE("row 1: right and in time on the client's wire, wrong in its record: the client, proven") {
  MisroutePicture seen = picture(Sight::right);
  seen.shown = true;
  check(attribute(seen), Party::client, Certainty::proven);
  seen.complete = false;
  check(attribute(seen), Party::client, Certainty::strong);
}

TEST_CASE("row 2: the late reply met an id used again: the client, proven") {
  MisroutePicture seen = picture(Sight::right_but_late);
  seen.shown = seen.reissued = true;
  const Fault fault = attribute(seen);
  check(fault, Party::client, Certainty::proven);
  CHECK(fault.reason.find("used its id again") != std::string::npos);
}

TEST_CASE("row 3: the reply on a sibling's stream at both wires: the server, the client masking it") {
  MisroutePicture seen = picture(Sight::crossed_stream, Sight::crossed_stream);
  seen.shown = true;
  check(attribute(seen), Party::server, Certainty::strong);
  CHECK(names(attribute(seen), "client"));
  seen.payload_attributed = true;
  check(attribute(seen), Party::server, Certainty::proven);
}

TEST_CASE("row 4: crossed at the client's wire, each on its own stream behind the gateway: the gateway, proven") {
  check(attribute(picture(Sight::crossed_stream, Sight::right)), Party::gateway, Certainty::proven);
  check(attribute(picture(Sight::crossed_payload, Sight::right)), Party::gateway, Certainty::proven);
}

TEST_CASE("row 5: one id for two calls in flight: the client, the server unguarded; proven when the payload's owner is known") {
  MisroutePicture seen = picture(Sight::shared_id, Sight::shared_id);
  check(attribute(seen), Party::client, Certainty::strong);
  seen.payload_attributed = true;
  check(attribute(seen), Party::client, Certainty::proven);
  CHECK(names(attribute(seen), "server"));
}

TEST_CASE("row 6: ids that differ at the client are one behind: the gateway's id map") {
  MisroutePicture seen = picture(Sight::crossed_payload, Sight::crossed_payload);
  seen.ids_collide_behind = true;
  check(attribute(seen), Party::gateway, Certainty::proven);
}

TEST_CASE("row 7: right ids and streams at both wires, the payload another's: the server; its log proves it") {
  MisroutePicture seen = picture(Sight::crossed_payload, Sight::crossed_payload);
  check(attribute(seen), Party::server, Certainty::weak);
  seen.payload_attributed = true;
  check(attribute(seen), Party::server, Certainty::strong);
  seen.server = ServerRecord::crossed;
  check(attribute(seen), Party::server, Certainty::proven);
}

TEST_CASE("row 8: the client's wire alone: undetermined between server and gateway, never the client") {
  for (const Sight sight : {Sight::crossed_payload, Sight::crossed_stream, Sight::other}) {
    const Fault fault = attribute(picture(sight));
    check(fault, Party::unknown, Certainty::undetermined);
    CHECK(names(fault, "server"));
    CHECK(names(fault, "gateway"));
    CHECK_FALSE(names(fault, "client"));
    CHECK(fault.reason.find("between gateway and server") != std::string::npos);
  }
}

TEST_CASE("row 9: no wire: undetermined, and the capture that is missing is named") {
  MisroutePicture seen = picture(Sight::unseen);
  seen.shown = true;
  seen.server = ServerRecord::answered;
  const Fault fault = attribute(seen);
  check(fault, Party::unknown, Certainty::undetermined);
  CHECK(fault.reason.find("a capture at the client would settle it") != std::string::npos);
}

TEST_CASE("what the server's wire shows wrong is the server's, also without the client's wire") {
  MisroutePicture seen = picture(Sight::unseen, Sight::crossed_payload);
  seen.payload_attributed = true;
  check(attribute(seen), Party::server, Certainty::strong);
}

TEST_CASE("right behind the gateway and wrong in the client's record: client or gateway") {
  MisroutePicture seen = picture(Sight::unseen, Sight::right);
  seen.shown = true;
  const Fault fault = attribute(seen);
  check(fault, Party::unknown, Certainty::undetermined);
  CHECK_FALSE(names(fault, "server"));
}

TEST_CASE("a right wire and no contradiction is nobody's fault") { CHECK(attribute(picture(Sight::right)).party == Party::unknown); }

TEST_CASE("the hop between the last right and the first wrong record; two hops between leave it open") {
  check(between(Vantage::client_wire, Vantage::server_wire), Party::gateway, Certainty::proven);
  check(between(Vantage::client_wire, Vantage::gateway), Party::gateway, Certainty::proven);
  check(between(Vantage::gateway, Vantage::server_wire), Party::gateway, Certainty::proven);
  check(between(Vantage::server_wire, Vantage::server), Party::server, Certainty::proven);
  check(between(Vantage::client, Vantage::client_wire), Party::client, Certainty::proven);
  check(between(Vantage::client_wire, Vantage::server), Party::unknown, Certainty::undetermined);
  check(between(Vantage::client, Vantage::server), Party::unknown, Certainty::undetermined);
}

TEST_CASE("two records of one place, or of none that is known, name no hop") {
  check(between(Vantage::client_wire, Vantage::client_wire), Party::unknown, Certainty::undetermined);
  check(between(Vantage::unknown, Vantage::server_wire), Party::unknown, Certainty::undetermined);
  check(between(Vantage::server_wire, Vantage::client_wire), Party::unknown, Certainty::undetermined);
}

TEST_CASE("wrong at the innermost place seen: what lies behind it") {
  check(behind(Vantage::server_wire), Party::server, Certainty::proven);
  check(behind(Vantage::server), Party::server, Certainty::proven);
  check(behind(Vantage::client_wire), Party::unknown, Certainty::undetermined);
  check(behind(Vantage::gateway), Party::unknown, Certainty::undetermined);
  CHECK(names(behind(Vantage::client), "client"));
}
