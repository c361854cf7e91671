// TCP segment: the payload of an IP packet in, what reassembly needs out. Source: RFC 9293 section 3.1.
#pragma once

#include <cstdint>
#include <string_view>

#include "net/ip_layer.h"
#include "net/packet_books.h"

namespace mcpscan::net {

struct TcpSegment {
  std::uint32_t sequence = 0, acknowledgement = 0;
  bool syn = false, ack = false, fin = false, rst = false, push = false;
  std::uint16_t source_port = 0, destination_port = 0;
  std::string_view payload;     // as captured
  std::uint32_t length = 0;     // payload bytes on the wire
};

Refusal read_tcp(const IpPacket& ip, TcpSegment& segment);

}  // namespace mcpscan::net
