// module: net
// Any bytes as a capture file, pcap or pcapng: every record is a packet or in the books, and nothing is read out of bounds.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "net/capture_reader.h"

namespace {

class Input final : public mcpscan::ByteReader {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t read(std::span<char> to) override {
    const std::size_t step = std::min({to.size(), size_ - at_, std::size_t{999}});
    std::copy_n(data_ + at_, step, to.data());
    at_ += step;
    return step;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
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
