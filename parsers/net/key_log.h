// What a KeyLog holds for one connection: the secrets of its client random, each empty when the log has none.
// Source: draft-ietf-tls-keylogfile.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "net/tls_analyzer.h"

namespace mcpscan::net {

// A secret in place, without a heap block of its own.
class Secret {
 public:
  static constexpr std::size_t kMostBytes = 48;
  std::string_view bytes() const { return {bytes_.data(), size_}; }
  bool empty() const { return size_ == 0; }
  void set(std::string_view bytes) {
    size_ = static_cast<std::uint8_t>(bytes.size());
    std::memcpy(bytes_.data(), bytes.data(), bytes.size());
  }

 private:
  std::array<char, kMostBytes> bytes_;
  std::uint8_t size_ = 0;
};

struct KeyLog::Secrets {
  Secret master;  // TLS 1.2
  Secret client_handshake, server_handshake, client_application, server_application;  // TLS 1.3
  mutable std::atomic<bool> used{false};  // a record was opened with one of them
};

}  // namespace mcpscan::net
