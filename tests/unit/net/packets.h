// Builds packets and captures byte by byte for the tests of the net module, and records what a FlowTable hands out.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "net/flow_table.h"

namespace mcpscan::tests {

inline std::string big16(std::uint32_t value) { return {static_cast<char>(value >> 8 & 0xff), static_cast<char>(value & 0xff)}; }
inline std::string big32(std::uint32_t value) { return big16(value >> 16) + big16(value & 0xffff); }
inline std::string little32(std::uint32_t value) {
  std::string text = big32(value);
  return {text.rbegin(), text.rend()};
}
inline std::string little16(std::uint32_t value) {
  std::string text = big16(value);
  return {text.rbegin(), text.rend()};
}

constexpr std::uint32_t kFin = 1, kSyn = 2, kRst = 4, kPush = 8, kAck = 16;

struct Tcp {
  std::uint32_t sequence = 0, acknowledgement = 0, flags = kAck;
  std::string_view payload;
  std::uint16_t from = 40000, to = 8000;
};

inline std::string tcp_bytes(const Tcp& tcp) {
  return big16(tcp.from) + big16(tcp.to) + big32(tcp.sequence) + big32(tcp.acknowledgement) + std::string("\x50", 1) +
         static_cast<char>(tcp.flags) + big16(65535) + big16(0) + big16(0) + std::string(tcp.payload);
}

struct Ipv4 {
  std::string source{"\x0a\x00\x00\x01", 4}, destination{"\x0a\x00\x00\x02", 4};
  std::uint32_t protocol = 6, id = 0, fragment = 0;  // fragment: flags and offset field
};

inline std::string ipv4_bytes(std::string_view payload, const Ipv4& ip = {}) {
  return std::string("\x45\x00", 2) + big16(static_cast<std::uint32_t>(20 + payload.size())) + big16(ip.id) + big16(ip.fragment) + "\x40" +
         static_cast<char>(ip.protocol) + big16(0) + ip.source + ip.destination + std::string(payload);
}

inline std::string ethernet(std::string_view ip, std::uint32_t type = 0x0800) { return std::string(12, '\2') + big16(type) + std::string(ip); }

// Hands bytes out in pieces of `step`.
class Bytes final : public ByteReader {
 public:
  explicit Bytes(std::string bytes, std::size_t step = 1 << 20) : bytes_(std::move(bytes)), step_(step) {}
  std::size_t read(std::span<char> to) override {
    const std::size_t size = bytes_.copy(to.data(), std::min(to.size(), step_), at_);
    at_ += size;
    return size;
  }

 private:
  std::string bytes_;
  std::size_t step_, at_ = 0;
};

// What analyzers were told, as text: "C abc" bytes of the client, "S ..." of the server, "C gap 5", "C fin", "end reset-by-client".
// Bytes of one side and connection that follow each other are one entry, so that segmentation does not show.
struct Told {
 public:
  std::vector<std::string> events;
  std::vector<model::FlowInfo> flows;
  std::vector<std::uint64_t> packets;  // of each feed()
  bool interested = true;

  void add(std::string event) {
    events.push_back(std::move(event));
    open_side = '\0';
  }
  void bytes(std::uint64_t connection, char side, std::string_view text) {
    if (open_side == side && open_connection == connection) {
      events.back() += text;
      return;
    }
    events.push_back(std::string(1, side) + " " + std::string(text));
    open_side = side;
    open_connection = connection;
  }

 private:
  char open_side = '\0';  // of the last entry, where that is bytes
  std::uint64_t open_connection = 0;
};

inline std::string name_of(model::EndReason reason) {
  switch (reason) {
    case model::EndReason::unknown: return "unknown";
    case model::EndReason::complete: return "complete";
    case model::EndReason::closed_by_client: return "closed-by-client";
    case model::EndReason::closed_by_server: return "closed-by-server";
    case model::EndReason::reset_by_client: return "reset-by-client";
    case model::EndReason::reset_by_server: return "reset-by-server";
    case model::EndReason::evidence_ends: return "evidence-ends";
    case model::EndReason::evidence_gap: return "evidence-gap";
  }
  return "?";
}

class Recorder final : public model::StreamAnalyzer {
 public:
  Recorder(Told& told, std::uint64_t connection) : told_(told), connection_(connection) {}
  void feed(model::Side from, std::string_view bytes, const model::Stamp& stamp) override {
    told_.bytes(connection_, letter(from), bytes);
    told_.packets.push_back(stamp.source.number);
  }
  void gap(model::Side from, std::uint64_t length, const model::Stamp&) override {
    told_.add(std::string(1, letter(from)) + " gap " + std::to_string(length));
  }
  void half_close(model::Side from, const model::Stamp&) override { told_.add(std::string(1, letter(from)) + " fin"); }
  void finish(model::EndReason reason, const model::Stamp&) override { told_.add("end " + name_of(reason)); }
  bool interested() const override { return told_.interested; }

 private:
  static char letter(model::Side side) { return side == model::Side::client ? 'C' : 'S'; }
  Told& told_;
  std::uint64_t connection_;
};

// A FlowTable with its books and a recorder for every connection.
class Table {
 public:
  explicit Table(Limits limits_in = {})
      : limits(limits_in),
        flows(limits, 0,
              [this](const model::FlowInfo& info, std::string_view) {
                told.flows.push_back(info);
                return std::make_unique<Recorder>(told, info.connection);
              },
              books, anomalies, next_connection) {}

  // One packet of raw IP (or another link type), `cut` bytes short of its original length.
  void packet(std::string_view bytes, std::uint32_t link = 101, std::size_t cut = 0) {
    net::Packet packet;
    packet.number = ++number;
    packet.at = {at_us};
    packet.link_type = link;
    packet.original_length = static_cast<std::uint32_t>(bytes.size());
    packet.bytes = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size() - cut};
    flows.add(packet);
  }
  // A segment of the client (10.0.0.1:40000) or the server (10.0.0.2:8000); 1 ms after the one before.
  void client(std::uint32_t sequence, std::uint32_t ack, std::string_view payload = {}, std::uint32_t flags = kAck, std::size_t cut = 0) {
    at_us += 1000;
    packet(ipv4_bytes(tcp_bytes({sequence, ack, flags, payload, 40000, 8000})), 101, cut);
  }
  void server(std::uint32_t sequence, std::uint32_t ack, std::string_view payload = {}, std::uint32_t flags = kAck, std::size_t cut = 0) {
    at_us += 1000;
    Ipv4 ip;
    std::swap(ip.source, ip.destination);
    packet(ipv4_bytes(tcp_bytes({sequence, ack, flags, payload, 8000, 40000}), ip), 101, cut);
  }
  // SYN, SYN-ACK, ACK; the first bytes are 1001 (client) and 5001 (server).
  void handshake() {
    client(1000, 0, {}, kSyn);
    server(5000, 1001, {}, kSyn | kAck);
    client(1001, 5001);
  }
  // A packet of another connection, so that time passes.
  void wait(std::int64_t us) {
    at_us += us;
    for (int i = 0; i < 2; ++i) packet(ipv4_bytes("", {{"\x09\x00\x00\x01", 4}, {"\x09\x00\x00\x02", 4}, 17, 0, 0}));
  }
  const std::vector<std::string>& finish() {
    flows.finish({at_us});
    return told.events;
  }
  bool books_add_up() const {
    std::uint64_t sum = books.used;
    for (const auto& [reason, count] : books.ignored) sum += count;
    for (const auto& [reason, count] : books.malformed) sum += count;
    return sum == books.total && books.total == number;
  }
  bool has(const std::string& anomaly) const { return anomalies.entries().count(anomaly) != 0; }

  Limits limits;
  Told told;
  model::Books books;
  model::AnomalyLog anomalies;
  std::uint64_t next_connection = 1;
  std::uint64_t number = 0;
  std::int64_t at_us = 1'700'000'000'000'000;
  net::FlowTable flows;
};

using Events = std::vector<std::string>;

// What a table makes of one frame: the payload, or why it was refused.
inline std::string verdict(std::uint32_t link, const std::string& bytes, std::size_t cut = 0) {
  Table table;
  table.packet(bytes, link, cut);
  table.finish();
  CHECK(table.books_add_up());
  if (!table.told.events.empty()) return table.told.events.front();
  for (const auto& [reason, count] : table.books.ignored) return "ignored " + reason;
  for (const auto& [reason, count] : table.books.malformed) return "malformed " + reason;
  return "nothing";
}

}  // namespace mcpscan::tests
