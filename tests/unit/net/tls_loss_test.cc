// Missing, damaged and foreign bytes: what can be read again is read again, the rest is told, nothing is invented.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "unit/net/tls_run.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

const std::vector<TlsPlan> kPlans{
    {TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},      {TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256"},
    {TLS1_2_VERSION, "ECDHE-RSA-AES256-GCM-SHA384"}, {TLS1_2_VERSION, "ECDHE-RSA-CHACHA20-POLY1305"},
    {TLS1_2_VERSION, "AES128-SHA"},                  {TLS1_2_VERSION, "AES256-SHA256", false},
};

// One side's bytes, with the place where each message's record ends.
struct Stream {
  std::vector<TlsChunk> before;  // the handshake
  std::string bytes;             // the server's data
  std::vector<std::size_t> ends;
  std::vector<std::string> messages;
};

Stream server_stream(TlsPeers& peers, const std::vector<std::size_t>& sizes) {
  Stream stream;
  stream.before = connected(peers).wire;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t from = peers.wire.size();
    peers.send(Side::server, std::string(sizes[i], static_cast<char>('a' + i % 26)));
    for (std::size_t k = from; k < peers.wire.size(); ++k) stream.bytes += peers.wire[k].bytes;
    stream.ends.push_back(stream.bytes.size());
  }
  stream.messages = peers.sent[1];
  return stream;
}

void feed_with_gap(TlsRun& run, const Stream& stream, std::size_t from, std::size_t length, std::uint64_t told, std::size_t step = 1460) {
  run.feed_all(stream.before);
  const auto feed_part = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += step) run.feed(Side::server, std::string_view(stream.bytes).substr(at, std::min(step, end - at)));
  };
  feed_part(0, from);
  run.gap(Side::server, told);
  feed_part(from + length, stream.bytes.size());
  run.finish();
}

// The messages whose records no missing byte touches.
std::vector<std::string> untouched(const Stream& stream, std::size_t from, std::size_t length) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < stream.ends.size(); ++i) {
    if (stream.ends[i] <= from || begin >= from + length) result.push_back(stream.messages[i]);
    begin = stream.ends[i];
  }
  return result;
}

}  // namespace

TEST_CASE("after a gap anywhere, of any length, every record behind it is read and none is wrong") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    const Stream stream = server_stream(peers, {40, 3000, 1, 700, 90, 16000, 5, 300, 1200, 60});
    for (std::size_t from = 0; from + 1 < stream.bytes.size(); from += 173) {
      for (const std::size_t wanted : {1, 30, 1460, 4096, 17000}) {
        const std::size_t length = std::min(static_cast<std::size_t>(wanted), stream.bytes.size() - from);
        INFO(plan.suite << " " << from << "+" << length);
        TlsRun run(peers.key_log);
        feed_with_gap(run, stream, from, length, length);
        REQUIRE(run.fed(Side::server) == untouched(stream, from, length));
        REQUIRE(run.facts.decrypted);
      }
    }
  }
}

TEST_CASE("behind a gap, what looks like a record and promises more than there is hides none of the records in it") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    const Stream stream = server_stream(peers, {40, 30, 700, 90});
    for (const bool closed : {false, true}) {
      INFO(plan.suite << " " << closed);
      TlsRun run(peers.key_log);
      run.feed_all(stream.before);
      run.feed(Side::server, std::string_view(stream.bytes).substr(0, stream.ends[0]));
      run.gap(Side::server, stream.ends[1] - stream.ends[0]);
      run.feed(Side::server, std::string("\x17\x03\x03\x40\x00", 5) + stream.bytes.substr(stream.ends[1]));
      if (closed) run.analyzer->half_close(Side::server, {});
      run.finish();
      CHECK(run.fed(Side::server) == std::vector<std::string>{stream.messages[0], stream.messages[2], stream.messages[3]});
    }
  }
}

TEST_CASE("a gap is told to the next analyzer before the data behind it, once") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    const Stream stream = server_stream(peers, {400, 2000, 400});
    TlsRun run(peers.key_log);
    feed_with_gap(run, stream, stream.ends[0] + 100, 500, 500);
    REQUIRE(run.events.size() == 4);
    CHECK(run.events[0].bytes == stream.messages[0]);
    CHECK(run.events[1].kind == 'g');
    CHECK(run.events[2].bytes == stream.messages[2]);
    CHECK(run.events[3].kind == 'e');
  }
}

TEST_CASE("TLS 1.2 with AEAD: the length of a gap inside one record is exact, elsewhere it is unknown") {
  const std::map<std::string, std::uint64_t> expected{{"ECDHE-RSA-AES256-GCM-SHA384", 2000}, {"ECDHE-RSA-CHACHA20-POLY1305", 2000}};
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    const Stream stream = server_stream(peers, {400, 2000, 400});
    TlsRun run(peers.key_log);
    feed_with_gap(run, stream, stream.ends[0] + 100, 500, 500);
    const auto found = expected.find(plan.suite);
    CHECK(run.events[1].length == (found == expected.end() ? 0 : found->second));
  }
}

TEST_CASE("a gap of unknown length is searched across") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    const Stream stream = server_stream(peers, {400, 2000, 400, 50, 60});
    TlsRun run(peers.key_log);
    feed_with_gap(run, stream, stream.ends[0] + 100, 2200, 0);
    CHECK(run.fed(Side::server) == untouched(stream, stream.ends[0] + 100, 2200));
  }
}

TEST_CASE("two gaps, and a gap in the search for a record, are crossed") {
  TlsPeers peers(TlsPlan{});
  const Stream stream = server_stream(peers, {400, 2000, 2000, 400, 2000, 300});
  TlsRun run(peers.key_log);
  run.feed_all(stream.before);
  const std::string_view bytes = stream.bytes;
  run.feed(Side::server, bytes.substr(0, 600));
  run.gap(Side::server, 2000);
  run.feed(Side::server, bytes.substr(2600, 500));
  run.gap(Side::server, 1000);
  run.feed(Side::server, bytes.substr(4100));
  run.finish();
  CHECK(run.fed(Side::server) == std::vector<std::string>{stream.messages[0], stream.messages[3], stream.messages[4], stream.messages[5]});
}

TEST_CASE("a gap in the server's handshake flight does not cost the data") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    exchange_messages(connected(peers), 3);
    REQUIRE(peers.wire[1].from == Side::server);
    const std::string flight = peers.wire[1].bytes;
    for (std::size_t from = 140; from + 10 < flight.size(); from += 37) {
      for (const std::size_t length : {std::size_t{9}, flight.size() - from}) {
        if (from + length > flight.size()) continue;
        INFO(plan.suite << " " << from << "+" << length);
        TlsRun run(peers.key_log);
        run.feed(peers.wire[0].from, peers.wire[0].bytes);
        run.feed(Side::server, std::string_view(flight).substr(0, from));
        run.gap(Side::server, length);
        run.feed(Side::server, std::string_view(flight).substr(from + length));
        run.feed_all({peers.wire.begin() + 2, peers.wire.end()}).finish();
        REQUIRE(run.fed(Side::server) == peers.sent[1]);
        REQUIRE(run.fed(Side::client) == peers.sent[0]);
        REQUIRE(run.count('g') == 0);
      }
    }
  }
}

TEST_CASE("a gap across the change of keys is crossed") {
  TlsPeers peers(TlsPlan{});
  connected(peers);
  peers.send(Side::server, "one");
  const std::size_t lost_from = peers.wire.size();
  peers.update_keys(Side::server);
  peers.send(Side::server, "lost");
  const std::size_t lost_to = peers.wire.size();
  peers.send(Side::server, "two");
  TlsRun run(peers.key_log);
  run.feed_all({peers.wire.begin(), peers.wire.begin() + static_cast<std::ptrdiff_t>(lost_from)});
  std::size_t length = 0;
  for (std::size_t i = lost_from; i < lost_to; ++i) length += peers.wire[i].bytes.size();
  run.gap(Side::server, length);
  run.feed_all({peers.wire.begin() + static_cast<std::ptrdiff_t>(lost_to), peers.wire.end()}).finish();
  CHECK(run.fed(Side::server) == std::vector<std::string>{"one", "two"});
  CHECK(run.count('g') == 1);
}

TEST_CASE("a gap in the hellos makes the connection unreadable and says so") {
  for (const Side side : {Side::client, Side::server}) {
    TlsPeers peers(TlsPlan{});
    exchange_messages(connected(peers), 1);
    TlsRun run(peers.key_log);
    for (std::size_t i = 0; i < peers.wire.size(); ++i) {
      const bool hit = peers.wire[i].from == side && i < 2;
      if (hit) run.gap(side, 20);
      run.feed(peers.wire[i].from, std::string_view(peers.wire[i].bytes).substr(hit ? 20 : 0));
    }
    run.finish();
    CHECK(run.events.size() == 1);
    CHECK_FALSE(run.facts.decrypted);
    CHECK(run.facts.why_not.find("handshake was not captured") != std::string::npos);
  }
}

TEST_CASE("a damaged record costs that record alone") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    Stream stream = server_stream(peers, {400, 2000, 400, 50});
    stream.bytes[stream.ends[0] + 900] = static_cast<char>(stream.bytes[stream.ends[0] + 900] ^ 1);
    TlsRun run(peers.key_log);
    run.feed_all(stream.before);
    run.feed(Side::server, stream.bytes);
    run.finish();
    CHECK(run.fed(Side::server) == std::vector<std::string>{stream.messages[0], stream.messages[2], stream.messages[3]});
    CHECK(run.count('g') == 1);
    CHECK(run.has_anomaly("tls-record-damaged"));
    CHECK(run.facts.records_lost == 1);
  }
}

TEST_CASE("bytes that are no record are passed over, what follows is read") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    Stream stream = server_stream(peers, {400, 300, 50});
    stream.bytes.insert(stream.ends[0], "HTTP/1.1 200 OK\r\n\r\n");
    TlsRun run(peers.key_log);
    run.feed_all(stream.before);
    run.feed(Side::server, stream.bytes);
    run.finish();
    CHECK(run.fed(Side::server) == stream.messages);
    CHECK(run.count('g') == 1);
    CHECK(run.has_anomaly("tls-bad-record"));
  }
}

TEST_CASE("more records lost than tls_resync_records: the direction is not read any further, the other one is") {
  TlsPeers peers(TlsPlan{});
  Stream stream = server_stream(peers, std::vector<std::size_t>(40, 30));
  peers.send(Side::client, "still read");
  Limits limits;
  limits.tls_resync_records = 8;
  TlsRun run(peers.key_log, limits);
  run.feed_all(stream.before);
  run.feed(Side::server, stream.bytes.substr(0, stream.ends[0]));
  run.gap(Side::server, stream.ends[30] - stream.ends[0]);
  run.feed(Side::server, stream.bytes.substr(stream.ends[30]));
  run.feed(Side::client, peers.wire.back().bytes);
  run.finish();
  CHECK(run.fed(Side::server).size() == 1);
  CHECK(run.text(Side::client) == "still read");
  CHECK(run.count('g') == 1);
  CHECK(run.facts.why_not.find("from the server") != std::string::npos);
  REQUIRE(run.has_anomaly("tls-direction-lost"));
  CHECK(run.anomalies.entries().at("tls-direction-lost").text.find("tls_resync_records") != std::string::npos);
}

TEST_CASE("tls_resync_bytes bounds what a search may cost") {
  TlsPeers peers(TlsPlan{});
  Stream stream = server_stream(peers, {400, 16000, 16000, 16000, 400});
  Limits limits;
  limits.tls_resync_bytes = 1000;
  TlsRun run(peers.key_log, limits);
  feed_with_gap(run, stream, stream.ends[0], 16100, 16100);
  CHECK(run.fed(Side::server).size() == 1);
  CHECK(run.facts.why_not.find("tls_resync_bytes") != std::string::npos);
  CHECK(run.has_anomaly("tls-direction-lost"));
}

TEST_CASE("what was read pays for searches: a long connection may lose bytes again and again") {
  TlsPeers peers(TlsPlan{});
  const Stream stream = server_stream(peers, std::vector<std::size_t>(120, 2000));
  Limits limits;
  limits.tls_resync_bytes = 20000;
  TlsRun run(peers.key_log, limits);
  run.feed_all(stream.before);
  std::size_t begin = 0, expected = 0;
  for (std::size_t i = 0; i < stream.ends.size(); ++i) {
    const std::string_view record = std::string_view(stream.bytes).substr(begin, stream.ends[i] - begin);
    begin = stream.ends[i];
    if (i % 4 == 3) run.gap(Side::server, record.size());
    else run.feed(Side::server, record), ++expected;
  }
  run.finish();
  CHECK(run.fed(Side::server).size() == expected);
  CHECK(run.facts.why_not.empty());
}

TEST_CASE("tls_wait_bytes bounds what is held for a hello that never comes") {
  TlsPeers peers(TlsPlan{});
  connected(peers);
  for (int i = 0; i < 10; ++i) peers.send(Side::client, std::string(16000, 'x'));
  Limits limits;
  limits.tls_wait_bytes = 32'000;
  TlsRun run(peers.key_log, limits);
  for (const auto& chunk : peers.wire) {
    if (chunk.from == Side::client) run.feed(chunk.from, chunk.bytes);
  }
  run.finish();
  CHECK(run.events.size() == 1);
  CHECK(run.facts.why_not == "the server hello was not captured");
  CHECK(run.has_anomaly("tls-hello-missing"));
  CHECK(run.facts.bytes_from_client > 160'000);
}

TEST_CASE("cut anywhere, the whole records before the cut are read") {
  for (const TlsPlan& plan : kPlans) {
    TlsPeers peers(plan);
    const Stream stream = server_stream(peers, {400, 2000, 400});
    for (std::size_t cut = 0; cut < stream.bytes.size(); cut += 111) {
      TlsRun run(peers.key_log);
      run.feed_all(stream.before);
      run.feed(Side::server, std::string_view(stream.bytes).substr(0, cut));
      run.finish();
      const auto whole = static_cast<std::size_t>(std::count_if(stream.ends.begin(), stream.ends.end(), [&](std::size_t end) { return end <= cut; }));
      REQUIRE(run.fed(Side::server).size() == whole);
      REQUIRE(run.count('g') == 0);
    }
  }
}

TEST_CASE("a FIN inside a record is a gap and an anomaly, then the half close") {
  TlsPeers peers(TlsPlan{});
  const Stream stream = server_stream(peers, {400, 2000});
  TlsRun run(peers.key_log);
  run.feed_all(stream.before);
  run.feed(Side::server, std::string_view(stream.bytes).substr(0, stream.ends[0] + 50));
  run.analyzer->half_close(Side::server, TlsRun::stamp(2));
  run.finish();
  REQUIRE(run.events.size() == 4);
  CHECK(run.events[1].kind == 'g');
  CHECK(run.events[2].kind == 'h');
  CHECK(run.has_anomaly("tls-truncated-record"));
}
