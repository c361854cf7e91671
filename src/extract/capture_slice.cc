#include "extract/capture_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "extract/recorded_bytes.h"
#include "net/byte_order.h"
#include "net/ip_layer.h"
#include "net/link_layer.h"
#include "net/tcp_segment.h"

namespace mcpscan::extract {
namespace {

constexpr std::size_t kPcapHeaderBytes = 24, kPcapRecordBytes = 16;
constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a, kInterfaceDescription = 1, kBigEndianMagic = 0x1a2b3c4d;
constexpr std::size_t kLeastBlockBytes = 12;
constexpr std::size_t kRandomAt = 11, kRandomBytes = 32;  // RFC 8446 section 4.1.2: record, handshake header, version before it

struct Addressed {
  net::IpPacket ip;
  net::TcpSegment tcp;
  bool has_ports = false;
};

std::optional<Addressed> read_addresses(const net::Packet& packet) {
  net::Frame frame;
  Addressed read;
  if (net::read_link(packet, frame) || net::read_ip(frame, read.ip) || read.ip.protocol != net::kProtocolTcp) return std::nullopt;
  read.has_ports = read.ip.fragment_offset == 0 && !net::read_tcp(read.ip, read.tcp);
  return read;
}

FlowEnds ends_of(const Addressed& read) {
  FlowEnds ends{{read.ip.source, read.tcp.source_port}, {read.ip.destination, read.tcp.destination_port}};
  if (ends.other < ends.one) std::swap(ends.one, ends.other);
  return ends;
}

std::pair<HostAddress, HostAddress> hosts_of(const net::IpPacket& ip) { return std::minmax(ip.source, ip.destination); }

// The random of a ClientHello that begins this segment; empty: it is none.
std::string client_random(const net::Packet& packet) {
  const auto read = read_addresses(packet);
  if (!read || !read->has_ports) return {};
  const std::string_view bytes = read->tcp.payload;
  if (bytes.size() < kRandomAt + kRandomBytes || bytes[0] != 0x16 || bytes[1] != 0x03 || bytes[5] != 0x01) return {};
  std::string hex;
  for (const char c : bytes.substr(kRandomAt, kRandomBytes)) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

// Copies of a pcapng what every packet block needs: section headers and interface descriptions.
class BlockCopy {
 public:
  explicit BlockCopy(PartSink& sink) : sink_(sink) {}

  // The length of the block at the front of `bytes`; 0 when there is no whole one.
  std::size_t length_at(std::string_view bytes) {
    if (bytes.size() < kLeastBlockBytes) return 0;
    if (value(bytes, 0) == kSectionHeader) big_ = load_big(bytes, 8) == kBigEndianMagic;
    const std::size_t length = value(bytes, 4);
    return length >= kLeastBlockBytes && length <= bytes.size() ? length : 0;
  }

  // Blocks before the next packet; damage ends the walk.
  void between(std::string_view bytes) {
    while (const std::size_t length = length_at(bytes)) {
      const std::uint32_t type = value(bytes, 0);
      if (type == kSectionHeader || type == kInterfaceDescription) sink_.write(bytes.substr(0, length));
      bytes.remove_prefix(length);
    }
  }

 private:
  static std::uint32_t load_big(std::string_view bytes, std::size_t at) {
    return net::load_big32(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at);
  }
  std::uint32_t value(std::string_view bytes, std::size_t at) const {
    const std::uint32_t big = load_big(bytes, at);
    return big_ ? big : __builtin_bswap32(big);
  }

  PartSink& sink_;
  bool big_ = false;
};

class CaptureSlicer {
 public:
  CaptureSlicer(RecordedBytes& bytes, net::CaptureReader& reader, const FlowChoice& choice, PartSink& sink)
      : bytes_(bytes), reader_(reader), choice_(choice), sink_(sink), blocks_(sink), is_pcapng_(reader.format() == "pcapng") {}

  void run() {
    if (!is_pcapng_) sink_.write(bytes_.between(0, kPcapHeaderBytes));
    for (net::Packet packet; reader_.next(packet);) take(packet);
    if (is_pcapng_ && slice_.total == 0) blocks_.between(bytes_.between(done_, bytes_.end()));
  }
  Slice take_slice() { return std::move(slice_); }
  std::set<std::string> take_randoms() { return std::move(randoms_); }

 private:
  void take(const net::Packet& packet) {
    ++slice_.total;
    const std::uint64_t end = is_pcapng_ ? end_of_block(packet.offset) : packet.offset + kPcapRecordBytes + packet.bytes.size();
    if (choice_.wants(packet)) {
      sink_.write(bytes_.between(packet.offset, end));
      ++slice_.kept;
      slice_.ranges.add(packet.number, packet.number);
      if (std::string random = client_random(packet); !random.empty()) randoms_.insert(std::move(random));
    }
    done_ = end;
    bytes_.drop_before(end);
  }

  std::uint64_t end_of_block(std::uint64_t offset) {
    blocks_.between(bytes_.between(done_, offset));
    return offset + blocks_.length_at(bytes_.between(offset, bytes_.end()));
  }

  RecordedBytes& bytes_;
  net::CaptureReader& reader_;
  const FlowChoice& choice_;
  PartSink& sink_;
  BlockCopy blocks_;
  bool is_pcapng_;
  std::uint64_t done_ = 0;
  Slice slice_;
  std::set<std::string> randoms_;
};

}  // namespace

void FlowChoice::choose(const net::Packet& packet) {
  const auto read = read_addresses(packet);
  if (!read) return;
  if (!read->has_ports) return void(fragmented_.insert(hosts_of(read->ip)));
  flows_.insert(ends_of(*read));
  hosts_.insert(hosts_of(read->ip));
}

bool FlowChoice::wants(const net::Packet& packet) const {
  if (all_) return true;
  const auto read = read_addresses(packet);
  if (!read) return false;
  const auto hosts = hosts_of(read->ip);
  if (read->ip.fragment && (hosts_.contains(hosts) || fragmented_.contains(hosts))) return true;
  return read->has_ports && flows_.contains(ends_of(*read));
}

Result<FlowChoice> choose_flows(ByteReader& bytes, const PlaceSet& kept, const Limits& limits) {
  auto reader = net::open_capture(bytes, 0, limits);
  if (!reader) return reader.error();
  FlowChoice choice;
  for (net::Packet packet; (*reader)->next(packet);) {
    if (kept.holds(packet.number)) choice.choose(packet);
  }
  return choice;
}

Result<CaptureSlice> slice_capture(ByteReader& bytes, const FlowChoice& choice, const Limits& limits, PartSink& sink) {
  RecordedBytes recorded(bytes);
  auto reader = net::open_capture(recorded, 0, limits);
  if (!reader) return reader.error();
  CaptureSlicer slicer(recorded, **reader, choice, sink);
  slicer.run();
  return CaptureSlice{slicer.take_slice(), std::string((*reader)->secrets()), slicer.take_randoms()};
}

}  // namespace mcpscan::extract
