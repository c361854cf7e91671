#include "pipeline/forwarded_peer.h"

#include <fmt/format.h>

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace mcpscan::pipeline {
namespace {

constexpr unsigned kMappedBits = 96;

std::optional<std::array<std::uint8_t, 16>> address_of(std::string_view text, bool& four) {
  std::array<std::uint8_t, 16> address{};
  if (text.size() > INET6_ADDRSTRLEN) return std::nullopt;
  const std::string word(text);
  four = text.find(':') == std::string_view::npos;
  if (!four) return inet_pton(AF_INET6, word.c_str(), address.data()) == 1 ? std::optional(address) : std::nullopt;
  address[10] = address[11] = 0xff;
  return inet_pton(AF_INET, word.c_str(), address.data() + 12) == 1 ? std::optional(address) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '"')) text.remove_suffix(1);
  return text;
}

// [2001:db8::7]:443 and 10.0.0.7:443 without port and brackets.
std::string_view without_port(std::string_view text) {
  if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos ? text.substr(0, colon) : text;
}

}  // namespace

bool Network::contains(std::string_view text) const {
  bool four = false;
  const auto other = address_of(text, four);
  if (!other) return false;
  for (unsigned bit = 0; bit < bits; bit += 8) {
    const auto mask = static_cast<std::uint8_t>(bits - bit >= 8 ? 0xff : 0xff << (8 - (bits - bit)));
    if (((*other)[bit / 8] & mask) != (address[bit / 8] & mask)) return false;
  }
  return true;
}

Result<Network> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  bool four = false;
  const auto address = address_of(text.substr(0, slash), four);
  Network network;
  const unsigned most = four ? 32 : 128;
  unsigned bits = most;
  bool sound = address.has_value();
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    sound = sound && error == std::errc() && end == digits.data() + digits.size() && bits <= most;
  }
  if (!sound) return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no network", text), "--trusted-proxy", "write an address or a network such as 10.0.0.0/8"};
  network.address = *address;
  network.bits = bits + (four ? kMappedBits : 0);
  return network;
}

bool ForwardedPeer::is_trusted(std::string_view address) const {
  return std::any_of(trusted_.begin(), trusted_.end(), [&](const Network& network) { return network.contains(address); });
}

// The last address that no trusted proxy has; where all are trusted, the first one.
std::string_view ForwardedPeer::client_in(std::string_view list) const {
  std::string_view client;
  while (!list.empty()) {
    const std::size_t comma = list.rfind(',');
    const std::string_view one = without_port(trimmed(comma == std::string_view::npos ? list : list.substr(comma + 1)));
    if (one.empty()) break;
    client = one;
    if (comma == std::string_view::npos || !is_trusted(one)) break;
    list = list.substr(0, comma);
  }
  return client;
}

void ForwardedPeer::observe(const model::Observation& seen) {
  if (!seen.http || seen.http->forwarded_for.empty() || !is_trusted(seen.http->peer)) return next_.observe(seen);
  const std::string_view client = client_in(seen.http->forwarded_for);
  if (client.empty()) return next_.observe(seen);
  model::HttpFacts http = *seen.http;
  http.peer = client;
  model::Observation told = seen;
  told.http = &http;
  next_.observe(told);
}

}  // namespace mcpscan::pipeline
