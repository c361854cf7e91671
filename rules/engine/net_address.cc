#include "engine/net_address.h"

#include <charconv>

namespace mcpscan::engine {
namespace {

// The number a dotted address begins with, and the one behind its first dot; -1: none.
struct Head {
  int first = -1, second = -1;
};

Head head_of(std::string_view address) {
  Head head;
  const char* const end = address.data() + address.size();
  const auto [dot, error] = std::from_chars(address.data(), end, head.first);
  if (error != std::errc() || dot == end || *dot != '.') return {};
  if (std::from_chars(dot + 1, end, head.second).ec != std::errc()) return {};
  return head;
}

}  // namespace

bool is_loopback(std::string_view address) { return address == "::1" || (address.find_first_not_of("0123456789.") == std::string_view::npos && head_of(address).first == 127); }

bool is_private(std::string_view address) {
  constexpr int kTwelveBitsFrom = 16, kTwelveBitsTo = 31;
  if (address.find(':') != std::string_view::npos) {
    return address.starts_with("fc") || address.starts_with("fd") || address.starts_with("fe8") || address.starts_with("fe9") || address.starts_with("fea") || address.starts_with("feb");
  }
  if (address.find_first_not_of("0123456789.") != std::string_view::npos) return false;
  const Head head = head_of(address);
  return head.first == 10 || (head.first == 172 && head.second >= kTwelveBitsFrom && head.second <= kTwelveBitsTo) || (head.first == 192 && head.second == 168) ||
         (head.first == 169 && head.second == 254);
}

}  // namespace mcpscan::engine
