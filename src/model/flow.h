// A TCP connection's identity and the facts that hold for all of it. Compared in full; a hash only finds.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace mcpscan::model {

struct Endpoint {
  std::array<std::uint8_t, 16> address{};  // IPv4 in the first four bytes, the rest zero
  std::uint16_t port = 0;
  bool ipv6 = false;

  bool operator==(const Endpoint&) const = default;
  std::string address_text() const;  // 198.51.100.7, 2001:db8::1
  std::string text() const;          // 198.51.100.7:8000, [2001:db8::1]:8000
};

// The client is the side that sent the SYN; where no SYN was captured, the side that the first request came from, else
// the higher port.
struct FlowKey {
  Endpoint client, server;
  std::uint32_t vlan = 0;  // outer tag << 16 | inner tag: the same addresses on two VLANs are two flows

  bool operator==(const FlowKey&) const = default;
};

}  // namespace mcpscan::model
