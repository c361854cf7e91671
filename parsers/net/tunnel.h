// Tunnel: an IP packet in that carries another one, as traffic mirrors and overlay networks make them; the inner packet out. VXLAN (UDP 4789,
// and 8472 as Linux had it first), GENEVE (UDP 6081), GRE with IP or Ethernet inside, ERSPAN I to III, IP in IP. One layer a call.
// VNIs and inner VLAN tags are not kept: a host's capture holds the overlay's copy beside the inner one, and a mirror each packet at both of
// its ends; they are one connection.
// Source: RFC 7348, RFC 8926, RFC 2784, RFC 2890, draft-foschiano-erspan-03, RFC 2003, RFC 4213. Threads: pure functions.
#pragma once

#include "net/ip_layer.h"
#include "net/link_layer.h"
#include "net/packet_books.h"

namespace mcpscan::net {

constexpr unsigned kTunnels = 4;  // inside one another; a mirror of an overlay has two

// Whether the packet carries another one. A later fragment of a UDP datagram does not tell: nothing there names a port.
bool is_tunnel(const IpPacket& ip);

// The packet inside. Refuses what is carried and is no IP, and what is cut.
Refusal read_tunnel(const IpPacket& ip, Frame& inner);

}  // namespace mcpscan::net
