// PacketWriter: TCP connections written as a capture: classic pcap, microseconds, raw IP, with true sequence numbers and checksums. Packets go
// out as they are told, so who tells them keeps to the order of time.
// Ownership: `sink` outlives it. Threads: one. Memory: its connections. Source: RFC 791, 8200, 9293; draft-ietf-opsawg-pcap.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "extract/part.h"
#include "model/flow.h"
#include "model/stream_analyzer.h"

namespace mcpscan::extract {

class PacketWriter {
 public:
  explicit PacketWriter(PartSink& sink);

  // One TCP connection; numbers from open().
  std::size_t open(const model::Endpoint& client, const model::Endpoint& server, Time at);
  void send(std::size_t connection, model::Side from, std::string_view bytes, Time at);
  // Bytes that were on the wire and are not in the evidence.
  void skip(std::size_t connection, model::Side from, std::uint32_t bytes);
  void close(std::size_t connection, model::Side from, Time at);
  void reset(std::size_t connection, model::Side from, Time at);

 private:
  struct Connection {
    model::Endpoint ends[2];        // by Side
    std::uint32_t next[2] = {1000, 5000};
  };
  void packet(Connection& connection, model::Side from, std::uint8_t flags, std::string_view bytes, Time at);

  PartSink& sink_;
  std::vector<Connection> connections_;
};

}  // namespace mcpscan::extract
