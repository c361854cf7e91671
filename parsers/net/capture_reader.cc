#include "net/capture_reader.h"

#include <fmt/format.h>

#include <array>

#include "model/book_reasons.h"
#include "net/pcap_reader.h"
#include "net/pcapng_reader.h"

namespace mcpscan::net {
namespace {

constexpr std::uint32_t kPcapngSection = 0x0a0d0d0a;  // reads the same in both byte orders

struct Magic {
  std::uint32_t value;      // as a little-endian machine loads it
  PcapForm form;
  const char* unsupported;  // the dialect's name where it is not read
};

constexpr std::array<Magic, 10> kMagics{{
    {0xa1b2c3d4, {{false}, false}, nullptr},
    {0xd4c3b2a1, {{true}, false}, nullptr},
    {0xa1b23c4d, {{false}, true}, nullptr},
    {0x4d3cb2a1, {{true}, true}, nullptr},
    {0xa1b2cd34, {}, "the modified pcap of old Linux distributions (24-byte record headers)"},
    {0x34cdb2a1, {}, "the modified pcap of old Linux distributions (24-byte record headers)"},
    {0x1c0001ac, {}, "the pcap of IXIA hardware"},
    {0xac01001c, {}, "the pcap of IXIA hardware"},
    {0x1c0001ab, {}, "the pcap of IXIA software"},
    {0xab01001c, {}, "the pcap of IXIA software"},
}};

const Magic* find_magic(std::uint32_t value) {
  for (const Magic& magic : kMagics) {
    if (magic.value == value) return &magic;
  }
  return nullptr;
}

std::size_t read_head(ByteReader& bytes, std::array<char, 4>& head) {
  std::size_t have = 0;
  while (have < head.size()) {
    const std::size_t got = bytes.read(std::span(head).subspan(have));
    if (got == 0) break;
    have += got;
  }
  return have;
}

}  // namespace

bool looks_like_capture(std::string_view head) {
  if (head.size() < 4) return false;
  const auto magic = load_little<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(head.data()));
  return magic == kPcapngSection || find_magic(magic) != nullptr;
}

Result<std::unique_ptr<CaptureReader>> open_capture(ByteReader& bytes, std::uint32_t input, const Limits& limits) {
  std::array<char, 4> head{};
  if (read_head(bytes, head) < head.size()) return Error{ErrorCode::malformed, "too short for a capture file", "", ""};
  const auto value = load_little<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(head.data()));
  if (value == kPcapngSection) {
    return std::unique_ptr<CaptureReader>(std::make_unique<PcapngReader>(bytes, head, input, limits));
  }
  const Magic* magic = find_magic(value);
  if (magic == nullptr) {
    return Error{ErrorCode::malformed, fmt::format("not a capture file: it begins with 0x{:08x}", __builtin_bswap32(value)), "", ""};
  }
  if (magic->unsupported != nullptr) {
    return Error{ErrorCode::unsupported, fmt::format("{} is not read", magic->unsupported), "", "convert it: editcap -F pcap IN OUT"};
  }
  return std::unique_ptr<CaptureReader>(std::make_unique<PcapReader>(bytes, head, input, limits, magic->form));
}

bool CaptureBase::next(Packet& packet) {
  while (read_packet(packet)) {
    packet.number = ++packets_;
    if (filter_ == nullptr || passes_filter(packet)) return true;
  }
  return false;
}

Status CaptureBase::set_filter(std::string_view expression) {
  auto filter = PacketFilter::compile(expression);
  if (!filter.ok()) return filter.error();
  filter_ = filter.take();
  return {};
}

bool CaptureBase::passes_filter(const Packet& packet) {
  const PacketFilter::Match match = filter_->match(packet);
  if (match == PacketFilter::Match::yes) return true;
  if (match == PacketFilter::Match::not_applicable) {
    books_.ignore("filter-not-applicable");
    note("filter-not-applicable", fmt::format("the filter cannot be applied to link type {}", packet.link_type), packet.offset);
  } else {
    books_.ignore(model::kFiltered);
  }
  return false;
}

void CaptureBase::note(const char* kind, std::string text, std::uint64_t offset) {
  anomalies_.add({kind, std::move(text), {input_, model::PlaceKind::packet, packets_ + 1, offset}, 1});
}

void CaptureBase::note_cut(const char* what, std::uint64_t offset) {
  books_.malform("cut-record");
  note("cut-file", fmt::format("the file ends inside {} that begins at byte {}", what, offset), offset);
}

bool CaptureBase::resynchronize(const char* what, std::string_view claim, std::size_t least, FunctionRef<bool()> likely) {
  const std::uint64_t from = window_.offset();
  const std::string kind = fmt::format("impossible-{}", what);
  books_.malform(kind);
  bool found = false;
  while (!found && window_.offset() - from < limits_.capture_resync_bytes && window_.need(least + 1)) {
    window_.consume(1);
    found = likely();
  }
  stopped_ = !found;
  note(kind.c_str(),
       fmt::format("the {} at byte {} {}; {}", what, from, claim,
                   found ? fmt::format("reading goes on {} bytes later", window_.offset() - from) : fmt::format("no later {} was found", what)),
       from);
  return found;
}

}  // namespace mcpscan::net
