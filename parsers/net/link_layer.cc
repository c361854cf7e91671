#include "net/link_layer.h"

#include "net/byte_order.h"

namespace mcpscan::net {
namespace {

constexpr std::uint16_t kTypeIpv4 = 0x0800;
constexpr std::uint16_t kTypeArp = 0x0806;
constexpr std::uint16_t kTypeIpv6 = 0x86dd;
constexpr std::uint16_t kSmallestType = 0x0600;  // below it the field is a length (IEEE 802.3)
constexpr unsigned kTags = 4;

constexpr std::size_t kEthernetBytes = 14;
constexpr std::size_t kCookedBytes = 16;
constexpr std::size_t kCooked2Bytes = 20;
constexpr std::size_t kFamilyBytes = 4;

constexpr Refusal kCut{"cut-in-header", 0, false};

constexpr bool is_tag(std::uint16_t type) { return type == 0x8100 || type == 0x88a8 || type == 0x9100; }

// Some capture tools write libpcap's own number for raw IP instead of the registered one.
constexpr bool is_raw(std::uint32_t link) { return link == kLinkRaw || link == kLinkIpv4 || link == kLinkIpv6 || link == 12 || link == 14; }

Refusal hand_on(const Packet& packet, std::size_t header, Frame& frame) {
  if (packet.bytes.size() <= header) return kCut;
  frame.ip = packet.bytes.subspan(header);
  frame.wire_bytes = packet.original_length - static_cast<std::uint32_t>(header);
  return {};
}

// `type` is the protocol field that stands just before `header` bytes are over.
Refusal by_type(const Packet& packet, std::uint16_t type, std::size_t header, bool keep_vlan, Frame& frame) {
  for (unsigned tags = 0; is_tag(type); ++tags) {
    if (tags == kTags) return {"vlan-tags-too-many", 0, true};
    if (packet.bytes.size() < header + 4) return kCut;
    const std::uint8_t* tag = packet.bytes.data() + header;
    if (keep_vlan) frame.vlan = frame.vlan << 16 | (load_big16(tag) & 0x0fffu);
    type = load_big16(tag + 2);
    header += 4;
  }
  if (type == kTypeIpv4 || type == kTypeIpv6) return hand_on(packet, header, frame);
  if (type == kTypeArp) return {"arp", 0, false};
  if (type < kSmallestType) return {"llc", 0, false};
  return {"ethertype-@", type, false};
}

// The family in the writer's byte order (NULL) or big-endian (LOOP): either way one of the two readings is small.
Refusal by_family(const Packet& packet, Frame& frame) {
  if (packet.bytes.size() < kFamilyBytes) return kCut;
  std::uint32_t family = load_big32(packet.bytes.data());
  if (family > 0xffff) family = __builtin_bswap32(family);
  switch (family) {
    case 2: case 10: case 24: case 28: case 30: return hand_on(packet, kFamilyBytes, frame);  // AF_INET; AF_INET6 of Linux, BSDs, macOS
    default: return {"address-family-#", family, false};
  }
}

}  // namespace

Refusal read_link(const Packet& packet, Frame& frame) {
  const std::uint8_t* bytes = packet.bytes.data();
  const std::size_t size = packet.bytes.size();
  frame.vlan = 0;
  switch (packet.link_type) {
    case kLinkEthernet:
      return size < kEthernetBytes ? kCut : by_type(packet, load_big16(bytes + 12), kEthernetBytes, true, frame);
    case kLinkCooked: return size < kCookedBytes ? kCut : by_type(packet, load_big16(bytes + 14), kCookedBytes, false, frame);
    case kLinkCooked2: return size < kCooked2Bytes ? kCut : by_type(packet, load_big16(bytes), kCooked2Bytes, false, frame);
    case kLinkNull: case kLinkLoop: return by_family(packet, frame);
    default: break;
  }
  if (is_raw(packet.link_type)) return hand_on(packet, 0, frame);
  return {"link-type-#-unsupported", packet.link_type, false};
}

}  // namespace mcpscan::net
