#include "net/tunnel.h"

#include "net/byte_order.h"

namespace mcpscan::net {
namespace {

constexpr Refusal kCut{"cut-in-header", 0, false};

constexpr std::uint8_t kIpv4InIp = 4, kUdp = 17, kIpv6InIp = 41, kGre = 47;
constexpr std::uint16_t kVxlanPort = 4789, kFirstVxlanPort = 8472, kGenevePort = 6081;
constexpr std::uint16_t kTypeIpv4 = 0x0800, kTypeIpv6 = 0x86dd, kTypeEthernet = 0x6558, kTypeErspan = 0x88be, kTypeErspan3 = 0x22eb;
constexpr std::size_t kUdpBytes = 8, kVxlanBytes = 8, kGeneveBytes = 8, kGreBytes = 4;

bool is_vxlan(std::uint16_t port) { return port == kVxlanPort || port == kFirstVxlanPort; }

// What stands behind `header` bytes of the payload, an IP packet or an Ethernet frame.
Refusal hand_on(const IpPacket& ip, std::size_t header, bool is_ethernet, Frame& inner) {
  if (ip.payload.size() <= header) return kCut;
  const std::uint32_t length = ip.payload_length - static_cast<std::uint32_t>(header);
  inner = {ip.payload.subspan(header), length, 0};
  if (!is_ethernet) return {};
  Packet frame;
  frame.link_type = kLinkEthernet;
  frame.original_length = length;
  frame.bytes = inner.ip;
  const Refusal refusal = read_link(frame, inner);
  inner.vlan = 0;
  return refusal;
}

Refusal read_vxlan(const IpPacket& ip, Frame& inner) {
  if (ip.payload.size() < kUdpBytes + kVxlanBytes) return kCut;
  const bool has_vni = (ip.payload[kUdpBytes] & 0x08) != 0;
  return has_vni ? hand_on(ip, kUdpBytes + kVxlanBytes, true, inner) : refusal_of_protocol(kUdp);
}

Refusal by_type(const IpPacket& ip, std::uint16_t type, std::size_t header, const char* other, Frame& inner) {
  if (type == kTypeIpv4 || type == kTypeIpv6 || type == kTypeEthernet) return hand_on(ip, header, type == kTypeEthernet, inner);
  return {other, type, false};
}

Refusal read_geneve(const IpPacket& ip, Frame& inner) {
  if (ip.payload.size() < kUdpBytes + kGeneveBytes) return kCut;
  const std::uint8_t* bytes = ip.payload.data() + kUdpBytes;
  if (bytes[0] >> 6 != 0) return refusal_of_protocol(kUdp);  // no version but 0 is known
  const std::size_t options = (bytes[0] & 0x3fu) * 4u;
  return by_type(ip, load_big16(bytes + 2), kUdpBytes + kGeneveBytes + options, "geneve-type-@", inner);
}

// Type I has no header of its own and no GRE sequence number, which type II always has.
Refusal read_erspan(const IpPacket& ip, std::uint16_t type, std::size_t header, bool has_sequence, Frame& inner) {
  if (type == kTypeErspan) return hand_on(ip, header + (has_sequence ? 8 : 0), true, inner);
  if (ip.payload.size() < header + 12) return kCut;
  const bool has_platform_part = (ip.payload[header + 11] & 1) != 0;
  return hand_on(ip, header + (has_platform_part ? 20 : 12), true, inner);
}

Refusal read_gre(const IpPacket& ip, Frame& inner) {
  if (ip.payload.size() < kGreBytes) return kCut;
  const std::uint32_t flags = load_big16(ip.payload.data());
  const std::uint16_t type = load_big16(ip.payload.data() + 2);
  const bool has_checksum = (flags & 0x8000) != 0, has_routing = (flags & 0x4000) != 0, has_key = (flags & 0x2000) != 0, has_sequence = (flags & 0x1000) != 0;
  if ((flags & 7) != 0 || has_routing) return {"gre-version-#", flags & 7, false};  // PPTP's, and the source routes of RFC 1701
  const std::size_t header = kGreBytes + (has_checksum ? 4u : 0u) + (has_key ? 4u : 0u) + (has_sequence ? 4u : 0u);
  if (type == kTypeErspan || type == kTypeErspan3) return read_erspan(ip, type, header, has_sequence, inner);
  return by_type(ip, type, header, "gre-type-@", inner);
}

}  // namespace

bool is_tunnel(const IpPacket& ip) {
  if (ip.protocol == kIpv4InIp || ip.protocol == kIpv6InIp || ip.protocol == kGre) return true;
  if (ip.protocol != kUdp || ip.fragment_offset != 0 || ip.payload.size() < kUdpBytes) return false;
  const std::uint16_t port = load_big16(ip.payload.data() + 2);
  return is_vxlan(port) || port == kGenevePort;
}

Refusal read_tunnel(const IpPacket& ip, Frame& inner) {
  if (ip.protocol == kGre) return read_gre(ip, inner);
  if (ip.protocol != kUdp) return hand_on(ip, 0, false, inner);
  return is_vxlan(load_big16(ip.payload.data() + 2)) ? read_vxlan(ip, inner) : read_geneve(ip, inner);
}

}  // namespace mcpscan::net
