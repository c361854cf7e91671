#include "ingest/text/text_scan.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kRunsPerSum = 255;  // a lane of 8 bits counts no further
typedef unsigned char Lanes __attribute__((vector_size(kLanes)));

constexpr unsigned char kMarkLead = 0xEF;

Lanes load(const char* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

std::size_t sum(const Lanes& lanes) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < kLanes; ++i) total += lanes[i];
  return total;
}

void scan_bytes(std::string_view text, TextScan& result) {
  for (const char c : text) {
    result.newlines += c == '\n';
    result.has_nul |= c == '\0';
    result.has_mark_lead |= static_cast<unsigned char>(c) == kMarkLead;
  }
}

}  // namespace

TextScan scan_text(std::string_view text) {
  TextScan result;
  Lanes nuls{}, marks{};
  const std::size_t whole = text.size() / kLanes * kLanes;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t stop = std::min(whole, at + kRunsPerSum * kLanes);
    Lanes newlines{};
    for (; at < stop; at += kLanes) {
      const Lanes lanes = load(text.data() + at);
      newlines -= reinterpret_cast<Lanes>(lanes == static_cast<unsigned char>('\n'));  // a true lane is all ones: -1
      nuls |= reinterpret_cast<Lanes>(lanes == static_cast<unsigned char>(0));
      marks |= reinterpret_cast<Lanes>(lanes == kMarkLead);
    }
    result.newlines += sum(newlines);
  }
  result.has_nul = sum(nuls) > 0;
  result.has_mark_lead = sum(marks) > 0;
  scan_bytes(text.substr(whole), result);
  return result;
}

}  // namespace mcpscan::ingest
