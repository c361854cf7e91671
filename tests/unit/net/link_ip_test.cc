#include <catch2/catch.hpp>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

const std::string kSegment = tcp_bytes({1, 1, kAck, "payload"});
const std::string kIp = ipv4_bytes(kSegment);
const std::string kSource6 = std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') + "\1";
const std::string kDestination6 = std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') + "\2";

std::string ipv6_bytes(std::uint32_t next, std::string_view payload) {
  return big32(0x60000000) + big16(static_cast<std::uint32_t>(payload.size())) + static_cast<char>(next) + "\x40" + kSource6 + kDestination6 +
         std::string(payload);
}

const std::string kGood = "C payload";

}  // namespace

TEST_CASE("Every link type that is read gives the same payload") {
  const std::string cooked = std::string(14, '\0') + big16(0x0800) + kIp;
  const std::string cooked2 = big16(0x0800) + std::string(18, '\0') + kIp;
  CHECK(verdict(1, ethernet(kIp)) == kGood);
  CHECK(verdict(113, cooked) == kGood);
  CHECK(verdict(276, cooked2) == kGood);
  CHECK(verdict(0, little32(2) + kIp) == kGood);
  CHECK(verdict(0, big32(2) + kIp) == kGood);
  CHECK(verdict(108, big32(2) + kIp) == kGood);
  CHECK(verdict(108, little32(2) + kIp) == kGood);
  CHECK(verdict(101, kIp) == kGood);
  CHECK(verdict(228, kIp) == kGood);
  CHECK(verdict(12, kIp) == kGood);
  const std::string six = ipv6_bytes(6, kSegment);
  CHECK(verdict(229, six) == kGood);
  CHECK(verdict(101, six) == kGood);
  CHECK(verdict(1, ethernet(six, 0x86dd)) == kGood);
  for (const std::uint32_t family : {10u, 24u, 28u, 30u}) CHECK(verdict(0, little32(family) + six) == kGood);
}

TEST_CASE("VLAN tags are taken off and tell connections apart") {
  const std::string tagged = ethernet(big16(0x2007) + big16(0x0800) + kIp, 0x8100);
  const std::string double_tagged = ethernet(big16(5) + big16(0x8100) + big16(7) + big16(0x0800) + kIp, 0x88a8);
  Table table;
  table.packet(tagged, 1);
  table.packet(double_tagged, 1);
  table.packet(ethernet(kIp), 1);
  table.finish();
  REQUIRE(table.told.flows.size() == 3);
  CHECK(table.told.flows[0].key.vlan == 7);
  CHECK(table.told.flows[1].key.vlan == (5u << 16 | 7u));
  CHECK(table.told.flows[2].key.vlan == 0);
}

TEST_CASE("A cooked capture that sees a packet tagged and untagged gives it once") {
  Table table;
  table.packet(std::string(14, '\0') + big16(0x8100) + big16(7) + big16(0x0800) + kIp, 113);
  table.packet(std::string(14, '\0') + big16(0x0800) + kIp, 113);
  CHECK(table.finish() == Events{"C payload", "end evidence-ends"});
}

TEST_CASE("Padding of short frames is no payload") { CHECK(verdict(1, ethernet(kIp) + std::string(30, 'P')) == kGood); }

TEST_CASE("What is not read is named") {
  CHECK(verdict(9, kIp) == "ignored link-type-9-unsupported");
  CHECK(verdict(105, kIp) == "ignored link-type-105-unsupported");
  CHECK(verdict(1, ethernet(kIp, 0x0806)) == "ignored arp");
  CHECK(verdict(1, ethernet(kIp, 0x88cc)) == "ignored ethertype-88cc");
  CHECK(verdict(1, ethernet(kIp, 38)) == "ignored llc");
  CHECK(verdict(0, little32(7) + kIp) == "ignored address-family-7");
  CHECK(verdict(101, ipv4_bytes("x", {{"\1\1\1\1", 4}, {"\2\2\2\2", 4}, 17, 0, 0})) == "ignored udp");
  CHECK(verdict(101, ipv4_bytes("x", {{"\1\1\1\1", 4}, {"\2\2\2\2", 4}, 89, 0, 0})) == "ignored ip-protocol-89");
  CHECK(verdict(101, ipv6_bytes(58, "x")) == "ignored icmpv6");
}

TEST_CASE("Different reasons are bounded") {
  Table table;
  for (std::uint32_t type = 0; type < 200; ++type) table.packet(ethernet(kIp, 0x9200 + type), 1);
  table.finish();
  CHECK(table.books.ignored.size() <= 65);
  CHECK(table.books.ignored.at("other") == 136);
  CHECK(table.books_add_up());
}

TEST_CASE("Broken headers are malformed, cut ones are ignored as cut") {
  CHECK(verdict(101, "\x45") == "ignored cut-in-header");
  CHECK(verdict(101, std::string(40, '\x33')) == "malformed ip-version");
  std::string short_header = kIp;
  short_header[0] = '\x44';
  CHECK(verdict(101, short_header) == "malformed ip-header");
  std::string short_total = kIp;
  short_total[3] = '\x10';
  CHECK(verdict(101, short_total) == "malformed ip-length");
  CHECK(verdict(101, ipv4_bytes(kSegment.substr(0, 19))) == "malformed tcp-header");
  std::string wide = kSegment;
  wide[12] = '\xf0';
  CHECK(verdict(101, ipv4_bytes(wide)) == "malformed tcp-header");
  CHECK(verdict(101, kIp, kIp.size() - 30) == "ignored cut-in-header");
  CHECK(verdict(1, ethernet(kIp), kIp.size() + 3) == "ignored cut-in-header");
  CHECK(verdict(1, ethernet(big16(1) + big16(0x8100) + big16(1) + big16(0x8100) + big16(1) + big16(0x8100) + big16(1) + big16(0x8100) + big16(1) +
                            big16(0x8100), 0x8100)) == "malformed vlan-tags-too-many");
}

TEST_CASE("A snapshot length inside the TCP options still tells the length of the payload") {
  std::string segment = kSegment;
  segment[12] = '\x80';
  segment.insert(20, 12, '\1');
  CHECK(verdict(101, ipv4_bytes(segment), 10) == "C gap 7");
}

TEST_CASE("IPv4 options are skipped; a length of zero means offload, and the frame's length counts") {
  std::string options = kIp;
  options[0] = '\x47';
  options[3] = static_cast<char>(kIp.size() + 8);
  options.insert(20, 8, '\1');
  CHECK(verdict(101, options) == kGood);
  std::string offload = kIp;
  offload[2] = offload[3] = '\0';
  CHECK(verdict(101, offload) == kGood);
}

TEST_CASE("A zero checksum of an offloading host is not judged") {
  CHECK(kIp.substr(10, 2) == std::string(2, '\0'));
  CHECK(verdict(101, kIp) == kGood);
}

TEST_CASE("IPv6 extension headers are walked, a bounded number of them") {
  const auto with = [](std::uint32_t next) { return std::string(1, static_cast<char>(next)) + std::string(7, '\0'); };
  CHECK(verdict(101, ipv6_bytes(0, with(60) + with(43) + with(6) + kSegment)) == kGood);
  const std::string authentication = std::string("\x06\x02", 2) + std::string(14, '\0');
  CHECK(verdict(101, ipv6_bytes(51, authentication + kSegment)) == kGood);
  std::string many;
  for (int i = 0; i < 17; ++i) many += with(60);
  CHECK(verdict(101, ipv6_bytes(60, many + kSegment)) == "malformed ip-header");
  CHECK(verdict(101, ipv6_bytes(60, std::string("\x06\xff", 2) + std::string(6, '\0'))) == "malformed ip-length");
  CHECK(verdict(101, ipv6_bytes(59, "")) == "ignored ip-protocol-59");
}

namespace {

std::string fragment4(std::string_view whole, std::uint32_t begin, std::uint32_t size, std::uint32_t id = 9) {
  const bool more = begin + size < whole.size();
  return ipv4_bytes(whole.substr(begin, size), {{"\x0a\x00\x00\x01", 4}, {"\x0a\x00\x00\x02", 4}, 6, id, (more ? 0x2000u : 0u) | begin / 8});
}

std::string fragment6(std::string_view whole, std::uint32_t begin, std::uint32_t size) {
  const bool more = begin + size < whole.size();
  return ipv6_bytes(44, std::string("\x06\x00", 2) + big16(begin | (more ? 1u : 0u)) + big32(77) + std::string(whole.substr(begin, size)));
}

}  // namespace

TEST_CASE("IPv4 and IPv6 fragments are put together in any order, and each packet counts") {
  Table four;
  four.packet(fragment4(kSegment, 16, 11));
  four.packet(fragment4(kSegment, 0, 8));
  four.packet(fragment4(kSegment, 8, 8));
  CHECK(four.finish() == Events{"C payload", "end evidence-ends"});
  CHECK(four.books.used == 3);
  CHECK(four.books_add_up());
  Table six;
  six.packet(fragment6(kSegment, 8, 19));
  six.packet(fragment6(kSegment, 0, 8));
  CHECK(six.finish() == Events{"C payload", "end evidence-ends"});
  CHECK(six.books_add_up());
}

TEST_CASE("An atomic IPv6 fragment is a whole datagram") {
  CHECK(verdict(101, fragment6(kSegment, 0, static_cast<std::uint32_t>(kSegment.size()))) == kGood);
}

TEST_CASE("Overlapping fragments: the first copy wins, a difference is an anomaly") {
  std::string other = kSegment;
  other.replace(20, 7, "PAYLOAD");
  Table table;
  table.packet(fragment4(kSegment, 16, 11));
  table.packet(fragment4(other, 8, 16));
  table.packet(fragment4(kSegment, 0, 8));
  CHECK(table.finish() == Events{"C payload", "end evidence-ends"});
  CHECK(table.has("fragment-overlap"));
}

TEST_CASE("Fragments that contradict the datagram's length never invent bytes") {
  Table table;
  table.packet(fragment4(kSegment, 16, 11));
  table.packet(fragment4(std::string(64, 'x'), 40, 8));
  table.packet(fragment4(kSegment, 0, 8));
  CHECK(table.finish().empty());
  CHECK(table.books.malformed.at("fragment-length") == 1);
  CHECK(table.books.malformed.at("fragment-incomplete") == 2);
  CHECK(table.books_add_up());
}

TEST_CASE("Limits::fragments, fragment_bytes and fragment_age_us: the oldest datagram is given up") {
  Limits few;
  few.fragments = 2;
  Table table(few);
  for (std::uint32_t id = 1; id <= 3; ++id) table.packet(fragment4(kSegment, 0, 8, id));
  table.packet(fragment4(kSegment, 8, 19, 3));
  CHECK(table.told.events == Events{"C payload"});
  CHECK(table.has("fragment-table-full"));
  table.finish();
  CHECK(table.books.malformed.at("fragment-incomplete") == 2);
  CHECK(table.books_add_up());

  Limits small;
  small.fragment_bytes = 300;
  Table bytes(small);
  for (std::uint32_t id = 1; id <= 3; ++id) bytes.packet(fragment4(kSegment, 0, 8, id));
  CHECK(bytes.has("fragment-table-full"));

  Table age;
  age.packet(fragment4(kSegment, 0, 8));
  age.wait(age.limits.fragment_age_us + kSecond);
  age.packet(fragment4(kSegment, 8, 19));
  CHECK(age.finish().empty());
  CHECK(age.books_add_up());
}

TEST_CASE("Fragments of other protocols are not kept") {
  Table table;
  table.packet(ipv4_bytes("xxxxxxxx", {{"\1\1\1\1", 4}, {"\2\2\2\2", 4}, 17, 5, 0x2000}));
  table.finish();
  CHECK(table.books.ignored.at("udp") == 1);
}
