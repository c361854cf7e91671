#include "extract/packet_writer.h"

#include <string>

namespace mcpscan::extract {
namespace {

using model::Endpoint;
using model::Side;

constexpr std::uint32_t kLinkRaw = 101;
constexpr std::size_t kSegmentBytes = 1400;
constexpr std::uint8_t kFin = 1, kSyn = 2, kReset = 4, kPush = 8, kAck = 16;
constexpr std::uint8_t kTcp = 6, kHops = 64;

void big16(std::string& to, std::uint32_t value) { to += {static_cast<char>(value >> 8), static_cast<char>(value)}; }
void big32(std::string& to, std::uint32_t value) { big16(to, value >> 16), big16(to, value); }
void little32(std::string& to, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(value >> shift);
}

// RFC 1071.
std::uint16_t checksum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (i % 2 == 0 ? 8 : 0);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

void set16(std::string& in, std::size_t at, std::uint16_t value) {
  in[at] = static_cast<char>(value >> 8);
  in[at + 1] = static_cast<char>(value);
}

std::string address_bytes(const Endpoint& end) { return {reinterpret_cast<const char*>(end.address.data()), end.ipv6 ? 16u : 4u}; }

std::string ip_packet(const Endpoint& from, const Endpoint& to, const std::string& tcp) {
  std::string ip;
  if (from.ipv6) {
    big32(ip, 0x60000000);
    big16(ip, static_cast<std::uint32_t>(tcp.size()));
    ip += {static_cast<char>(kTcp), static_cast<char>(kHops)};
    return ip + address_bytes(from) + address_bytes(to) + tcp;
  }
  big16(ip, 0x4500);
  big16(ip, static_cast<std::uint32_t>(20 + tcp.size()));
  big32(ip, 0x00004000);  // do not fragment
  ip += {static_cast<char>(kHops), static_cast<char>(kTcp), 0, 0};
  ip += address_bytes(from) + address_bytes(to);
  set16(ip, 10, checksum(ip));
  return ip + tcp;
}

}  // namespace

PacketWriter::PacketWriter(PartSink& sink) : sink_(sink) {
  std::string header;
  for (const std::uint32_t word : {0xa1b2c3d4u, 0x00040002u, 0u, 0u, 262144u, kLinkRaw}) little32(header, word);
  sink_.write(header);
}

std::size_t PacketWriter::open(const Endpoint& client, const Endpoint& server, Time at) {
  connections_.push_back({{client, server}});
  Connection& connection = connections_.back();
  packet(connection, Side::client, kSyn, {}, at);
  ++connection.next[0];
  packet(connection, Side::server, kSyn | kAck, {}, at);
  ++connection.next[1];
  packet(connection, Side::client, kAck, {}, at);
  return connections_.size() - 1;
}

void PacketWriter::send(std::size_t number, Side from, std::string_view bytes, Time at) {
  Connection& connection = connections_[number];
  while (!bytes.empty()) {
    const std::string_view segment = bytes.substr(0, kSegmentBytes);
    packet(connection, from, kPush | kAck, segment, at);
    connection.next[static_cast<int>(from)] += static_cast<std::uint32_t>(segment.size());
    bytes.remove_prefix(segment.size());
  }
}

void PacketWriter::skip(std::size_t number, Side from, std::uint32_t bytes) { connections_[number].next[static_cast<int>(from)] += bytes; }

void PacketWriter::close(std::size_t number, Side from, Time at) {
  packet(connections_[number], from, kFin | kAck, {}, at);
  ++connections_[number].next[static_cast<int>(from)];
}

void PacketWriter::reset(std::size_t number, Side from, Time at) { packet(connections_[number], from, kReset | kAck, {}, at); }

void PacketWriter::packet(Connection& connection, Side from, std::uint8_t flags, std::string_view bytes, Time at) {
  const int mine = static_cast<int>(from), other = 1 - mine;
  const Endpoint &source = connection.ends[mine], &target = connection.ends[other];
  std::string tcp;
  big16(tcp, source.port);
  big16(tcp, target.port);
  big32(tcp, connection.next[mine]);
  big32(tcp, (flags & kAck) != 0 ? connection.next[other] : 0);
  tcp += {0x50, static_cast<char>(flags)};
  big16(tcp, 65535);
  big32(tcp, 0);  // checksum, urgent pointer
  tcp += bytes;
  std::string pseudo = address_bytes(source) + address_bytes(target);
  big32(pseudo, static_cast<std::uint32_t>(tcp.size()));
  big32(pseudo, kTcp);
  set16(tcp, 16, checksum(pseudo + tcp));
  const std::string ip = ip_packet(source, target, tcp);
  const std::int64_t us = at.known() ? at.us : 0;
  std::string record;
  little32(record, static_cast<std::uint32_t>(us / kSecond));
  little32(record, static_cast<std::uint32_t>(us % kSecond));
  little32(record, static_cast<std::uint32_t>(ip.size()));
  little32(record, static_cast<std::uint32_t>(ip.size()));
  sink_.write(record + ip);
}

}  // namespace mcpscan::extract
