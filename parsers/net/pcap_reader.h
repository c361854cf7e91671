// PcapReader: classic pcap. After a record header that cannot be true it looks for the next place where two record headers
// in a row make sense. Internal to the module. Source: draft-ietf-opsawg-pcap.
#pragma once

#include "net/byte_order.h"
#include "net/capture_base.h"

namespace mcpscan::net {

struct PcapForm {
  FileOrder order;
  bool nanoseconds = false;
};

class PcapReader final : public CaptureBase {
 public:
  PcapReader(ByteReader& bytes, std::span<const char> head, std::uint32_t input, const Limits& limits, PcapForm form);
  std::string_view format() const override { return "pcap"; }

 private:
  struct RecordHeader {
    std::int64_t seconds = 0;
    std::uint32_t fraction = 0, captured = 0, original = 0;
  };

  bool read_packet(Packet& packet) override;
  void read_file_header();
  RecordHeader record_header(const std::uint8_t* at) const;
  bool possible(const RecordHeader& header) const { return header.captured <= limits_.packet_bytes; }
  bool damage_at(std::size_t size);
  bool likely(const RecordHeader& header) const;
  bool likely_chain();

  PcapForm form_;
  std::uint32_t link_type_ = 0;
  bool lengths_swapped_ = false;
  std::int64_t last_seconds_ = -1;  // of the last good record
};

}  // namespace mcpscan::net
