// module: net
// Packets of any bytes through link, IP and TCP: the books add up, an ended connection is told nothing more, and no more
// bytes come out than went in. Input: records of link choice, time step, kind, and either a raw frame or a TCP segment in short form.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/books.h"
#include "net/flow_table.h"

namespace {

using namespace mcpscan;

struct Ledger {
  std::uint64_t fed = 0;
};

class Checker final : public model::StreamAnalyzer {
 public:
  explicit Checker(Ledger& ledger) : ledger_(ledger) {}
  void feed(model::Side from, std::string_view bytes, const model::Stamp&) override {
    if (over_ || closed_[static_cast<std::size_t>(from)] || bytes.empty()) std::abort();
    ledger_.fed += bytes.size();
    bored_ = bytes.front() == '!';
  }
  void gap(model::Side from, std::uint64_t length, const model::Stamp&) override {
    if (over_ || closed_[static_cast<std::size_t>(from)] || length == 0 || length > UINT32_MAX) std::abort();
  }
  void half_close(model::Side from, const model::Stamp&) override {
    if (over_ || closed_[static_cast<std::size_t>(from)]) std::abort();
    closed_[static_cast<std::size_t>(from)] = true;
  }
  void finish(model::EndReason, const model::Stamp&) override {
    if (over_) std::abort();
    over_ = true;
  }
  bool interested() const override { return !bored_; }

 private:
  Ledger& ledger_;
  std::array<bool, 2> closed_{};
  bool over_ = false, bored_ = false;
};

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::string bytes(std::size_t count) {
    std::string result;
    while (result.size() < count && left_ > 0) result.push_back(static_cast<char>(byte()));
    return result;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

std::string big16(unsigned value) { return {static_cast<char>(value >> 8 & 0xff), static_cast<char>(value & 0xff)}; }
std::string big32(std::uint32_t value) { return big16(value >> 16) + big16(value & 0xffff); }

// A segment of one of two connections: sequence numbers near the start, so that they meet.
std::string short_segment(Input& input) {
  const std::uint8_t who = input.byte(), flags = input.byte(), sequence = input.byte(), ack = input.byte();
  const std::uint32_t far = (who & 0x40) != 0 ? 1u << 30 : 0;
  const std::string payload = input.bytes(input.byte() & 0x1f);
  const bool server = (who & 1) != 0;
  const std::string client_port = big16(40000 + (who >> 1 & 1)), server_port = big16(8000);
  const std::string tcp = (server ? server_port + client_port : client_port + server_port) + big32(0xffffffe0u + sequence + far) +
                          big32(0xffffffe0u + ack + ((who & 0x80) != 0 ? 1u << 30 : 0)) + std::string("\x50", 1) +
                          static_cast<char>(flags & 0x1f) + std::string(6, '\0') + payload;
  const std::string client("\x0a\x00\x00\x01", 4), host("\x0a\x00\x00\x02", 4);
  const unsigned fragment = (who & 0x20) != 0 ? static_cast<unsigned>(input.byte()) << 8 | input.byte() : 0;
  return std::string("\x45\x00", 2) + big16(static_cast<unsigned>(20 + tcp.size())) + big16(1) + big16(fragment & 0x2003u) + "\x40\x06" +
         big16(0) + (server ? host + client : client + host) + tcp;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Limits limits;
  limits.flows = 4;
  limits.flow_segments = 8;
  limits.flow_buffer_bytes = 2000;
  limits.total_buffer_bytes = 3000;
  limits.fragments = 3;
  limits.fragment_bytes = 4000;
  limits.sequence_jump_bytes = 1000;
  Ledger ledger;
  model::Books books;
  model::AnomalyLog anomalies;
  std::uint64_t connections = 1, packets = 0, given = 0;
  net::FlowTable table(limits, 0, [&](const model::FlowInfo&, std::string_view) { return std::make_unique<Checker>(ledger); }, books, anomalies, connections);
  std::int64_t now = 1;
  while (!input.empty()) {
    constexpr std::array<std::uint32_t, 8> kLinks{0, 1, 101, 108, 113, 228, 229, 276};
    const std::uint8_t choice = input.byte();
    now += std::int64_t{input.byte()} * input.byte() * 1000;
    const bool raw = (choice & 0x80) != 0;
    const std::string bytes = raw ? input.bytes(input.byte()) : short_segment(input);
    net::Packet packet;
    packet.number = ++packets;
    packet.at = {now};
    packet.link_type = raw ? kLinks[choice & 7] : 101;
    packet.original_length = static_cast<std::uint32_t>(bytes.size());
    const std::size_t cut = (choice & 0x40) != 0 ? bytes.size() / 4 : 0;
    packet.bytes = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size() - cut};
    given += packet.bytes.size();
    table.add(packet);
  }
  table.finish({now});
  if (!tests::adds_up(books) || books.total != packets || ledger.fed > given) std::abort();
  return 0;
}
