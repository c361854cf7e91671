// IP layer: an IP packet in, its addresses and payload out. IPv4 with options, IPv6 with extension headers. Checksums are
// not judged: a capture of the sending host shows them before the network card fills them in.
// Source: RFC 791, RFC 8200 section 4, RFC 6864 (identification), RFC 4302 (AH length).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "net/link_layer.h"
#include "net/packet_books.h"

namespace mcpscan::net {

constexpr std::uint8_t kProtocolTcp = 6;

struct IpPacket {
  std::array<std::uint8_t, 16> source{}, destination{};  // IPv4 in the first four bytes
  std::uint32_t vlan = 0;
  std::uint8_t protocol = 0;
  bool ipv6 = false;
  bool fragment = false, more_fragments = false;
  std::uint32_t fragment_id = 0;
  std::uint32_t fragment_offset = 0;        // bytes
  std::span<const std::uint8_t> payload;    // as captured
  std::uint32_t payload_length = 0;         // as it was on the wire; never less than captured
};

Refusal read_ip(const Frame& frame, IpPacket& ip);

// Why a protocol that is not TCP is left out.
Refusal refusal_of_protocol(std::uint8_t protocol);

}  // namespace mcpscan::net
