#include "engine/attribution.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

namespace mcpscan::engine {

using model::Certainty;
using model::Fault;
using model::Party;
using model::Vantage;

namespace {

constexpr std::string_view kBehindGateway = "a capture between gateway and server";
constexpr std::string_view kServerLog = "the server's log with its results";
constexpr std::string_view kClientWire = "a capture at the client";

// Without whole evidence nothing is proven.
Fault sure(const MisroutePicture& picture, Party party, std::string reason, std::vector<std::string> contributing = {}) {
  return {party, picture.complete ? Certainty::proven : Certainty::strong, std::move(contributing), std::move(reason)};
}

Fault open_between(std::vector<std::string> parties, std::string_view what, std::string_view settles) {
  return {Party::unknown, Certainty::undetermined, std::move(parties), fmt::format("{}; {} would settle it", what, settles)};
}

Fault right_on_the_wire(const MisroutePicture& picture) {
  if (!picture.shown) return {};
  if (picture.client_wire == Sight::right) return sure(picture, Party::client, "on its wire each reply came in time, under its own id and with its own payload; its record shows them otherwise");
  if (picture.reissued) return sure(picture, Party::client, "it gave the call up, used its id again, and took the late reply for the new call's");
  return sure(picture, Party::client, "on its wire the reply came late, under its own id; its record shows it under another call");
}

Fault crossed_stream(const MisroutePicture& picture) {
  if (picture.server_wire == Sight::right) return sure(picture, Party::gateway, "behind it each reply was on its own stream");
  std::vector<std::string> contributing;
  if (picture.shown) contributing.emplace_back("client");
  if (picture.server_wire == Sight::unseen) return open_between({"server", "gateway"}, "the reply came on the stream of another call; the client did not cause that", kBehindGateway);
  Fault fault = sure(picture, Party::server, "on its own wire the reply is on the stream of another call", contributing);
  if (!picture.rewrites_ids && !picture.payload_attributed) fault.certainty = Certainty::strong;
  return fault;
}

Fault shared_id(const MisroutePicture& picture) {
  if (picture.ids_collide_behind) return sure(picture, Party::gateway, "ids that differ at the client are one id behind it");
  Fault fault = sure(picture, Party::client, "it had two requests in flight under one id", {"server"});
  if (!picture.payload_attributed) fault.certainty = Certainty::strong;
  return fault;
}

Fault crossed_payload(const MisroutePicture& picture) {
  if (picture.ids_collide_behind) return sure(picture, Party::gateway, "ids that differ at the client are one id behind it");
  if (picture.server_wire == Sight::right) return sure(picture, Party::gateway, "behind it each payload was under its own id");
  if (picture.server == ServerRecord::crossed) return sure(picture, Party::server, "its own log has the payload as the other call's result");
  if (picture.server_wire == Sight::unseen) return open_between({"server", "gateway"}, "ids and streams are right, the payloads are not; the client did not cause that", kBehindGateway);
  const Certainty certainty = picture.payload_attributed ? Certainty::strong : Certainty::weak;
  return {Party::server, certainty, {}, fmt::format("on its own wire the payload is another call's already; {} would prove it", kServerLog)};
}

std::string_view words(Vantage vantage) {
  switch (vantage) {
    case Vantage::client: return "the client's record";
    case Vantage::client_wire: return "the wire at the client";
    case Vantage::gateway: return "the gateway's record";
    case Vantage::server_wire: return "the wire at the server";
    case Vantage::server: return "the server's record";
    case Vantage::unknown: break;
  }
  return "a vantage point of unknown place";
}

// Who acts between a vantage point and the next one behind it, from the client on: client | client | gateway | gateway | server. A record is
// its party's own word, so what is wrong in it may be that party's doing.
struct Hop {
  Vantage outer;
  Party party;
};
constexpr std::array<Hop, 4> kHops{{{Vantage::client, Party::client}, {Vantage::client_wire, Party::gateway}, {Vantage::gateway, Party::gateway}, {Vantage::server_wire, Party::server}}};

std::vector<Party> parties_between(Vantage outer, Vantage inner) {
  std::vector<Party> parties;
  for (const Hop& hop : kHops) {
    if (hop.outer < outer || hop.outer >= inner) continue;
    if (parties.empty() || parties.back() != hop.party) parties.push_back(hop.party);
  }
  return parties;
}

// The vantage point that tells the two apart.
std::string_view settling(const std::vector<Party>& parties) {
  if (parties.empty()) return "knowing where each file was taken (--as)";
  return parties.front() == Party::client ? kClientWire : kBehindGateway;
}

Fault named(const std::vector<Party>& parties, const std::string& seen) {
  if (parties.size() == 1) return {parties[0], Certainty::proven, {}, seen};
  std::vector<std::string> names;
  for (const Party party : parties) names.emplace_back(model::to_string(party));
  return open_between(std::move(names), seen, settling(parties));
}

}  // namespace

Fault attribute(const MisroutePicture& picture) {
  const bool inner_only = picture.client_wire == Sight::unseen && picture.server_wire > Sight::right_but_late;
  switch (inner_only ? picture.server_wire : picture.client_wire) {  // what the server sent wrong, it sent wrong
    case Sight::right:
    case Sight::right_but_late: return right_on_the_wire(picture);
    case Sight::crossed_stream: return crossed_stream(picture);
    case Sight::crossed_payload: return crossed_payload(picture);
    case Sight::shared_id: return shared_id(picture);
    case Sight::other:
      if (picture.server_wire == Sight::right) return sure(picture, Party::gateway, "behind it the call was answered right");
      return open_between({"server", "gateway"}, "it is wrong on the client's wire already", kBehindGateway);
    case Sight::unseen: break;
  }
  if (picture.shown && picture.server_wire == Sight::right) return open_between({"client", "gateway"}, "behind the gateway it was right, in the client's record it is wrong", kClientWire);
  return open_between({"client", "gateway", "server"}, "only the client's own record and the server's log speak of it", kClientWire);
}

Fault between(Vantage wrong, Vantage right) {
  if (wrong == Vantage::unknown || right == Vantage::unknown || wrong >= right) return named({}, "it is wrong in one file and right in another");
  return named(parties_between(wrong, right), fmt::format("right at {}, wrong at {}: it went wrong between the two", words(right), words(wrong)));
}

Fault behind(Vantage wrong) {
  const std::string seen = fmt::format("wrong at {} already", words(wrong));
  if (wrong == Vantage::server_wire || wrong == Vantage::server) return named({Party::server}, seen);
  if (wrong == Vantage::client) return named({Party::client, Party::gateway, Party::server}, seen);
  return named(wrong == Vantage::unknown ? std::vector<Party>() : std::vector<Party>{Party::gateway, Party::server}, seen);
}

}  // namespace mcpscan::engine
