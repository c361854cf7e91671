// Cuts whole TCP connections out of a capture: every packet of each connection that one of the kept packets belongs to, as it stood, behind
// the file's own header or section and interface blocks. IP fragments between the same hosts go along, since only the first names ports.
// Secrets and name tables of a pcapng stay behind: keys go into a file of their own, cut to the connections kept (key_slice.h).
// Threads: one. Memory: the connections chosen, and the bytes of one block. Source: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "base/result.h"
#include "extract/part.h"
#include "extract/place_set.h"
#include "net/capture_reader.h"

namespace mcpscan::extract {

using HostAddress = std::array<std::uint8_t, 16>;

// Two ends, the smaller first, so that both directions are one connection.
struct FlowEnds {
  std::pair<HostAddress, std::uint16_t> one, other;
  auto operator<=>(const FlowEnds&) const = default;
};

class FlowChoice {
 public:
  // The connection of this packet is wanted.
  void choose(const net::Packet& packet);
  void choose_all() { all_ = true; }
  bool wants(const net::Packet& packet) const;

 private:
  using HostPair = std::pair<HostAddress, HostAddress>;
  bool all_ = false;
  std::set<FlowEnds> flows_;
  std::set<HostPair> hosts_;       // of the flows: fragments between them go along
  std::set<HostPair> fragmented_;  // a wanted packet was a piece without ports
};

// First pass: the connections of the packets in `kept`.
Result<FlowChoice> choose_flows(ByteReader& bytes, const PlaceSet& kept, const Limits& limits);

struct CaptureSlice {
  Slice slice;
  std::string secrets;                 // key log text that the capture holds itself
  std::set<std::string> tls_randoms;   // client randoms of the connections kept, lower-case hex
};
// Second pass over the same bytes: what was chosen goes to `sink`.
Result<CaptureSlice> slice_capture(ByteReader& bytes, const FlowChoice& choice, const Limits& limits, PartSink& sink);

}  // namespace mcpscan::extract
