// PcapngReader: pcapng blocks. Several sections (each with its byte order) and interfaces (each with its link type, clock
// resolution and offset); enhanced, simple and old packet blocks; decryption secrets. Other blocks are ignored with a count.
// After a block length that cannot be true it looks for the next block of a known type whose two lengths agree.
// Internal to the module. Source: draft-ietf-opsawg-pcapng sections 3 and 4.
#pragma once

#include <vector>

#include "net/byte_order.h"
#include "net/capture_base.h"

namespace mcpscan::net {

// How an interface counts time: ticks of 10^-n or 2^-n seconds from `offset_seconds` after 1970.
struct InterfaceClock {
  std::uint8_t resolution = 6;  // if_tsresol: the top bit chooses the base 2
  std::int64_t offset_seconds = 0;

  // Unknown when the ticks lie outside what microseconds can say.
  Time time(std::uint64_t ticks) const;
};

class PcapngReader final : public CaptureBase {
 public:
  PcapngReader(ByteReader& bytes, std::span<const char> head, std::uint32_t input, const Limits& limits)
      : CaptureBase(bytes, head, input, limits) {}

  std::string_view format() const override { return "pcapng"; }
  std::string_view secrets() const override { return secrets_; }

 private:
  struct Interface {
    std::uint32_t link_type = 0, snapshot_bytes = 0;
    InterfaceClock clock;
  };
  // One whole block, without its type and lengths.
  struct Block {
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
    const std::uint8_t* body = nullptr;
    std::size_t size = 0;
  };

  bool read_packet(Packet& packet) override;
  bool next_block(Block& block);
  bool begin_section();
  bool possible_length(std::uint32_t length) const;
  bool find_block(std::uint32_t claimed);
  bool likely_block();

  bool handle(const Block& block, Packet& packet);
  bool enhanced_packet(const Block& block, Packet& packet);
  bool simple_packet(const Block& block, Packet& packet);
  bool old_packet(const Block& block, Packet& packet);
  bool fill(const Block& block, std::size_t header, std::uint32_t interface, std::uint32_t captured, Packet& packet);
  void add_interface(const Block& block);
  void read_interface_options(const std::uint8_t* from, std::size_t size, Interface& interface);
  void add_secrets(const Block& block);
  bool malformed(const Block& block, const char* what);

  FileOrder order_;
  bool in_section_ = false;
  std::vector<Interface> interfaces_;
  std::string secrets_;
};

}  // namespace mcpscan::net
