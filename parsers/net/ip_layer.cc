#include "net/ip_layer.h"

#include <algorithm>
#include <cstring>

#include "net/byte_order.h"

namespace mcpscan::net {
namespace {

constexpr Refusal kCut{"cut-in-header", 0, false};
constexpr Refusal kBadHeader{"ip-header", 0, true};
constexpr Refusal kBadLength{"ip-length", 0, true};

constexpr std::size_t kIpv4Bytes = 20;
constexpr std::uint32_t kIpv6Bytes = 40;
constexpr unsigned kExtensions = 16;
constexpr std::uint32_t kOffsetMask = 0x1fff;

// Segmentation offload and jumbograms: the length did not fit its field, or was not set yet. The frame's own length on the
// wire is a claim of the capture file and must be credible.
std::uint32_t offloaded_bytes(const Frame& frame) {
  constexpr std::uint32_t kLargestOffload = 1u << 20;
  const auto captured = static_cast<std::uint32_t>(frame.ip.size());
  return frame.wire_bytes <= kLargestOffload ? std::max(frame.wire_bytes, captured) : captured;
}

// Trims the frame to what the IP header says belongs to the packet: `header` bytes, then `payload` bytes.
void set_payload(const Frame& frame, std::size_t header, std::uint32_t payload, IpPacket& ip) {
  ip.payload = frame.ip.subspan(header, std::min<std::size_t>(frame.ip.size() - header, payload));
  ip.payload_length = payload;
}

// In one piece, as it is read soon.
std::array<std::uint8_t, 16> ipv4_address(const std::uint8_t* at) {
  std::array<std::uint8_t, 16> address{};
  std::memcpy(address.data(), at, 4);
  return address;
}

Refusal read_ipv4(const Frame& frame, IpPacket& ip) {
  if (frame.ip.size() < kIpv4Bytes) return kCut;
  const std::uint8_t* bytes = frame.ip.data();
  const std::uint32_t header = (bytes[0] & 0x0fu) * 4u;
  std::uint32_t total = load_big16(bytes + 2);
  if (total == 0) total = offloaded_bytes(frame);
  if (header < kIpv4Bytes) return kBadHeader;
  if (total < header) return kBadLength;
  if (frame.ip.size() < header) return kCut;
  ip.ipv6 = false;
  ip.source = ipv4_address(bytes + 12);
  ip.destination = ipv4_address(bytes + 16);
  ip.protocol = bytes[9];
  const std::uint32_t flags = load_big16(bytes + 6);
  ip.fragment_offset = (flags & kOffsetMask) * 8u;
  ip.more_fragments = (flags & 0x2000u) != 0;
  ip.fragment = ip.more_fragments || ip.fragment_offset != 0;
  ip.fragment_id = load_big16(bytes + 4);
  set_payload(frame, header, total - header, ip);
  return {};
}

constexpr bool is_extension(std::uint8_t next) {
  return next == 0 || next == 43 || next == 44 || next == 51 || next == 60 || next == 135 || next == 139 || next == 140;
}

// Bytes of the extension header of kind `next` that begins with `at`.
std::uint32_t extension_bytes(std::uint8_t next, const std::uint8_t* at) {
  if (next == 44) return 8;
  return next == 51 ? (at[1] + 2u) * 4u : (at[1] + 1u) * 8u;
}

void read_fragment_header(const std::uint8_t* at, IpPacket& ip) {
  ip.fragment_offset = load_big16(at + 2) & 0xfff8u;
  ip.more_fragments = (at[3] & 1) != 0;
  ip.fragment = ip.more_fragments || ip.fragment_offset != 0;  // an atomic fragment is whole (RFC 8200 section 4.5)
  ip.fragment_id = load_big32(at + 4);
}

Refusal read_ipv6(const Frame& frame, IpPacket& ip) {
  if (frame.ip.size() < kIpv6Bytes) return kCut;
  const std::uint8_t* bytes = frame.ip.data();
  ip.ipv6 = true;
  ip.fragment = false;
  std::memcpy(ip.source.data(), bytes + 8, 16);
  std::memcpy(ip.destination.data(), bytes + 24, 16);
  std::uint32_t rest = load_big16(bytes + 4);
  if (rest == 0) rest = offloaded_bytes(frame) - kIpv6Bytes;
  std::uint8_t next = bytes[6];
  std::size_t at = kIpv6Bytes;
  for (unsigned seen = 0; is_extension(next) && !(ip.fragment && ip.fragment_offset != 0); ++seen) {
    if (seen == kExtensions) return kBadHeader;
    if (frame.ip.size() < at + 8) return kCut;
    const std::uint32_t size = extension_bytes(next, bytes + at);
    if (size > rest) return kBadLength;
    if (frame.ip.size() < at + size) return kCut;
    if (next == 44) read_fragment_header(bytes + at, ip);
    next = bytes[at];
    at += size;
    rest -= size;
    if (ip.fragment) break;  // headers behind it belong to the whole datagram
  }
  ip.protocol = next;
  set_payload(frame, at, rest, ip);
  return {};
}

}  // namespace

Refusal read_ip(const Frame& frame, IpPacket& ip) {
  ip.vlan = frame.vlan;
  switch (frame.ip[0] >> 4) {
    case 4: return read_ipv4(frame, ip);
    case 6: return read_ipv6(frame, ip);
    default: return {"ip-version", 0, true};
  }
}

Refusal refusal_of_protocol(std::uint8_t protocol) {
  switch (protocol) {
    case 1: return {"icmp", 0, false};
    case 17: return {"udp", 0, false};
    case 50: return {"esp", 0, false};
    case 58: return {"icmpv6", 0, false};
    case 132: return {"sctp", 0, false};
    default: return {"ip-protocol-#", protocol, false};
  }
}

}  // namespace mcpscan::net
