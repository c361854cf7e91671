#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "pipeline/forwarded_peer.h"

using namespace mcpscan;
using pipeline::ForwardedPeer;
using pipeline::Network;
using pipeline::parse_network;

namespace {

struct Peers : model::ObservationSink {
  std::vector<std::string> seen;
  void observe(const model::Observation& observation) override { seen.emplace_back(observation.http ? observation.http->peer : "none"); }
};

std::string peer_behind(std::string_view peer, std::string_view forwarded) {
  const std::vector<Network> trusted{parse_network("10.0.0.0/8").take(), parse_network("2001:db8:1::/48").take()};
  Peers peers;
  ForwardedPeer sink(peers, trusted);
  model::HttpFacts http;
  http.peer = peer;
  http.forwarded_for = forwarded;
  model::Observation observation;
  observation.http = &http;
  sink.observe(observation);
  return peers.seen.at(0);
}

}  // namespace

TEST_CASE("behind a trusted proxy the client is the last address that is no trusted proxy") {
  CHECK(peer_behind("10.1.2.3", "192.0.2.7") == "192.0.2.7");
  CHECK(peer_behind("10.1.2.3", "198.51.100.1, 192.0.2.7, 10.9.9.9") == "192.0.2.7");
  CHECK(peer_behind("2001:db8:1::5", "\"[2001:db8:2::7]:443\"") == "2001:db8:2::7");
  CHECK(peer_behind("10.1.2.3", "10.0.0.8, 10.0.0.9") == "10.0.0.8");
  CHECK(peer_behind("10.1.2.3", "192.0.2.7:4711") == "192.0.2.7");
}

TEST_CASE("whoever is no trusted proxy may write what he likes") {
  CHECK(peer_behind("192.0.2.99", "198.51.100.1") == "192.0.2.99");
  CHECK(peer_behind("10.1.2.3", "") == "10.1.2.3");
  CHECK(peer_behind("10.1.2.3", " , ") == "10.1.2.3");
  CHECK(peer_behind("gateway", "198.51.100.1") == "gateway");
}

TEST_CASE("a network is an address with or without a prefix length, and nothing else") {
  CHECK(parse_network("10.1.2.3").take().contains("10.1.2.3"));
  CHECK_FALSE(parse_network("10.1.2.3").take().contains("10.1.2.4"));
  CHECK(parse_network("172.16.0.0/12").take().contains("172.31.255.255"));
  CHECK_FALSE(parse_network("172.16.0.0/12").take().contains("172.32.0.0"));
  CHECK(parse_network("0.0.0.0/0").take().contains("203.0.113.1"));
  CHECK_FALSE(parse_network("0.0.0.0/0").take().contains("2001:db8::1"));
  for (const char* wrong : {"", "10.0.0.0/33", "10.0.0/8", "proxy", "10.0.0.0/", "::/129"}) CHECK_FALSE(parse_network(wrong).ok());
}
