// Real sessions of every supported protection, read with their key log.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/split.h"
#include "unit/net/tls_run.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

const std::vector<TlsPlan>& all_plans() {
  static const std::vector<TlsPlan> plans{
      {TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},
      {TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"},
      {TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256"},
      {TLS1_2_VERSION, "ECDHE-RSA-AES128-GCM-SHA256"},
      {TLS1_2_VERSION, "ECDHE-RSA-AES256-GCM-SHA384"},
      {TLS1_2_VERSION, "AES128-GCM-SHA256"},
      {TLS1_2_VERSION, "ECDHE-RSA-CHACHA20-POLY1305"},
      {TLS1_2_VERSION, "AES128-SHA"},
      {TLS1_2_VERSION, "AES128-SHA", false},
      {TLS1_2_VERSION, "AES256-SHA256"},
      {TLS1_2_VERSION, "AES256-SHA256", false},
      {TLS1_2_VERSION, "ECDHE-RSA-AES256-SHA384"},
      {TLS1_2_VERSION, "ECDHE-RSA-AES256-SHA384", false},
  };
  return plans;
}

std::string name_of(const TlsPlan& plan) { return std::string(plan.suite) + (plan.encrypt_then_mac ? "" : " mac-then-encrypt"); }

void check_whole(const TlsRun& run, const TlsPeers& peers) {
  INFO(run.facts.why_not);
  CHECK(peers.ok());
  CHECK(run.text(Side::client) == joined(peers.sent[0]));
  CHECK(run.text(Side::server) == joined(peers.sent[1]));
  CHECK(run.count('g') == 0);
  CHECK(run.anomalies.empty());
  CHECK(run.facts.decrypted);
  CHECK(run.facts.why_not.empty());
  CHECK(run.reports == 1);
}

}  // namespace

TEST_CASE("every protection of TLS 1.2 and 1.3 is opened, byte for byte") {
  for (const TlsPlan& plan : all_plans()) {
    INFO(name_of(plan));
    TlsPeers peers(plan);
    exchange_messages(connected(peers));
    TlsRun run(peers.key_log);
    run.feed_all(peers.wire).finish();
    check_whole(run, peers);
    CHECK(run.keys.used() == 1);
    CHECK(run.facts.version == (plan.version == TLS1_3_VERSION ? "TLS 1.3" : "TLS 1.2"));
    CHECK(run.facts.server_name == "mcp.example");
    CHECK(run.facts.alpn == "http/1.1");
    CHECK(run.facts.alpn_offered == "h2,http/1.1");
    CHECK(run.facts.plain_from_client == joined(peers.sent[0]).size());
  }
}

TEST_CASE("the cutting of the bytes into segments changes nothing") {
  for (const TlsPlan& plan : {TlsPlan{}, TlsPlan{TLS1_2_VERSION, "AES128-SHA"}, TlsPlan{TLS1_2_VERSION, "ECDHE-RSA-AES128-GCM-SHA256"}}) {
    TlsPeers peers(plan);
    exchange_messages(connected(peers), 3);
    peers.close(Side::client);
    std::string all;
    for (const auto& chunk : peers.wire) all += chunk.bytes;
    TlsRun whole(peers.key_log);
    whole.feed_all(peers.wire).finish();
    CHECK(whole.text(Side::server) == joined(peers.sent[1]));
    for (const auto& cutting : all_cuttings(all)) {
      TlsRun run(peers.key_log);
      std::size_t chunk = 0, room = peers.wire[0].bytes.size();
      for (std::string_view piece : cutting) {
        while (!piece.empty()) {
          if (room == 0) room = peers.wire[++chunk].bytes.size();
          const std::string_view part = piece.substr(0, room);
          run.feed(peers.wire[chunk].from, part);
          piece.remove_prefix(part.size());
          room -= part.size();
        }
      }
      run.finish();
      REQUIRE(run.events == whole.events);
    }
  }
}

TEST_CASE("plaintext carries the stamp of the packet that completed its record") {
  TlsPeers peers(TlsPlan{});
  connected(peers);
  const std::size_t before = peers.wire.size();
  peers.send(Side::client, "first");
  peers.send(Side::client, "second");
  TlsRun run(peers.key_log);
  for (std::size_t i = 0; i < before; ++i) run.feed(peers.wire[i].from, peers.wire[i].bytes, 1);
  const std::string records = peers.wire[before].bytes + peers.wire[before + 1].bytes;
  for (std::size_t i = 0; i < records.size(); ++i) run.feed(Side::client, records.substr(i, 1), 100 + i);
  REQUIRE(run.events.size() == 2);
  CHECK(run.events[0] == TlsEvent{'f', Side::client, "first", 0, 100 + peers.wire[before].bytes.size() - 1});
  CHECK(run.events[1] == TlsEvent{'f', Side::client, "second", 0, 100 + records.size() - 1});
}

TEST_CASE("records of full length and many in one segment are read") {
  for (const TlsPlan& plan : {TlsPlan{}, TlsPlan{TLS1_2_VERSION, "AES256-SHA256", false}}) {
    TlsPeers peers(plan);
    connected(peers);
    peers.send(Side::server, std::string(100'000, 'x'));
    for (int i = 0; i < 50; ++i) peers.send(Side::server, "data: tick\n\n");
    std::vector<TlsChunk> joined_wire;
    for (const auto& chunk : peers.wire) {
      if (joined_wire.empty() || joined_wire.back().from != chunk.from) joined_wire.push_back(chunk);
      else joined_wire.back().bytes += chunk.bytes;
    }
    TlsRun run(peers.key_log);
    run.feed_all(joined_wire).finish();
    check_whole(run, peers);
    CHECK(run.fed(Side::server).size() == 7 + 50);
  }
}

TEST_CASE("a resumed session is read with its own line of the key log") {
  for (const TlsPlan& plan : {TlsPlan{}, TlsPlan{TLS1_2_VERSION, "ECDHE-RSA-AES128-GCM-SHA256"}, TlsPlan{TLS1_2_VERSION, "AES128-SHA"}}) {
    TlsPeers peers(plan);
    exchange_messages(connected(peers), 1);
    peers.close(Side::client);
    peers.connect(true);
    peers.handshake();
    exchange_messages(peers, 2);
    REQUIRE(peers.resumed());
    TlsRun run(peers.key_log);
    run.feed_all(peers.wire).finish();
    check_whole(run, peers);
  }
}

TEST_CASE("TLS 1.3: both sides may update their keys, more than once") {
  TlsPeers peers({TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"});
  connected(peers);
  for (const Side side : {Side::client, Side::server, Side::client, Side::client, Side::server}) {
    peers.update_keys(side);
    exchange_messages(peers, 2);
  }
  TlsRun run(peers.key_log);
  run.feed_all(peers.wire).finish();
  check_whole(run, peers);
}

TEST_CASE("TLS 1.2: keys of a renegotiation are taken from the handshake inside the session") {
  for (const char* suite : {"ECDHE-RSA-AES128-GCM-SHA256", "AES256-SHA256"}) {
    TlsPeers peers({TLS1_2_VERSION, suite});
    exchange_messages(connected(peers), 2);
    for (int i = 0; i < 2; ++i) {
      peers.renegotiate();
      exchange_messages(peers, 2);
    }
    TlsRun run(peers.key_log);
    run.feed_all(peers.wire).finish();
    check_whole(run, peers);
    CHECK(run.keys.size() == 3);
  }
}

TEST_CASE("TLS 1.3: a HelloRetryRequest does not begin another handshake") {
  TlsPeers peers({TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256", true, "X25519:P-384", "P-384"});
  exchange_messages(connected(peers));
  TlsRun run(peers.key_log);
  run.feed_all(peers.wire).finish();
  check_whole(run, peers);
}

TEST_CASE("TLS 1.3: padding of records is taken off") {
  TlsPeers peers({TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256", true, nullptr, nullptr, 512});
  exchange_messages(connected(peers));
  TlsRun run(peers.key_log);
  run.feed_all(peers.wire).finish();
  check_whole(run, peers);
}

TEST_CASE("TLS 1.3: early data is told as a gap, what follows is read") {
  TlsPeers peers({TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256", true, nullptr, nullptr, 0, 16384, 16384});
  exchange_messages(connected(peers), 1);
  peers.close(Side::client);
  peers.connect(true);
  peers.send_early("POST /early HTTP/1.1\r\n\r\n");
  peers.handshake();
  exchange_messages(peers, 2);
  REQUIRE(peers.early_data_taken());
  TlsRun run(peers.key_log);
  run.feed_all(peers.wire).finish();
  REQUIRE(!run.events.empty());
  CHECK(run.events[0].kind == 'g');
  CHECK(run.events[0].side == Side::client);
  CHECK(run.count('g') == 1);
  CHECK(run.text(Side::client) == joined(peers.sent[0]));
  CHECK(run.text(Side::server) == joined(peers.sent[1]));
}

TEST_CASE("server data that comes before the client's Finished is read") {
  TlsPeers peers({TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"});
  exchange_messages(connected(peers), 3);
  std::vector<TlsChunk> wire = peers.wire;
  std::stable_partition(wire.begin() + 1, wire.end(), [](const TlsChunk& chunk) { return chunk.from == Side::server; });
  TlsRun run(peers.key_log);
  run.feed_all(wire).finish();
  check_whole(run, peers);
}

TEST_CASE("one side's records wait for the other side's hello") {
  for (const TlsPlan& plan : {TlsPlan{}, TlsPlan{TLS1_2_VERSION, "ECDHE-RSA-AES128-GCM-SHA256"}}) {
    for (const Side first : {Side::client, Side::server}) {
      TlsPeers peers(plan);
      exchange_messages(connected(peers), 2);
      std::vector<TlsChunk> wire = peers.wire;
      std::stable_partition(wire.begin(), wire.end(), [&](const TlsChunk& chunk) { return chunk.from == first; });
      TlsRun run(peers.key_log);
      run.feed_all(wire).finish();
      check_whole(run, peers);
    }
  }
}

TEST_CASE("what the next analyzer does not care for is counted, not decrypted") {
  TlsPeers peers(TlsPlan{});
  exchange_messages(connected(peers), 3);
  TlsRun run(peers.key_log);
  run.recorder->bored = true;
  run.feed_all(peers.wire);
  CHECK(run.analyzer->interested());
  run.finish();
  CHECK(run.count('f') == 1);
  CHECK(run.count('g') == 0);
  CHECK(run.facts.decrypted);
  CHECK(run.facts.bytes_from_server > joined(peers.sent[1]).size());
}

TEST_CASE("close_notify and FIN are one half close to the next analyzer") {
  for (const TlsPlan& plan : {TlsPlan{}, TlsPlan{TLS1_2_VERSION, "AES128-SHA"}}) {
    TlsPeers peers(plan);
    exchange_messages(connected(peers), 1);
    peers.close(Side::server);
    TlsRun run(peers.key_log);
    run.feed_all(peers.wire);
    CHECK(run.count('h') == 1);
    run.analyzer->half_close(Side::server, TlsRun::stamp(9));
    CHECK(run.count('h') == 1);
    run.analyzer->half_close(Side::client, TlsRun::stamp(9));
    run.finish();
    CHECK(run.count('h') == 2);
    CHECK(run.events.back().kind == 'e');
    CHECK(run.anomalies.empty());
  }
}
