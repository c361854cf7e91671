#include "net/tcp_segment.h"

#include "net/byte_order.h"

namespace mcpscan::net {
namespace {

constexpr std::uint32_t kHeaderBytes = 20;
constexpr std::size_t kNeededBytes = 14;  // up to the flags; a snapshot length may cut the rest

}  // namespace

Refusal read_tcp(const IpPacket& ip, TcpSegment& segment) {
  if (ip.payload_length < kHeaderBytes) return {"tcp-header", 0, true};
  if (ip.payload.size() < kNeededBytes) return {"cut-in-header", 0, false};
  const std::uint8_t* bytes = ip.payload.data();
  const std::uint32_t header = (bytes[12] >> 4) * 4u;
  if (header < kHeaderBytes || header > ip.payload_length) return {"tcp-header", 0, true};
  segment.source_port = load_big16(bytes);
  segment.destination_port = load_big16(bytes + 2);
  segment.sequence = load_big32(bytes + 4);
  segment.acknowledgement = load_big32(bytes + 8);
  const std::uint8_t flags = bytes[13];
  segment.fin = (flags & 0x01) != 0;
  segment.syn = (flags & 0x02) != 0;
  segment.rst = (flags & 0x04) != 0;
  segment.push = (flags & 0x08) != 0;
  segment.ack = (flags & 0x10) != 0;
  segment.length = ip.payload_length - header;
  segment.payload = {};
  if (ip.payload.size() > header) segment.payload = {reinterpret_cast<const char*>(bytes) + header, ip.payload.size() - header};
  return {};
}

}  // namespace mcpscan::net
