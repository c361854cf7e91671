// Where a fact was read: the chain of evidence. On every observation, finding and incident.
#pragma once

#include <cstdint>

namespace mcpscan::model {

enum class PlaceKind : std::uint8_t { line, packet, entry };

struct SourceRef {
  std::uint32_t input = 0;   // index into the report's inputs
  PlaceKind kind = PlaceKind::line;
  std::uint64_t number = 0;  // line, packet or entry, from 1; 0 = the input as a whole
  std::uint64_t offset = 0;  // byte offset in the decoded input (after decompression), where known

  // Within one input, whoever was told of first.
  bool precedes(const SourceRef& other) const { return input == other.input && number < other.number; }
};

// On which side of the traffic the evidence was taken.
enum class Vantage : std::uint8_t { unknown, client, client_wire, gateway, server_wire, server };

}  // namespace mcpscan::model
