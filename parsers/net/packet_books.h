// What became of each packet, counted by reason without a string a packet; written into model::Books at the end.
// Bound: kReasons different reasons, the rest is "other".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/anomaly.h"

namespace mcpscan::net {

// Why a layer does not hand a packet on. `word` is a constant text (its address is its identity); a '#' in it stands for
// `number` in decimal, a '@' in four hexadecimal digits.
struct Refusal {
  const char* word = nullptr;  // null: not refused
  std::uint32_t number = 0;
  bool malformed = false;      // else ignored

  explicit operator bool() const { return word != nullptr; }
};

class PacketBooks {
 public:
  void use(std::uint64_t packets = 1) { used_ += packets; }
  void refuse(const Refusal& refusal, std::uint64_t packets = 1);
  // Adds everything counted so far to `books` and starts from zero.
  void settle(model::Books& books);

 private:
  struct Row {
    Refusal refusal;
    std::uint64_t packets = 0;
  };
  static constexpr std::size_t kReasons = 64;
  std::vector<Row> rows_;
  std::uint64_t used_ = 0;
};

}  // namespace mcpscan::net
