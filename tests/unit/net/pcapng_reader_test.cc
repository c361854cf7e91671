#include <catch2/catch.hpp>

#include "net/pcapng_reader.h"
#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

// Blocks in one byte order.
struct Writer {
  bool big = false;

  std::string u16(std::uint32_t value) const { return big ? big16(value) : little16(value); }
  std::string u32(std::uint32_t value) const { return big ? big32(value) : little32(value); }
  std::string u64(std::uint64_t value) const {
    const auto high = static_cast<std::uint32_t>(value >> 32), low = static_cast<std::uint32_t>(value);
    return big ? u32(high) + u32(low) : u32(low) + u32(high);
  }
  static std::string padded(std::string_view bytes) { return std::string(bytes) + std::string((4 - bytes.size() % 4) % 4, '\0'); }

  std::string block(std::uint32_t type, const std::string& body) const {
    const auto length = static_cast<std::uint32_t>(body.size() + 12);
    return u32(type) + u32(length) + body + u32(length);
  }
  std::string section() const { return block(0x0a0d0d0a, u32(0x1a2b3c4d) + u16(1) + u16(0) + u64(UINT64_MAX)); }
  std::string option(std::uint32_t code, std::string_view value) const {
    return u16(code) + u16(static_cast<std::uint32_t>(value.size())) + padded(value);
  }
  std::string interface(std::uint32_t link, const std::string& options = {}, std::uint32_t snapshot = 0) const {
    return block(1, u16(link) + u16(0) + u32(snapshot) + options + (options.empty() ? "" : u32(0)));
  }
  std::string enhanced(std::uint32_t interface, std::uint64_t ticks, std::string_view bytes, std::uint32_t original = 0,
                       const std::string& options = {}) const {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    return block(6, u32(interface) + u32(static_cast<std::uint32_t>(ticks >> 32)) + u32(static_cast<std::uint32_t>(ticks)) + u32(size) +
                        u32(original != 0 ? original : size) + padded(bytes) + options);
  }
};

struct Read {
  std::vector<std::string> packets;
  std::vector<net::Packet> headers;
  std::string secrets;
  model::Books books;
  model::AnomalyLog anomalies;
};

Read read_all(const std::string& file, std::size_t step = 1 << 20, const Limits& limits = {}) {
  Read result;
  Bytes bytes(file, step);
  auto reader = net::open_capture(bytes, 0, limits);
  REQUIRE(reader.ok());
  CHECK((*reader)->format() == "pcapng");
  net::Packet packet;
  while ((*reader)->next(packet)) {
    result.packets.emplace_back(reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size());
    result.headers.push_back(packet);
  }
  result.secrets = (*reader)->secrets();
  result.books = (*reader)->books();
  result.anomalies = (*reader)->anomalies();
  return result;
}

const Writer kLittle{false}, kBig{true};

}  // namespace

TEST_CASE("Interfaces of one section keep their own link type and clock") {
  const std::string nano = kLittle.option(9, "\x09"), binary = kLittle.option(9, "\x94"), shifted = kLittle.option(14, kLittle.u64(100));
  const Read read = read_all(kLittle.section() + kLittle.interface(1) + kLittle.interface(276, nano) + kLittle.interface(101, binary) +
                             kLittle.interface(0, shifted) + kLittle.enhanced(0, 1700000000000007, "a", 70) +
                             kLittle.enhanced(1, 1700000000000007999, "bcd") + kLittle.enhanced(2, (1700000000ull << 20) + (1 << 19), "e") +
                             kLittle.enhanced(3, 1700000000000007, "f"));
  REQUIRE(read.packets == std::vector<std::string>{"a", "bcd", "e", "f"});
  CHECK(read.headers[0].link_type == 1);
  CHECK(read.headers[0].original_length == 70);
  CHECK(read.headers[0].at.us == 1700000000000007);
  CHECK(read.headers[1].link_type == 276);
  CHECK(read.headers[1].at.us == 1700000000000007);
  CHECK(read.headers[2].at.us == 1700000000500000);
  CHECK(read.headers[3].at.us == 1700000100000007);
  CHECK(read.anomalies.empty());
}

TEST_CASE("Every clock resolution is read or gives an unknown time, never an overflow") {
  for (unsigned resolution = 0; resolution < 256; ++resolution) {
    const net::InterfaceClock clock{static_cast<std::uint8_t>(resolution), 0};
    const Time at = clock.time(UINT64_MAX);
    CHECK((!at.known() || at.us >= 0));
  }
  CHECK(net::InterfaceClock{0, 0}.time(5).us == 5'000'000);
  CHECK(net::InterfaceClock{3, -2}.time(5001).us == 3'001'000);
  CHECK(net::InterfaceClock{12, 0}.time(5'000'001'000'000).us == 5'000'001);
  CHECK(net::InterfaceClock{0x80 | 63, 0}.time(1ull << 62).us == 500'000);
  CHECK_FALSE(net::InterfaceClock{6, INT64_MAX}.time(5).known());
  CHECK_FALSE(net::InterfaceClock{20, 0}.time(5).known());
}

TEST_CASE("Sections of both byte orders follow each other, each with interfaces of its own") {
  const Read read = read_all(kBig.section() + kBig.interface(1) + kBig.enhanced(0, 7, "big") + kLittle.section() + kLittle.interface(101) +
                             kLittle.enhanced(0, 8, "little"));
  REQUIRE(read.packets == std::vector<std::string>{"big", "little"});
  CHECK(read.headers[0].at.us == 7);
  CHECK(read.headers[1].link_type == 101);
  CHECK(read.headers[1].number == 2);
}

TEST_CASE("Simple and old packet blocks are packets") {
  const std::string old = kLittle.block(2, kLittle.u16(0) + kLittle.u16(3) + kLittle.u32(0) + kLittle.u32(9) + kLittle.u32(3) + kLittle.u32(3) + "old" +
                                               std::string(1, '\0'));
  const Read read = read_all(kLittle.section() + kLittle.interface(1, {}, 4) + kLittle.block(3, kLittle.u32(6) + "simple" + std::string(2, '\0')) + old);
  REQUIRE(read.packets == std::vector<std::string>{"simp", "old"});
  CHECK_FALSE(read.headers[0].at.known());
  CHECK(read.headers[0].original_length == 6);
  CHECK(read.headers[1].at.us == 9);
}

TEST_CASE("Comments are ignored; statistics, names and unknown blocks too, with a count") {
  const Read read = read_all(kLittle.section() + kLittle.interface(1) + kLittle.enhanced(0, 7, "a", 0, kLittle.option(1, "a comment") + kLittle.u32(0)) +
                             kLittle.block(5, std::string(12, '\0')) + kLittle.block(4, std::string(4, '\0')) + kLittle.block(0xbad, "priv"));
  CHECK(read.packets == std::vector<std::string>{"a"});
  CHECK(read.books.ignored.at("pcapng-statistics-block") == 1);
  CHECK(read.books.ignored.at("pcapng-name-resolution-block") == 1);
  CHECK(read.books.ignored.at("pcapng-other-block") == 1);
  CHECK(read.books.total == 3);
}

TEST_CASE("Secrets are handed out as text, in file order; other kinds are counted") {
  const auto secrets = [](std::uint32_t kind, std::string_view text) {
    return kLittle.block(10, kLittle.u32(kind) + kLittle.u32(static_cast<std::uint32_t>(text.size())) + Writer::padded(text));
  };
  const Read read = read_all(kLittle.section() + secrets(0x544c534b, "CLIENT_RANDOM aa bb") + kLittle.interface(1) + secrets(0x544c534b, "# x\n") +
                             secrets(0x57474b4c, "wireguard"));
  CHECK(read.secrets == "CLIENT_RANDOM aa bb\n# x\n");
  CHECK(read.books.ignored.at("pcapng-other-secrets-block") == 1);
}

TEST_CASE("Limits::secrets_bytes bounds what secrets blocks may add") {
  Limits limits;
  limits.secrets_bytes = 10;
  const std::string block = kLittle.block(10, kLittle.u32(0x544c534b) + kLittle.u32(8) + "12345678");
  const Read read = read_all(kLittle.section() + block + block, 1 << 20, limits);
  CHECK(read.secrets == "12345678\n");
  CHECK(read.anomalies.entries().count("secrets-limit") == 1);
}

TEST_CASE("Limits::capture_block_bytes: a longer block is impossible") {
  Limits limits;
  limits.capture_block_bytes = 64;
  const Read read = read_all(kLittle.section() + kLittle.interface(1) + kLittle.enhanced(0, 1, std::string(32, 'x')) +
                                 kLittle.enhanced(0, 2, std::string(36, 'x')) + kLittle.enhanced(0, 3, "next"), 1 << 20, limits);
  CHECK(read.packets == std::vector<std::string>{std::string(32, 'x'), "next"});
  CHECK(read.books.malformed.at("impossible-block") == 1);
}

TEST_CASE("Limits::capture_interfaces: packets of interfaces beyond it are malformed") {
  Limits limits;
  limits.capture_interfaces = 1;
  const Read read = read_all(kLittle.section() + kLittle.interface(1) + kLittle.interface(1) + kLittle.enhanced(1, 7, "x"), 1 << 20, limits);
  CHECK(read.packets.empty());
  CHECK(read.anomalies.entries().count("too-many-interfaces") == 1);
  CHECK(read.books.malformed.at("malformed-block") == 1);
}

TEST_CASE("An impossible block length is an anomaly, and the next block that makes sense is read") {
  for (const std::uint32_t length : {0u, 11u, 13u, 0xfffffff0u, 64u}) {
    const std::string bad = kLittle.u32(6) + kLittle.u32(length) + std::string(37, '\xee');
    const Read read = read_all(kLittle.section() + kLittle.interface(1) + kLittle.enhanced(0, 1, "before") + bad + kLittle.enhanced(0, 2, "after"));
    CHECK(read.packets == std::vector<std::string>{"before", "after"});
    CHECK(read.books.malformed.at("impossible-block") == 1);
    CHECK(read.anomalies.entries().at("impossible-block").source.offset == 28 + 20 + 40);
  }
}

TEST_CASE("A packet that is longer than its block, or of an unknown interface, is malformed; the next is read") {
  std::string longer = kLittle.enhanced(0, 1, "abcd");
  longer.replace(20, 4, kLittle.u32(4000));
  const Read read = read_all(kLittle.section() + kLittle.interface(1) + longer + kLittle.enhanced(7, 1, "x") + kLittle.enhanced(0, 2, "good"));
  CHECK(read.packets == std::vector<std::string>{"good"});
  CHECK(read.books.malformed.at("malformed-block") == 2);
  CHECK(read.headers[0].number == 1);
}

TEST_CASE("A pcapng cut anywhere gives its whole packets, and reads the same byte by byte") {
  const std::string file = kLittle.section() + kLittle.interface(1) + kLittle.enhanced(0, 1, "one") + kLittle.enhanced(0, 2, "two");
  CHECK(read_all(file, 1).packets == read_all(file).packets);
  for (std::size_t size = 4; size < file.size(); ++size) {
    const Read read = read_all(file.substr(0, size));
    const bool clean = size == 28 || size == 48 || size == 84;
    REQUIRE(read.packets.size() == (size < 84 ? 0 : 1));
    REQUIRE(read.anomalies.entries().count("cut-file") == (clean ? 0 : 1));
  }
}
