// Key logs: what fits, what does not, and what the report is told; and the derivations against published vectors.
#include <catch2/catch.hpp>

#include "net/key_log.h"
#include "net/tls_keys.h"
#include "unit/net/tls_run.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

std::string hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  return bytes;
}

const std::string kRandomA(64, 'a'), kRandomB(64, 'B'), kMaster(96, '1'), kOther(96, '2'), kShort(64, '3');

std::string line_with(std::string_view key_log, std::string_view without) {
  std::string kept;
  while (!key_log.empty()) {
    const std::string_view line = key_log.substr(0, key_log.find('\n') + 1);
    if (!line.starts_with(without)) kept += line;
    key_log.remove_prefix(line.size());
  }
  return kept;
}

// The key log with every secret's last digit changed: it names the connection, and does not fit it.
std::string spoiled(std::string key_log) {
  for (std::size_t i = 1; i < key_log.size(); ++i) {
    if (key_log[i] == '\n') key_log[i - 1] = key_log[i - 1] == '0' ? '1' : '0';
  }
  return key_log;
}

}  // namespace

TEST_CASE("a key log's lines, comments, CRLF, BOM, blank and repeated lines are understood") {
  model::AnomalyLog anomalies;
  net::KeyLog keys;
  keys.add("\xEF\xBB\xBF# made by a client\r\nCLIENT_RANDOM " + kRandomA + " " + kMaster + "\r\n\r\n  \nCLIENT_RANDOM " + kRandomA + " " + kMaster +
               "\nCLIENT_TRAFFIC_SECRET_0 " + kRandomB + "\t" + kShort,
           "keys.log", anomalies);
  CHECK(anomalies.empty());
  CHECK(keys.size() == 2);
  CHECK(keys.used() == 0);
  REQUIRE(keys.find(hex(kRandomA)) != nullptr);
  CHECK(keys.find(hex(kRandomA))->master.bytes() == hex(kMaster));
  REQUIRE(keys.find(hex(kRandomB)) != nullptr);
  CHECK(keys.find(hex(kRandomB))->client_application.bytes() == hex(kShort));
  CHECK(keys.find("none") == nullptr);
}

TEST_CASE("early, exporter and unknown labels of a key log are counted, not used") {
  model::AnomalyLog anomalies;
  net::KeyLog keys;
  keys.add("CLIENT_EARLY_TRAFFIC_SECRET " + kRandomA + " " + kShort + "\nEXPORTER_SECRET " + kRandomA + " " + kShort + "\nECH_SECRET aa bb\nRSA 00 11\n", "k",
           anomalies);
  CHECK(keys.ignored() == 4);
  CHECK(keys.size() == 0);
  CHECK(anomalies.empty());
}

TEST_CASE("malformed lines of a key log are anomalies with their line, the others are used") {
  const std::string bad[] = {"CLIENT_RANDOM",
                             "CLIENT_RANDOM " + kRandomA,
                             "CLIENT_RANDOM " + kRandomA + " " + kMaster.substr(1),
                             "CLIENT_RANDOM " + kRandomA + " " + kMaster.substr(2),
                             "CLIENT_RANDOM " + kRandomA.substr(2) + " " + kMaster,
                             "CLIENT_RANDOM " + kRandomA + " " + kMaster.substr(1) + "g",
                             "CLIENT_RANDOM " + kRandomA + " " + kMaster + " more",
                             "client_random " + kRandomA + " " + kMaster,
                             "\x16\x03\x01",
                             "CLIENT_RANDOM " + std::string(5000, 'a')};
  for (const std::string& line : bad) {
    INFO(line);
    model::AnomalyLog anomalies;
    net::KeyLog keys;
    keys.add("# head\n" + line + "\nCLIENT_RANDOM " + kRandomB + " " + kMaster + "\n", "keys.log", anomalies);
    CHECK(keys.size() == 1);
    REQUIRE(anomalies.entries().count("key-log-malformed-line") == 1);
    const model::Anomaly& anomaly = anomalies.entries().at("key-log-malformed-line");
    CHECK(anomaly.count == 1);
    CHECK(anomaly.source.number == 2);
    CHECK(anomaly.text.find("keys.log line 2") == 0);
  }
}

TEST_CASE("two secrets for one connection: the first is kept, the conflict told") {
  model::AnomalyLog anomalies;
  net::KeyLog keys;
  keys.add("CLIENT_RANDOM " + kRandomA + " " + kMaster + "\nCLIENT_RANDOM " + kRandomA + " " + kOther + "\n", "k", anomalies);
  CHECK(anomalies.entries().count("key-log-conflict") == 1);
  CHECK(keys.find(hex(kRandomA))->master.bytes() == hex(kMaster));
}

TEST_CASE("tls_key_log_secrets bounds a key log and is named") {
  Limits limits;
  limits.tls_key_log_secrets = 1;
  model::AnomalyLog anomalies;
  net::KeyLog keys(limits);
  keys.add("CLIENT_RANDOM " + kRandomA + " " + kMaster + "\nCLIENT_RANDOM " + kRandomB + " " + kMaster + "\n", "k", anomalies);
  CHECK(keys.size() == 1);
  REQUIRE(anomalies.entries().count("key-log-full") == 1);
  CHECK(anomalies.entries().at("key-log-full").text.find("tls_key_log_secrets") != std::string::npos);
}

TEST_CASE("without keys: facts and volumes, and the next analyzer hears of the end only") {
  for (const TlsPlan& plan : {TlsPlan{}, TlsPlan{TLS1_2_VERSION, "AES128-SHA"}}) {
    TlsPeers peers(plan);
    exchange_messages(connected(peers), 3);
    peers.close(Side::client);
    std::size_t bytes = 0;
    for (const auto& chunk : peers.wire) bytes += chunk.bytes.size();
    TlsRun run("");
    run.feed_all(peers.wire);
    run.gap(Side::server, 100);
    run.analyzer->half_close(Side::client, TlsRun::stamp(1));
    CHECK(run.analyzer->interested());
    run.finish();
    CHECK(run.events == std::vector<TlsEvent>{{'e'}});
    CHECK_FALSE(run.facts.decrypted);
    CHECK(run.facts.why_not == "no key log");
    CHECK(run.facts.server_name == "mcp.example");
    CHECK(run.facts.alpn_offered == "h2,http/1.1");
    CHECK(run.facts.alpn == (plan.version == TLS1_2_VERSION ? "http/1.1" : ""));
    CHECK(run.facts.bytes_from_client + run.facts.bytes_from_server == bytes);
    CHECK(run.anomalies.empty());
  }
}

TEST_CASE("a key log of other connections is told from no key log") {
  TlsPeers peers(TlsPlan{}), strangers(TlsPlan{});
  exchange_messages(connected(peers), 1);
  connected(strangers);
  TlsRun run(strangers.key_log);
  run.feed_all(peers.wire).finish();
  CHECK(run.facts.why_not == "the key log has no secret for this connection");
  CHECK(run.keys.size() == 1);
  CHECK(run.keys.used() == 0);
}

TEST_CASE("secrets that name the connection but do not open it are told, and nothing is handed on") {
  for (const TlsPlan& plan : {TlsPlan{}, TlsPlan{TLS1_2_VERSION, "ECDHE-RSA-AES128-GCM-SHA256"}, TlsPlan{TLS1_2_VERSION, "AES128-SHA", false}}) {
    TlsPeers peers(plan);
    exchange_messages(connected(peers), 2);
    TlsRun run(spoiled(peers.key_log));
    run.feed_all(peers.wire).finish();
    CHECK(run.events == std::vector<TlsEvent>{{'e'}});
    CHECK(run.facts.why_not.find("does not fit") != std::string::npos);
    CHECK(run.has_anomaly("tls-secret-mismatch"));
    CHECK(run.keys.used() == 0);
  }
}

TEST_CASE("TLS 1.3: application secrets alone are enough") {
  TlsPeers peers({TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"});
  exchange_messages(connected(peers), 2);
  TlsRun run(line_with(line_with(peers.key_log, "CLIENT_HANDSHAKE"), "SERVER_HANDSHAKE"));
  run.feed_all(peers.wire).finish();
  CHECK(run.fed(Side::client) == peers.sent[0]);
  CHECK(run.fed(Side::server) == peers.sent[1]);
  CHECK(run.count('g') == 0);
}

TEST_CASE("TLS 1.3: with one side's secrets that side is read, the other is a gap with a reason") {
  TlsPeers peers(TlsPlan{});
  exchange_messages(connected(peers), 2);
  TlsRun run(line_with(peers.key_log, "CLIENT_TRAFFIC"));
  run.feed_all(peers.wire).finish();
  CHECK(run.fed(Side::client).empty());
  CHECK(run.fed(Side::server) == peers.sent[1]);
  CHECK(run.events[0] == TlsEvent{'g', Side::client, {}, 0, 1});
  CHECK(run.facts.why_not == "the key log lacks the client's application secret");
}

TEST_CASE("a key log that grows is asked when the keys are needed") {
  TlsPeers peers(TlsPlan{});
  exchange_messages(connected(peers), 2);
  TlsRun run("");
  run.feed(peers.wire[0].from, peers.wire[0].bytes);
  run.keys.add(peers.key_log, "secrets block", run.anomalies);
  run.feed_all({peers.wire.begin() + 1, peers.wire.end()}).finish();
  CHECK(run.fed(Side::server) == peers.sent[1]);
}

TEST_CASE("suites and versions that cannot be read are named") {
  TlsPeers ccm({TLS1_2_VERSION, "AES128-CCM"});
  exchange_messages(connected(ccm), 1);
  TlsRun run(ccm.key_log);
  run.feed_all(ccm.wire).finish();
  CHECK(run.facts.why_not == "cipher suite 0xc09c is not supported");
}

TEST_CASE("HKDF-Expand-Label gives the keys of RFC 8448 section 3") {
  const net::CipherSuite& suite = *net::find_cipher_suite(0x1301);
  const std::string secret = hex("b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21");
  const net::DirectionKeys keys = net::keys_from_traffic_secret(suite, secret);
  CHECK(keys.key == hex("dbfaa693d1762c5b666af5d950258d01"));
  CHECK(keys.iv == hex("5bd3c71b836e0b76bb73265f"));
}

TEST_CASE("the PRF of TLS 1.2 gives the vector published on the IETF's TLS list") {
  const std::string out = net::tls12_prf(net::TlsDigest::sha256, hex("9bbe436ba940f017b17652849a71db35"), "test label",
                                         hex("a0ba9f936cda311827a6f796ffd5198c"), 100);
  CHECK(out.size() == 100);
  CHECK(out.substr(0, 32) == hex("e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a"));
}

TEST_CASE("every suite of the table is found, its neighbours are not") {
  for (const std::uint16_t id : std::initializer_list<std::uint16_t>{0x002F, 0x009C, 0x1301, 0x1303, 0xC030, 0xCCA8, 0xCCAC}) {
    REQUIRE(net::find_cipher_suite(id) != nullptr);
    CHECK(net::find_cipher_suite(id)->id == id);
  }
  for (const std::uint16_t id : std::initializer_list<std::uint16_t>{0x0000, 0x0005, 0x1304, 0xC09C, 0xFFFF}) CHECK(net::find_cipher_suite(id) == nullptr);
}
