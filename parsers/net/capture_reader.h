// CaptureReader: packets out of a capture file, one after the other. Classic pcap in both byte orders with micro- and
// nanoseconds; pcapng with several sections and interfaces of different link types and clocks (libpcap refuses those) and
// decryption secrets (libpcap hides them). libpcap compiles the filter; it does not read, because it gives the rest of a file
// up at the first impossible record and tells no offsets.
// Reads from a byte stream, so that compressed captures and stdin work alike. A cut file yields its whole records; the
// cut is an anomaly. Sizes in the file are never trusted. Not thread-safe.
// Source: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "model/anomaly.h"

namespace mcpscan::net {

// Number and offset are not neighbours here as they are in a SourceRef: read as one just after they were set, they would be waited for.
struct Packet {
  std::uint64_t number = 0;          // from 1, as Wireshark counts
  Time at;
  std::uint64_t offset = 0;          // of the record in the decoded file
  std::uint32_t link_type = 0;       // LINKTYPE_ value (Ethernet 1, ...)
  std::uint32_t original_length = 0;
  std::span<const std::uint8_t> bytes;  // captured bytes, valid until the next call
  std::uint16_t interface = 0;       // of a pcapng's section, in the order of their descriptions
  bool before_damage = false;        // what follows it in the file is no record: its own end may be foreign bytes
};

class CaptureReader {
 public:
  virtual ~CaptureReader() = default;
  // False at the end of the file.
  virtual bool next(Packet& packet) = 0;
  // Lets only packets through that match a BPF expression (pcap-filter(7)); the others are ignored("filtered") in books().
  // Fails when the expression does not compile. To be called before the first next().
  virtual Status set_filter(std::string_view expression) = 0;
  // Key material found in a pcapng (SSLKEYLOGFILE text), appended as it is met.
  virtual std::string_view secrets() const { return {}; }
  // What next() did not hand out: filtered packets, malformed records, pcapng blocks that hold no packet.
  virtual const model::Books& books() const = 0;
  virtual const model::AnomalyLog& anomalies() const = 0;
  virtual std::string_view format() const = 0;  // "pcap", "pcapng"
};

// True when `head` (the first 4 bytes or more) begins a capture file.
bool looks_like_capture(std::string_view head);

// `bytes` is read until it returns 0 and must outlive the reader. Fails when the head is no capture's, or that of a pcap
// dialect that is recognised but not read (the error names it). `input` goes into the anomalies' places.
Result<std::unique_ptr<CaptureReader>> open_capture(ByteReader& bytes, std::uint32_t input, const Limits& limits);

}  // namespace mcpscan::net
