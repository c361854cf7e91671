// FragmentTable: puts fragmented IP datagrams together. The first copy of a byte wins. Bounded by datagrams, bytes and age;
// what does not complete is counted as malformed. Not thread-safe. Source: RFC 791 section 3.2, RFC 8200 section 4.5, RFC 5722.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "base/limits.h"
#include "model/anomaly.h"
#include "net/ip_layer.h"
#include "net/packet_books.h"
#include "net/piece_buffer.h"

namespace mcpscan::net {

class FragmentTable {
 public:
  FragmentTable(const Limits& limits, PacketBooks& books, model::AnomalyLog*& anomalies)
      : limits_(limits), books_(books), anomalies_(anomalies) {}

  // How many packets made the datagram that `ip` now holds whole (its payload valid until the next call); 0: not yet whole.
  // `packets`: how many the fragment itself came in, where it was inside of another datagram.
  std::uint64_t add(IpPacket& ip, const model::Stamp& stamp, std::int64_t now, std::uint64_t packets = 1);
  // Whether other fragments of the same datagram wait.
  bool knows(const IpPacket& ip) const { return datagrams_.contains(key_of(ip)); }
  // Gives everything incomplete up.
  void finish();

 private:
  struct Key {
    std::array<std::uint8_t, 16> source, destination;
    std::uint32_t vlan, id;
    std::uint8_t protocol;
    bool ipv6;
    auto operator<=>(const Key&) const = default;
  };
  struct Datagram {
    PieceBuffer pieces;
    std::uint32_t covered = 0;       // bytes present
    std::uint32_t reach = 0;         // end of the last byte present
    std::uint32_t length = 0;        // 0: the last fragment was not seen
    std::uint64_t packets = 0;
    std::int64_t begun = 0;
    model::Stamp first;
    std::list<Key>::iterator age;
  };
  using Entry = std::map<Key, Datagram>::iterator;

  static Key key_of(const IpPacket& ip) { return {ip.source, ip.destination, ip.vlan, ip.fragment_id, ip.protocol, ip.ipv6}; }
  Entry find_or_begin(const IpPacket& ip, const model::Stamp& stamp, std::int64_t now);
  static bool contradicts(const Datagram& datagram, std::uint32_t end, bool last);
  bool put(Datagram& datagram, const IpPacket& ip, const model::Stamp& stamp);
  void assemble(Datagram& datagram, IpPacket& ip);
  void give_up(Entry entry);
  void drop_oldest(const char* bound, std::size_t limit);
  void forget(Entry entry);
  void expire(std::int64_t now);

  const Limits& limits_;
  PacketBooks& books_;
  model::AnomalyLog*& anomalies_;  // of the file being read
  std::map<Key, Datagram> datagrams_;
  std::list<Key> by_age_;            // oldest first
  std::size_t cost_ = 0;
  std::vector<std::uint8_t> whole_;  // the datagram handed out last
};

}  // namespace mcpscan::net
