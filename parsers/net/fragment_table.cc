#include "net/fragment_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace mcpscan::net {
namespace {

constexpr std::uint32_t kLargestDatagram = 65535;
constexpr Refusal kIncomplete{"fragment-incomplete", 0, true};
constexpr Refusal kBadFragment{"fragment-length", 0, true};
constexpr Refusal kCutFragment{"fragment-cut", 0, false};

Refusal refusal_of(const IpPacket& ip) {
  const bool uneven = ip.more_fragments && ip.payload_length % 8 != 0;
  if (ip.payload_length == 0 || ip.payload_length > kLargestDatagram - ip.fragment_offset || uneven) return kBadFragment;
  return ip.payload.size() < ip.payload_length ? kCutFragment : Refusal{};
}

}  // namespace

std::uint64_t FragmentTable::add(IpPacket& ip, const model::Stamp& stamp, std::int64_t now, std::uint64_t packets) {
  expire(now);
  if (const Refusal refusal = refusal_of(ip)) {
    books_.refuse(refusal, packets);
    return 0;
  }
  const Entry entry = find_or_begin(ip, stamp, now);
  if (!put(entry->second, ip, stamp)) {
    books_.refuse(kBadFragment, packets);
    return 0;
  }
  Datagram& datagram = entry->second;
  datagram.packets += packets;
  if (datagram.length == 0 || datagram.covered < datagram.length) {
    while (cost_ > limits_.fragment_bytes) drop_oldest("bytes", limits_.fragment_bytes);
    return 0;
  }
  const std::uint64_t all = datagram.packets;
  assemble(entry->second, ip);
  forget(entry);
  return all;
}

// Nothing may lie beyond the last fragment: then as many bytes as the length are all of them, since pieces never overlap.
bool FragmentTable::contradicts(const Datagram& datagram, std::uint32_t end, bool last) {
  if (datagram.length != 0 && (end > datagram.length || (last && end != datagram.length))) return true;
  return last && end < datagram.reach;
}

bool FragmentTable::put(Datagram& datagram, const IpPacket& ip, const model::Stamp& stamp) {
  const std::uint32_t begin = ip.fragment_offset, end = begin + ip.payload_length;
  if (contradicts(datagram, end, !ip.more_fragments)) return false;
  if (!ip.more_fragments) datagram.length = end;
  datagram.reach = std::max(datagram.reach, end);
  cost_ -= datagram.pieces.cost();
  const auto added = datagram.pieces.add(begin, end, {reinterpret_cast<const char*>(ip.payload.data()), ip.payload.size()}, 0, stamp);
  cost_ += datagram.pieces.cost();
  datagram.covered += ip.payload_length - static_cast<std::uint32_t>(added.duplicate_bytes);
  if (added.differs) anomalies_->add({"fragment-overlap", "an IP fragment repeats bytes with another content; the first copy counts", stamp.source, 1});
  return true;
}

FragmentTable::Entry FragmentTable::find_or_begin(const IpPacket& ip, const model::Stamp& stamp, std::int64_t now) {
  const Key key = key_of(ip);
  const auto found = datagrams_.find(key);
  if (found != datagrams_.end()) return found;
  if (datagrams_.size() >= limits_.fragments) drop_oldest("datagrams", limits_.fragments);
  const auto entry = datagrams_.try_emplace(key).first;
  entry->second.begun = now;
  entry->second.first = stamp;
  entry->second.age = by_age_.insert(by_age_.end(), key);
  return entry;
}

void FragmentTable::assemble(Datagram& datagram, IpPacket& ip) {
  whole_.assign(datagram.length, 0);
  while (!datagram.pieces.empty()) {
    const std::size_t at = datagram.pieces.head();
    cost_ -= datagram.pieces.cost();
    const Piece piece = datagram.pieces.pop();
    cost_ += datagram.pieces.cost();
    std::copy(piece.bytes.begin(), piece.bytes.end(), whole_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  ip.payload = whole_;
  ip.payload_length = datagram.length;
  ip.fragment = ip.more_fragments = false;
  ip.fragment_offset = 0;
}

void FragmentTable::forget(Entry entry) {
  cost_ -= entry->second.pieces.cost();
  by_age_.erase(entry->second.age);
  datagrams_.erase(entry);
}

void FragmentTable::give_up(Entry entry) {
  books_.refuse(kIncomplete, entry->second.packets);
  anomalies_->add({"fragment-incomplete", "the other fragments of an IP datagram are not in the capture", entry->second.first.source, 1});
  forget(entry);
}

void FragmentTable::drop_oldest(const char* bound, std::size_t limit) {
  const Entry oldest = datagrams_.find(by_age_.front());
  anomalies_->add({"fragment-table-full", fmt::format("more than {} {} of incomplete IP datagrams; the oldest is given up", limit, bound),
                  oldest->second.first.source, 1});
  give_up(oldest);
}

void FragmentTable::expire(std::int64_t now) {
  while (!by_age_.empty()) {
    const Entry oldest = datagrams_.find(by_age_.front());
    if (now - oldest->second.begun <= limits_.fragment_age_us) return;
    give_up(oldest);
  }
}

void FragmentTable::finish() {
  while (!by_age_.empty()) give_up(datagrams_.find(by_age_.front()));
}

}  // namespace mcpscan::net
