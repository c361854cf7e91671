#include <catch2/catch.hpp>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

const std::string kIp = ipv4_bytes(tcp_bytes({1, 1, kAck, "payload"}));
const std::string kFrame = ethernet(kIp);

Ipv4 between_hosts(std::uint32_t protocol) { return {{"\x64\x00\x00\x01", 4}, {"\x64\x00\x00\x02", 4}, protocol, 7, 0}; }

std::string carried(std::uint32_t protocol, const std::string& bytes) { return ethernet(ipv4_bytes(bytes, between_hosts(protocol))); }

std::string udp(std::uint16_t port, const std::string& bytes) {
  return big16(50000) + big16(port) + big16(static_cast<std::uint32_t>(8 + bytes.size())) + big16(0) + bytes;
}

std::string vxlan(const std::string& frame, std::uint32_t flags = 0x08000000) { return big32(flags) + big32(42u << 8) + frame; }
std::string geneve(const std::string& bytes, std::uint16_t type, unsigned option_words = 0) {
  return static_cast<char>(option_words) + std::string(1, '\0') + big16(type) + big32(42u << 8) + std::string(option_words * 4, '\1') + bytes;
}

std::string verdict(const std::string& bytes, std::size_t cut = 0) { return tests::verdict(1, bytes, cut); }

const std::string kGood = "C payload";

}  // namespace

TEST_CASE("The packet inside of each tunnel is read") {
  CHECK(verdict(carried(17, udp(4789, vxlan(kFrame)))) == kGood);
  CHECK(verdict(carried(17, udp(8472, vxlan(kFrame)))) == kGood);
  CHECK(verdict(carried(17, udp(6081, geneve(kFrame, 0x6558)))) == kGood);
  CHECK(verdict(carried(17, udp(6081, geneve(kIp, 0x0800, 8)))) == kGood);
  CHECK(verdict(carried(4, kIp)) == kGood);
  CHECK(verdict(carried(47, big16(0) + big16(0x0800) + kIp)) == kGood);
  CHECK(verdict(carried(47, big16(0xb000) + big16(0x6558) + std::string(12, '\1') + kFrame)) == kGood);
}

TEST_CASE("The frame of each ERSPAN type is read") {
  CHECK(verdict(carried(47, big16(0) + big16(0x88be) + kFrame)) == kGood);
  CHECK(verdict(carried(47, big16(0x1000) + big16(0x88be) + big32(9) + std::string(8, '\1') + kFrame)) == kGood);
  CHECK(verdict(carried(47, big16(0x1000) + big16(0x22eb) + big32(9) + std::string(11, '\1') + std::string(1, '\0') + kFrame)) == kGood);
  CHECK(verdict(carried(47, big16(0x1000) + big16(0x22eb) + big32(9) + std::string(12, '\1') + std::string(8, '\2') + kFrame)) == kGood);
}

TEST_CASE("The mirror of an overlay is two tunnels; more than anyone builds are too many") {
  std::string frame = carried(17, udp(4789, vxlan(kFrame)));
  CHECK(verdict(carried(17, udp(4789, vxlan(frame)))) == kGood);
  for (int i = 0; i < 4; ++i) frame = carried(17, udp(4789, vxlan(frame)));
  CHECK(verdict(frame) == "malformed tunnels-too-deep");
}

TEST_CASE("An overlay's copy beside the packet itself, and a mirror of both ends, is one connection") {
  const std::string tagged = std::string(12, '\2') + big16(0x8100) + big16(7) + big16(0x0800) + kIp;
  Table table;
  table.packet(carried(17, udp(4789, vxlan(kFrame))), 1);
  table.packet(kFrame, 1);
  table.packet(carried(17, udp(4789, vxlan(tagged))), 1);
  CHECK(table.finish() == Events{"C payload", "end evidence-ends"});
}

TEST_CASE("A tunnel's packet that was too long for the way comes in fragments, as may the one inside of it") {
  const std::string datagram = udp(4789, vxlan(kFrame));
  Ipv4 first = between_hosts(17), second = first;
  first.fragment = 0x2000;
  second.fragment = 3;
  Table table;
  table.packet(ethernet(ipv4_bytes(datagram.substr(0, 24), first)), 1);
  table.packet(ethernet(ipv4_bytes(datagram.substr(24), second)), 1);
  CHECK(table.finish() == Events{"C payload", "end evidence-ends"});
  CHECK(table.books.used == 2);
  CHECK(table.books_add_up());

  const std::string segment = tcp_bytes({1, 1, kAck, "payload"});
  Ipv4 begin, end;
  begin.fragment = 0x2000;
  end.fragment = 3;
  Table inside;
  inside.packet(carried(4, ipv4_bytes(segment.substr(0, 24), begin)), 1);
  inside.packet(carried(4, ipv4_bytes(segment.substr(24), end)), 1);
  CHECK(inside.finish() == Events{"C payload", "end evidence-ends"});
  CHECK(inside.books.used == 2);
}

TEST_CASE("What a tunnel carries and nobody reads is named, and what is no tunnel is none") {
  CHECK(verdict(carried(47, big16(0) + big16(0x880b) + kIp)) == "ignored gre-type-880b");
  CHECK(verdict(carried(47, big16(0x3001) + big16(0x880b) + kIp)) == "ignored gre-version-1");
  CHECK(verdict(carried(17, udp(6081, geneve(kIp, 0x8847)))) == "ignored geneve-type-8847");
  CHECK(verdict(carried(17, udp(4789, vxlan(ethernet(kIp, 0x0806))))) == "ignored arp");
  CHECK(verdict(carried(17, udp(4789, vxlan(kFrame, 0)))) == "ignored udp");
  CHECK(verdict(carried(17, udp(53, vxlan(kFrame)))) == "ignored udp");
  CHECK(verdict(carried(17, "x")) == "ignored udp");
  Ipv4 later = between_hosts(17);
  later.fragment = 3;
  CHECK(verdict(ethernet(ipv4_bytes(udp(4789, vxlan(kFrame)), later))) == "ignored udp");
}

TEST_CASE("A tunnel that the snapshot length cut gives what is there, or says that its header was cut") {
  const std::string frame = carried(17, udp(4789, vxlan(kFrame)));
  for (std::size_t cut = 1; cut < frame.size(); ++cut) {
    const std::string said = verdict(frame, cut);
    CHECK((said == "ignored cut-in-header" || said == "ignored udp" || said.substr(0, 2) == "C "));
  }
}
