// StreamAnalyzer: what reads the ordered bytes of one connection. Contract: the same calls to the next stage for every
// split of the same bytes; a gap is an event, never bytes; after a gap the analyzer goes to a safe point (the next
// message that parses) or gives the connection up. Not thread-safe; one object a connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/time.h"
#include "model/flow.h"
#include "model/observation.h"

namespace mcpscan::model {

enum class Side : std::uint8_t { client, server };  // who sent the bytes

// When and where bytes were seen: the packet that carried (the last of) them.
struct Stamp {
  Time at;
  SourceRef source;
};

class StreamAnalyzer {
 public:
  virtual ~StreamAnalyzer() = default;
  // `bytes` are valid during the call only.
  virtual void feed(Side from, std::string_view bytes, const Stamp& stamp) = 0;
  // `length` bytes of this side are missing here (0: unknown).
  virtual void gap(Side from, std::uint64_t length, const Stamp& stamp) = 0;
  // This side sent FIN: no more bytes from it.
  virtual void half_close(Side from, const Stamp& stamp) = 0;
  // The connection is over for the reason given. Nothing is called after it.
  virtual void finish(EndReason reason, const Stamp& stamp) = 0;
  // False once the analyzer has seen that these bytes are none of its business; the caller drops the flow and counts it.
  virtual bool interested() const { return true; }
};

// One TCP connection as its analyzer is told about it.
struct FlowInfo {
  FlowKey key;
  std::uint64_t connection = 0;  // unique within the input set, never 0
  bool saw_start = false;        // the handshake was captured
  bool saw_server = false;       // so was a packet of the server before the client spoke: what it sends is in the evidence
  Scheme scheme = Scheme::http;  // https: the bytes came out of TLS
};

}  // namespace mcpscan::model
