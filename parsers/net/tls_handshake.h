// The handshake messages that decide about keys: reassembly out of record fragments, and the fields of the hellos. Not a
// validator: what it does not need it skips. Everything is bounded by the message and by Limits::tls_handshake_bytes.
// Source: RFC 5246 section 7.4, RFC 8446 section 4, RFC 6066 (SNI), RFC 7301 (ALPN), RFC 7366 (encrypt-then-MAC).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/function_ref.h"

namespace mcpscan::net {

enum class HandshakeType : std::uint8_t { client_hello = 1, server_hello = 2, encrypted_extensions = 8, finished = 20, key_update = 24 };

struct HandshakeMessage {
  HandshakeType type;
  std::string_view body;
  bool too_long = false;  // over the bound: no body
};

// Whole messages out of the fragments of handshake records. Bodies of types that HandshakeType does not name are skipped.
class HandshakeReader {
 public:
  explicit HandshakeReader(std::size_t longest) : longest_(longest) {}
  void feed(std::string_view fragment, FunctionRef<void(const HandshakeMessage&)> take);
  // The next fragment begins a message: after a gap.
  void reset();

 private:
  bool start(std::string_view& fragment);
  std::string_view body(std::string_view& fragment);

  std::size_t longest_;
  std::string head_, body_;
  std::size_t missing_ = 0;  // bytes of the body still to come
  bool in_body_ = false, keep_ = false;
};

struct ClientHello {
  std::string random, server_name, alpn;  // alpn: what was offered, comma separated
  bool offers_early_data = false;
};

struct ServerHello {
  std::string random, alpn;
  std::uint16_t version = 0, suite = 0;
  bool retry_request = false, encrypt_then_mac = false, compressed = false;
};

struct EncryptedExtensions {
  std::string alpn;
  bool early_data = false;
};

std::optional<ClientHello> parse_client_hello(std::string_view body);
std::optional<ServerHello> parse_server_hello(std::string_view body);
std::optional<EncryptedExtensions> parse_encrypted_extensions(std::string_view body);

}  // namespace mcpscan::net
