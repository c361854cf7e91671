// The cipher suites that can be read, and the derivation of record keys from logged secrets. Not the choice of keys, not
// decryption. Pure functions over libcrypto's HMAC; secrets are plain strings of bytes.
// Source: RFC 5246 sections 5 and 6.3, RFC 5288, RFC 7905, RFC 8446 sections 7.1 to 7.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan::net {

enum class TlsBulk : std::uint8_t { gcm, chacha, cbc };
enum class TlsDigest : std::uint8_t { sha1, sha256, sha384 };

struct CipherSuite {
  std::uint16_t id;
  TlsBulk bulk;
  std::uint8_t key_bytes;
  TlsDigest mac;  // of CBC records
  TlsDigest prf;  // of the key derivation
};

// nullptr: not one that can be read.
const CipherSuite* find_cipher_suite(std::uint16_t id);
constexpr bool is_tls13_suite(std::uint16_t id) { return id >> 8 == 0x13; }
std::size_t digest_bytes(TlsDigest digest);

// What protects one direction.
struct DirectionKeys {
  std::string mac, key, iv;
};

struct ConnectionKeys {
  DirectionKeys client, server;
};

// TLS 1.2: the key block of a master secret.
ConnectionKeys keys_from_master_secret(const CipherSuite& suite, std::string_view master, std::string_view client_random,
                                       std::string_view server_random);
// TLS 1.3: key and iv of a traffic secret.
DirectionKeys keys_from_traffic_secret(const CipherSuite& suite, std::string_view secret);
// The secret after a KeyUpdate.
std::string next_traffic_secret(const CipherSuite& suite, std::string_view secret);

std::string tls12_prf(TlsDigest digest, std::string_view secret, std::string_view label, std::string_view seed, std::size_t bytes);
// With an empty context; at most 255 digests long.
std::string hkdf_expand_label(TlsDigest digest, std::string_view secret, std::string_view label, std::size_t bytes);

}  // namespace mcpscan::net
