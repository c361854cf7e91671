#include "net/pcap_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace mcpscan::net {
namespace {

constexpr std::size_t kFileHeaderBytes = 24;
constexpr std::size_t kRecordHeaderBytes = 16;
constexpr std::uint32_t kLinkTypeMask = 0x0000ffff;       // the upper bits tell the length of a frame check sequence
constexpr std::int64_t kLikelySeconds = 7 * 24 * 3600;    // a record after damage lies within a week of the one before
constexpr std::uint32_t kLikelyOriginalBytes = 16u << 20;

}  // namespace

PcapReader::PcapReader(ByteReader& bytes, std::span<const char> head, std::uint32_t input, const Limits& limits, PcapForm form)
    : CaptureBase(bytes, head, input, limits), form_(form) {
  read_file_header();
}

void PcapReader::read_file_header() {
  if (!window_.need(kFileHeaderBytes)) {
    note_cut("the file header", 0);
    stopped_ = true;
    return;
  }
  const std::uint8_t* header = window_.data();
  const std::uint16_t minor = form_.order.u16(header + 6);
  lengths_swapped_ = form_.order.u16(header + 4) == 2 && minor < 3;  // as libpcap reads files of that age
  link_type_ = form_.order.u32(header + 20) & kLinkTypeMask;
  window_.consume(kFileHeaderBytes);
}

PcapReader::RecordHeader PcapReader::record_header(const std::uint8_t* at) const {
  RecordHeader header;
  header.seconds = form_.order.u32(at);
  header.fraction = form_.order.u32(at + 4);
  header.captured = form_.order.u32(at + 8);
  header.original = form_.order.u32(at + 12);
  if (lengths_swapped_) std::swap(header.captured, header.original);
  return header;
}

bool PcapReader::read_packet(Packet& packet) {
  if (stopped_) return false;
  while (window_.need(kRecordHeaderBytes)) {
    const RecordHeader header = record_header(window_.data());
    if (!possible(header)) {
      const std::string claim = fmt::format("claims {} captured bytes", header.captured);
      if (!resynchronize("record", claim, kRecordHeaderBytes, [this] { return likely_chain(); })) return false;
      continue;
    }
    const std::uint64_t offset = window_.offset();
    const std::size_t size = kRecordHeaderBytes + header.captured;
    if (!window_.need(size)) break;
    packet.before_damage = damage_at(size);
    packet.offset = offset;
    packet.at = {header.seconds * kSecond + (form_.nanoseconds ? header.fraction / 1000 : header.fraction)};
    packet.link_type = link_type_;
    packet.original_length = std::max(header.original, header.captured);
    packet.bytes = {window_.data() + kRecordHeaderBytes, header.captured};
    last_seconds_ = header.seconds;
    window_.consume(size);
    return true;
  }
  if (window_.available() > 0) note_cut("a record", window_.offset());
  stopped_ = true;
  return false;
}

// Whether what follows `size` bytes on is no whole record: impossible, nothing but zeros, or cut by the end of the file.
bool PcapReader::damage_at(std::size_t size) {
  if (!window_.need(size + kRecordHeaderBytes)) return false;
  const RecordHeader next = record_header(window_.data() + size);
  return !possible(next) || (next.captured == 0 && next.original == 0) || !window_.need(size + kRecordHeaderBytes + next.captured);
}

bool PcapReader::likely(const RecordHeader& header) const {
  const std::uint32_t fractions = form_.nanoseconds ? 1000000000u : 1000000u;
  const bool time_fits = last_seconds_ < 0 || std::abs(header.seconds - last_seconds_) <= kLikelySeconds;
  return possible(header) && time_fits && header.fraction < fractions && header.captured > 0 && header.captured <= header.original &&
         header.original <= kLikelyOriginalBytes;
}

// Two headers in a row, or one whose record ends with the file: three lengths and two times that fit by chance are rare.
bool PcapReader::likely_chain() {
  if (!window_.need(kRecordHeaderBytes)) return false;
  const RecordHeader first = record_header(window_.data());
  if (!likely(first)) return false;
  const std::size_t second = kRecordHeaderBytes + first.captured;
  if (!window_.need(second + kRecordHeaderBytes)) return window_.available() == second;
  return likely(record_header(window_.data() + second));
}

}  // namespace mcpscan::net
