// Link layer: a captured frame in, the IP packet in it out. Ethernet with up to four VLAN tags, Linux cooked captures, BSD
// loopback in both byte orders, raw IP. Frame padding stays; the IP length trims it.
// Source: the LINKTYPE registry of tcpdump.org; IEEE 802.3, 802.1Q, 802.1ad.
#pragma once

#include <cstdint>
#include <span>

#include "net/capture_reader.h"
#include "net/packet_books.h"

namespace mcpscan::net {

constexpr std::uint32_t kLinkNull = 0;
constexpr std::uint32_t kLinkEthernet = 1;
constexpr std::uint32_t kLinkRaw = 101;
constexpr std::uint32_t kLinkLoop = 108;
constexpr std::uint32_t kLinkCooked = 113;
constexpr std::uint32_t kLinkIpv4 = 228;
constexpr std::uint32_t kLinkIpv6 = 229;
constexpr std::uint32_t kLinkCooked2 = 276;

struct Frame {
  std::span<const std::uint8_t> ip;  // from the IP header, as captured
  std::uint32_t wire_bytes = 0;      // the same, as it was on the wire
  std::uint32_t vlan = 0;            // outer tag << 16 | inner tag; 0 in cooked captures, which see one packet tagged and untagged
};

Refusal read_link(const Packet& packet, Frame& frame);

}  // namespace mcpscan::net
