// module: net
// Any bytes as a capture file, pcap or pcapng: every record is a packet or in the books, and nothing is read out of bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz/pieces.h"
#include "net/capture_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcpscan::tests::Pieces input({reinterpret_cast<const char*>(data), size}, 999);
  mcpscan::Limits limits;
  limits.packet_bytes = 4096;
  limits.capture_block_bytes = 8192;
  limits.capture_resync_bytes = 65536;
  auto reader = mcpscan::net::open_capture(input, 0, limits);
  if (!reader.ok()) return 0;
  if (size % 3 == 0 && !(*reader)->set_filter("tcp port 80").ok()) std::abort();
  mcpscan::net::Packet packet;
  std::uint64_t last = 0, sum = 0;
  while ((*reader)->next(packet)) {
    if (packet.number <= last || packet.bytes.size() > limits.capture_block_bytes || packet.bytes.size() > packet.original_length) std::abort();
    last = packet.number;
    for (const std::uint8_t byte : packet.bytes) sum += byte;
  }
  if ((*reader)->secrets().size() > limits.secrets_bytes) std::abort();
  return sum == 1 ? 1 : 0;
}
