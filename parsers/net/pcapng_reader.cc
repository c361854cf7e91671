#include "net/pcapng_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace mcpscan::net {
namespace {

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kOldPacket = 2;
constexpr std::uint32_t kSimplePacket = 3;
constexpr std::uint32_t kNameResolution = 4;
constexpr std::uint32_t kInterfaceStatistics = 5;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kDecryptionSecrets = 10;
constexpr std::uint32_t kTlsKeyLog = 0x544c534b;  // "TLSK"

constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr std::size_t kBlockHeaderBytes = 8;
constexpr std::size_t kBlockOverhead = 12;  // type and both lengths
constexpr std::size_t kSectionBytes = 28;   // the shortest section header

constexpr std::uint16_t kOptionTimeResolution = 9;
constexpr std::uint16_t kOptionTimeOffset = 14;

const char* name_of_ignored(std::uint32_t type) {
  switch (type) {
    case kNameResolution: return "pcapng-name-resolution-block";
    case kInterfaceStatistics: return "pcapng-statistics-block";
    default: return "pcapng-other-block";
  }
}

constexpr std::int64_t kMaxSeconds = INT64_MAX / kSecond - 1;

}  // namespace

Time InterfaceClock::time(std::uint64_t ticks) const {
  const unsigned power = resolution & 0x7f;
  std::uint64_t seconds = 0, micros = 0;
  if ((resolution & 0x80) != 0) {
    if (power > 63) return {};
    seconds = ticks >> power;
    std::uint64_t part = ticks - (seconds << power);
    const unsigned kept = std::min(power, 40u);  // 2^-40 s is finer than a microsecond, and the product still fits
    part >>= power - kept;
    micros = part * 1000000 >> kept;
  } else {
    if (power > 19) return {};
    std::uint64_t unit = 1;
    for (unsigned i = 0; i < power; ++i) unit *= 10;
    seconds = ticks / unit;
    const std::uint64_t part = ticks % unit;
    micros = unit >= 1000000 ? part / (unit / 1000000) : part * (1000000 / unit);
  }
  if (seconds > static_cast<std::uint64_t>(kMaxSeconds) || offset_seconds > kMaxSeconds || offset_seconds < -kMaxSeconds) return {};
  const std::int64_t sum = static_cast<std::int64_t>(seconds) + offset_seconds;
  if (sum > kMaxSeconds) return {};
  return {sum * kSecond + static_cast<std::int64_t>(micros)};
}

bool PcapngReader::read_packet(Packet& packet) {
  Block block;
  while (next_block(block)) {
    if (handle(block, packet)) return true;
  }
  return false;
}

// The section header's own length is in the section's byte order, which only its body tells.
bool PcapngReader::begin_section() {
  if (!window_.need(kBlockOverhead)) return false;
  const std::uint8_t* magic = window_.data() + kBlockHeaderBytes;
  if (load_little<std::uint32_t>(magic) == kByteOrderMagic) {
    order_.big = false;
  } else if (load_big32(magic) == kByteOrderMagic) {
    order_.big = true;
  } else {
    return true;  // not a section: the length check, or the search after it, decides
  }
  in_section_ = true;
  interfaces_.clear();
  return true;
}

bool PcapngReader::possible_length(std::uint32_t length) const {
  return length >= kBlockOverhead && length % 4 == 0 && length <= limits_.capture_block_bytes;
}

bool PcapngReader::next_block(Block& block) {
  while (!stopped_) {
    const std::uint64_t offset = window_.offset();
    bool whole = window_.need(kBlockHeaderBytes);
    if (whole && load_little<std::uint32_t>(window_.data()) == kSectionHeader) whole = begin_section();
    const std::uint32_t length = whole ? order_.u32(window_.data() + 4) : 0;
    if (whole && (!in_section_ || !possible_length(length))) {
      if (!find_block(length)) return false;
      continue;
    }
    if (!whole || !window_.need(length)) {
      if (window_.available() > 0) note_cut("a block", offset);
      stopped_ = true;
      return false;
    }
    if (order_.u32(window_.data() + length - 4) != length) {
      if (!find_block(length)) return false;
      continue;
    }
    block = {order_.u32(window_.data()), offset, window_.data() + kBlockHeaderBytes, length - kBlockOverhead};
    window_.consume(length);
    return true;
  }
  return false;
}

// A known type and two lengths that agree.
bool PcapngReader::likely_block() {
  if (!window_.need(kBlockOverhead)) return false;
  const std::uint8_t* at = window_.data();
  if (load_little<std::uint32_t>(at) == kSectionHeader) {
    const std::uint8_t* magic = at + kBlockHeaderBytes;
    return load_little<std::uint32_t>(magic) == kByteOrderMagic || load_big32(magic) == kByteOrderMagic;
  }
  const std::uint32_t type = order_.u32(at), length = order_.u32(at + 4);
  const bool known = (type >= kInterfaceDescription && type <= kEnhancedPacket) || type == kDecryptionSecrets;
  if (!in_section_ || !known || !possible_length(length) || !window_.need(length)) return false;
  return order_.u32(window_.data() + length - 4) == length;
}

bool PcapngReader::find_block(std::uint32_t claimed) {
  return resynchronize("block", fmt::format("claims a length of {}", claimed), kBlockOverhead, [this] { return likely_block(); });
}

bool PcapngReader::handle(const Block& block, Packet& packet) {
  switch (block.type) {
    case kEnhancedPacket: return enhanced_packet(block, packet);
    case kSimplePacket: return simple_packet(block, packet);
    case kOldPacket: return old_packet(block, packet);
    case kInterfaceDescription: add_interface(block); return false;
    case kDecryptionSecrets: add_secrets(block); return false;
    case kSectionHeader:
      if (block.size < kSectionBytes - kBlockOverhead) malformed(block, "a section header that is too short");
      return false;
    default: books_.ignore(name_of_ignored(block.type)); return false;
  }
}

bool PcapngReader::malformed(const Block& block, const char* what) {
  books_.malform("malformed-block");
  note("malformed-block", fmt::format("{} at byte {}", what, block.offset), block.offset);
  return false;
}

bool PcapngReader::fill(const Block& block, std::size_t header, std::uint32_t interface, std::uint32_t captured, Packet& packet) {
  if (interface >= interfaces_.size()) return malformed(block, "a packet of an interface that was not described");
  if (captured > block.size - header) return malformed(block, "a packet longer than its block");
  packet.offset = block.offset;
  packet.link_type = interfaces_[interface].link_type;
  packet.interface = static_cast<std::uint16_t>(interface);
  packet.original_length = std::max(packet.original_length, captured);
  packet.bytes = {block.body + header, captured};
  return true;
}

bool PcapngReader::enhanced_packet(const Block& block, Packet& packet) {
  constexpr std::size_t kHeader = 20;
  if (block.size < kHeader) return malformed(block, "an enhanced packet that is too short");
  const std::uint32_t interface = order_.u32(block.body);
  const std::uint64_t ticks = std::uint64_t{order_.u32(block.body + 4)} << 32 | order_.u32(block.body + 8);
  packet.original_length = order_.u32(block.body + 16);
  if (!fill(block, kHeader, interface, order_.u32(block.body + 12), packet)) return false;
  packet.at = interfaces_[interface].clock.time(ticks);
  return true;
}

bool PcapngReader::old_packet(const Block& block, Packet& packet) {
  constexpr std::size_t kHeader = 20;
  if (block.size < kHeader) return malformed(block, "a packet block that is too short");
  const std::uint32_t interface = order_.u16(block.body);
  const std::uint64_t ticks = std::uint64_t{order_.u32(block.body + 4)} << 32 | order_.u32(block.body + 8);
  packet.original_length = order_.u32(block.body + 16);
  if (!fill(block, kHeader, interface, order_.u32(block.body + 12), packet)) return false;
  packet.at = interfaces_[interface].clock.time(ticks);
  return true;
}

// A simple packet has neither time nor captured length: the snapshot length and the block bound it (section 4.4).
bool PcapngReader::simple_packet(const Block& block, Packet& packet) {
  constexpr std::size_t kHeader = 4;
  if (block.size < kHeader) return malformed(block, "a simple packet that is too short");
  packet.original_length = order_.u32(block.body);
  auto captured = std::min<std::size_t>(packet.original_length, block.size - kHeader);
  if (!interfaces_.empty() && interfaces_[0].snapshot_bytes > 0) captured = std::min<std::size_t>(captured, interfaces_[0].snapshot_bytes);
  packet.at = {};
  return fill(block, kHeader, 0, static_cast<std::uint32_t>(captured), packet);
}

void PcapngReader::add_interface(const Block& block) {
  constexpr std::size_t kHeader = 8;
  if (block.size < kHeader) {
    malformed(block, "an interface description that is too short");
    return;
  }
  if (interfaces_.size() >= limits_.capture_interfaces) {
    note("too-many-interfaces", fmt::format("more than {} interfaces in one section", limits_.capture_interfaces), block.offset);
    return;
  }
  Interface interface{order_.u16(block.body), order_.u32(block.body + 4), {}};
  read_interface_options(block.body + kHeader, block.size - kHeader, interface);
  interfaces_.push_back(interface);
}

void PcapngReader::read_interface_options(const std::uint8_t* from, std::size_t size, Interface& interface) {
  while (size >= 4) {
    const std::uint16_t code = order_.u16(from), length = order_.u16(from + 2);
    const std::size_t padded = 4 + (std::size_t{length} + 3) / 4 * 4;
    if (code == 0 || padded > size) return;
    if (code == kOptionTimeResolution && length == 1) interface.clock.resolution = from[4];
    if (code == kOptionTimeOffset && length == 8) interface.clock.offset_seconds = static_cast<std::int64_t>(order_.u64(from + 4));
    from += padded;
    size -= padded;
  }
}

void PcapngReader::add_secrets(const Block& block) {
  constexpr std::size_t kHeader = 8;
  if (block.size < kHeader || order_.u32(block.body + 4) > block.size - kHeader) {
    malformed(block, "a secrets block longer than itself");
    return;
  }
  if (order_.u32(block.body) != kTlsKeyLog) {
    books_.ignore("pcapng-other-secrets-block");
    return;
  }
  const std::size_t size = order_.u32(block.body + 4);
  if (size > limits_.secrets_bytes - secrets_.size()) {
    note("secrets-limit", fmt::format("more than {} bytes of secrets", limits_.secrets_bytes), block.offset);
    return;
  }
  secrets_.append(reinterpret_cast<const char*>(block.body + kHeader), size);
  if (!secrets_.empty() && secrets_.back() != '\n' && secrets_.size() < limits_.secrets_bytes) secrets_ += '\n';
}

}  // namespace mcpscan::net
