// The parts of the TLS reader alone, on literal bytes: record framing, handshake messages, hellos, detection.
#include <catch2/catch.hpp>

#include "net/tls_alert.h"
#include "net/tls_analyzer.h"
#include "net/tls_handshake.h"
#include "net/tls_record.h"
#include "unit/net/tls_run.h"

using namespace mcpscan;
using namespace mcpscan::net;
using namespace std::string_literals;

namespace {

const model::Stamp kStamp{};

std::string record(char type, std::string_view fragment) {
  std::string bytes{type, 3, 3, static_cast<char>(fragment.size() >> 8), static_cast<char>(fragment.size())};
  return bytes.append(fragment);
}

std::string vector8(std::string_view bytes) { return std::string(1, static_cast<char>(bytes.size())).append(bytes); }
std::string vector16(std::string_view bytes) {
  return std::string{static_cast<char>(bytes.size() >> 8), static_cast<char>(bytes.size())}.append(bytes);
}

std::string extension(char type, std::string_view body) { return std::string{0, type} + vector16(body); }

std::string client_hello(std::string_view extensions) {
  return "\x03\x03" + std::string(32, 'r') + vector8("") + vector16("\x13\x01") + vector8("\0"s) + vector16(extensions);
}

std::vector<std::string> messages(HandshakeReader& reader, const std::vector<std::string>& fragments) {
  std::vector<std::string> result;
  for (const auto& fragment : fragments) {
    reader.feed(fragment, [&](const HandshakeMessage& message) {
      result.push_back(std::to_string(static_cast<int>(message.type)) + ":" + (message.too_long ? "too long" : std::string(message.body)));
    });
  }
  return result;
}

}  // namespace

TEST_CASE("a connection that begins with a handshake record looks like TLS, as far as the bytes go") {
  for (const std::string& yes : {"\x16"s, "\x16\x03"s, "\x16\x03\x01"s, "\x16\x03\x01\x02\x00"s, "\x16\x03\x01\x02\x00\x01"s, "\x16\x03\x03\x00\x7a\x02"s}) {
    CHECK(looks_like_tls(yes));
  }
  for (const std::string& no : {""s, "POST /mcp"s, "\x17\x03\x03\x00\x20"s, "\x16\x04"s, "\x16\x03\x07"s, "\x16\x03\x01\xff\xff"s, "\x16\x03\x01\x00\x00\x01"s,
                                "\x16\x03\x01\x02\x00\x0b"s, "\0\0\0"s}) {
    CHECK_FALSE(looks_like_tls(no));
  }
}

TEST_CASE("a connection joined midway is known by its record header and said to be unreadable") {
  const std::string data = record(23, std::string(40, 'x'));
  CHECK(looks_like_tls_underway(data));
  CHECK(looks_like_tls_underway(record(21, "aa")));
  for (const std::string& no : {data.substr(0, 4), record(22, "h"), "\x17\x03\x09\x00\x10"s, "GET / HTTP/1.1"s}) CHECK_FALSE(looks_like_tls_underway(no));
  for (const model::Side side : {model::Side::client, model::Side::server}) {
    tests::TlsRun run("");
    run.feed(side, data);
    run.finish();
    CHECK(run.facts.why_not == "joined midway: the handshake was not captured");
    CHECK(run.facts.bytes_from_client + run.facts.bytes_from_server == data.size());
    CHECK(run.events.size() == 1);
  }
}

TEST_CASE("a record is offered once it is whole, and again until it is accepted") {
  RecordReader reader;
  const std::string bytes = record(22, "hello") + record(23, "data");
  reader.append(std::string_view(bytes).substr(0, 9), kStamp);
  CHECK_FALSE(reader.next());
  reader.append(std::string_view(bytes).substr(9), kStamp);
  REQUIRE(reader.next());
  CHECK(reader.next()->fragment == "hello");
  reader.accept();
  CHECK(reader.next()->fragment == "data");
  reader.accept();
  CHECK(reader.held() == 0);
}

TEST_CASE("a header of unknown type, version or length breaks the framing") {
  for (const std::string& bytes : {"\x18\x03\x03\x00\x05"s, "\x16\x02\x03\x00\x05"s, "\x16\x03\x03\x48\x01"s, "\x16\x03\x03\x00\x00"s, "HTTP/1.1"s}) {
    RecordReader reader;
    reader.append(bytes, kStamp);
    CHECK_FALSE(reader.next());
    CHECK(reader.broken());
  }
}

TEST_CASE("a gap inside a record leaves the place of the next one known") {
  RecordReader reader;
  const std::string bytes = record(23, std::string(100, 'x')) + record(23, "next");
  reader.append(std::string_view(bytes).substr(0, 20), kStamp);
  const RecordLoss loss = reader.lose(30);
  CHECK(loss.records == 1);
  CHECK(loss.fragment == 100u);
  CHECK(reader.place_known());
  reader.append(std::string_view(bytes).substr(50), kStamp);
  REQUIRE(reader.next());
  CHECK(reader.next()->fragment == "next");
}

TEST_CASE("a gap over a record's end bounds how many records may be missing") {
  RecordReader reader;
  const std::string bytes = record(23, std::string(100, 'x'));
  reader.append(std::string_view(bytes).substr(0, 60), kStamp);
  const RecordLoss loss = reader.lose(1000);
  CHECK_FALSE(reader.place_known());
  CHECK_FALSE(loss.fragment);
  CHECK(loss.records >= 1);
  CHECK(loss.records <= 60 / kTlsShortestSealed + 1000 / kTlsShortestSealed + 2);
  CHECK(reader.lose(0).records == UINT64_MAX);
}

TEST_CASE("where the place is not known every plausible header is offered, one byte on after each rejection") {
  RecordReader reader;
  reader.append("\x17\x03\x03\x00\xff", kStamp);
  reader.lose(4000);
  const std::string inner = record(23, "in");
  reader.append("??" + record(23, inner + "side") + record(23, "after"), kStamp);
  REQUIRE(reader.next());
  CHECK(reader.next()->fragment == inner + "side");
  reader.reject();
  REQUIRE(reader.next());
  CHECK(reader.next()->fragment == "in");
  reader.reject();
  REQUIRE(reader.next());
  CHECK(reader.next()->fragment == "after");
  reader.accept();
  CHECK(reader.place_known());
}

TEST_CASE("handshake messages are put together across records and unneeded ones skipped") {
  const std::string hello = "\x01\x00\x00\x05hello"s, certificate = "\x0b\x00\x00\x03xyz"s, finished = "\x14\x00\x00\x04" "done"s;
  const std::string all = hello + certificate + finished;
  const std::vector<std::string> expected{"1:hello", "20:done"};
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    HandshakeReader reader(100);
    CHECK(messages(reader, {all.substr(0, cut), all.substr(cut)}) == expected);
  }
  HandshakeReader bytewise(100);
  std::vector<std::string> single;
  for (const char c : all) single.emplace_back(1, c);
  CHECK(messages(bytewise, single) == expected);
}

TEST_CASE("tls_handshake_bytes: a longer message is skipped and told, the next one read") {
  HandshakeReader reader(8);
  CHECK(messages(reader, {"\x01\x00\x00\x09" "123456789"s, "\x14\x00\x00\x02ok"s}) == std::vector<std::string>{"1:too long", "20:ok"});
}

TEST_CASE("a hello over tls_handshake_bytes is an anomaly that names the bound") {
  Limits limits;
  limits.tls_handshake_bytes = 16;
  tests::TlsRun run("", limits);
  run.feed(model::Side::client, record(22, "\x01" "\0\0"s + static_cast<char>(client_hello("").size()) + client_hello("")));
  run.finish();
  REQUIRE(run.has_anomaly("tls-handshake-too-long"));
  CHECK(run.anomalies.entries().at("tls-handshake-too-long").text.find("tls_handshake_bytes") != std::string::npos);
  CHECK(run.facts.why_not == "the client hello was not captured");
}

TEST_CASE("the client hello's name, protocols and early data are read") {
  const std::string names = extension(0, vector16("\0"s + vector16("mcp.example"))) + extension(16, vector16(vector8("h2") + vector8("\x1a\x1a") + vector8("http/1.1"))) +
                            extension(42, "");
  const auto hello = parse_client_hello(client_hello(names));
  REQUIRE(hello);
  CHECK(hello->random == std::string(32, 'r'));
  CHECK(hello->server_name == "mcp.example");
  CHECK(hello->alpn == "h2,http/1.1");
  CHECK(hello->offers_early_data);
}

TEST_CASE("names with control bytes, spaces or more than 255 bytes are no names") {
  for (const std::string& name : {"a\nb"s, "a b"s, "\x1b[31m"s, std::string(256, 'a'), "\xc3\xa4"s}) {
    const auto hello = parse_client_hello(client_hello(extension(0, vector16("\0"s + vector16(name)))));
    REQUIRE(hello);
    CHECK(hello->server_name.empty());
  }
}

TEST_CASE("a hello cut anywhere is refused, never read past its end") {
  const std::string whole = client_hello(extension(0, vector16("\0"s + vector16("mcp.example"))));
  REQUIRE(parse_client_hello(whole));
  const std::size_t before_extensions = client_hello("").size() - 2;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    if (cut == before_extensions) continue;  // SSL 3 style, without extensions
    INFO(cut);
    CHECK_FALSE(parse_client_hello(std::string(whole.data(), cut)));
  }
}

TEST_CASE("the server hello's version, suite, and extensions are read; the retry is told from the real one") {
  const std::string tail = vector8("") + "\x13\x02\x00"s + vector16(extension(43, "\x03\x04") + extension(22, ""));
  const auto hello = parse_server_hello("\x03\x03" + std::string(32, 's') + tail);
  REQUIRE(hello);
  CHECK(hello->version == 0x0304);
  CHECK(hello->suite == 0x1302);
  CHECK(hello->encrypt_then_mac);
  CHECK_FALSE(hello->retry_request);
  const auto retry = parse_server_hello("\x03\x03" "\xCF\x21\xAD\x74\xE5\x9A\x61\x11\xBE\x1D\x8C\x02\x1E\x65\xB8\x91\xC2\xA2\x11\x16\x7A\xBB\x8C\x5E\x07\x9E\x09\xE2\xC8\xA8\x33\x9C"s + tail);
  REQUIRE(retry);
  CHECK(retry->retry_request);
}

TEST_CASE("alerts are told in words; TLS 1.3 ignores their level") {
  CHECK(alert_text(48) == "unknown_ca (48)");
  CHECK(alert_text(200) == "alert (200)");
  CHECK(is_fatal_alert(2, 40, false));
  CHECK_FALSE(is_fatal_alert(1, 112, false));
  CHECK(is_fatal_alert(1, 112, true));
  CHECK_FALSE(is_fatal_alert(2, 0, true));
}

TEST_CASE("a handshake that ends with an alert names it") {
  tests::TlsRun run("");
  run.feed(model::Side::client, record(22, "\x01" "\0\0"s + static_cast<char>(client_hello("").size()) + client_hello("")));
  run.feed(model::Side::server, record(21, "\x02\x28"));
  run.finish();
  CHECK(run.facts.alert == "handshake_failure (40) from the server");
  CHECK(run.facts.why_not == "the handshake failed: handshake_failure (40) from the server");
}

TEST_CASE("bytes that are no TLS end the reading with a reason") {
  tests::TlsRun run("");
  run.feed(model::Side::client, "\x16\x03\x01\x00\x05hello"s);
  run.feed(model::Side::client, "GET / HTTP/1.1\r\n\r\n");
  run.finish();
  CHECK(run.facts.why_not == "bytes from the client are no TLS records");
  CHECK(run.has_anomaly("tls-bad-record"));
  CHECK(run.events.size() == 1);
}
