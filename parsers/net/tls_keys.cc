#include "net/tls_keys.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

#include "net/tls_wire.h"

namespace mcpscan::net {
namespace {

constexpr TlsBulk kGcm = TlsBulk::gcm, kChacha = TlsBulk::chacha, kCbc = TlsBulk::cbc;
constexpr TlsDigest kSha1 = TlsDigest::sha1, kSha256 = TlsDigest::sha256, kSha384 = TlsDigest::sha384;

// Sorted by id. The key exchange does not matter here: the key log has its outcome.
constexpr std::array kSuites{
    CipherSuite{0x002F, kCbc, 16, kSha1, kSha256},       // RSA AES_128_CBC_SHA
    CipherSuite{0x0033, kCbc, 16, kSha1, kSha256},       // DHE_RSA
    CipherSuite{0x0035, kCbc, 32, kSha1, kSha256},       // RSA AES_256_CBC_SHA
    CipherSuite{0x0039, kCbc, 32, kSha1, kSha256},       // DHE_RSA
    CipherSuite{0x003C, kCbc, 16, kSha256, kSha256},     // RSA AES_128_CBC_SHA256
    CipherSuite{0x003D, kCbc, 32, kSha256, kSha256},     // RSA AES_256_CBC_SHA256
    CipherSuite{0x0067, kCbc, 16, kSha256, kSha256},     // DHE_RSA AES_128_CBC_SHA256
    CipherSuite{0x006B, kCbc, 32, kSha256, kSha256},     // DHE_RSA AES_256_CBC_SHA256
    CipherSuite{0x009C, kGcm, 16, kSha256, kSha256},     // RSA AES_128_GCM_SHA256
    CipherSuite{0x009D, kGcm, 32, kSha384, kSha384},     // RSA AES_256_GCM_SHA384
    CipherSuite{0x009E, kGcm, 16, kSha256, kSha256},     // DHE_RSA
    CipherSuite{0x009F, kGcm, 32, kSha384, kSha384},     // DHE_RSA
    CipherSuite{0x00A8, kGcm, 16, kSha256, kSha256},     // PSK
    CipherSuite{0x00A9, kGcm, 32, kSha384, kSha384},     // PSK
    CipherSuite{0x00AA, kGcm, 16, kSha256, kSha256},     // DHE_PSK
    CipherSuite{0x00AB, kGcm, 32, kSha384, kSha384},     // DHE_PSK
    CipherSuite{0x1301, kGcm, 16, kSha256, kSha256},     // TLS 1.3 AES_128_GCM_SHA256
    CipherSuite{0x1302, kGcm, 32, kSha384, kSha384},     // TLS 1.3 AES_256_GCM_SHA384
    CipherSuite{0x1303, kChacha, 32, kSha256, kSha256},  // TLS 1.3 CHACHA20_POLY1305_SHA256
    CipherSuite{0xC009, kCbc, 16, kSha1, kSha256},       // ECDHE_ECDSA AES_128_CBC_SHA
    CipherSuite{0xC00A, kCbc, 32, kSha1, kSha256},       // ECDHE_ECDSA AES_256_CBC_SHA
    CipherSuite{0xC013, kCbc, 16, kSha1, kSha256},       // ECDHE_RSA
    CipherSuite{0xC014, kCbc, 32, kSha1, kSha256},       // ECDHE_RSA
    CipherSuite{0xC023, kCbc, 16, kSha256, kSha256},     // ECDHE_ECDSA AES_128_CBC_SHA256
    CipherSuite{0xC024, kCbc, 32, kSha384, kSha384},     // ECDHE_ECDSA AES_256_CBC_SHA384
    CipherSuite{0xC027, kCbc, 16, kSha256, kSha256},     // ECDHE_RSA
    CipherSuite{0xC028, kCbc, 32, kSha384, kSha384},     // ECDHE_RSA
    CipherSuite{0xC02B, kGcm, 16, kSha256, kSha256},     // ECDHE_ECDSA
    CipherSuite{0xC02C, kGcm, 32, kSha384, kSha384},     // ECDHE_ECDSA
    CipherSuite{0xC02F, kGcm, 16, kSha256, kSha256},     // ECDHE_RSA
    CipherSuite{0xC030, kGcm, 32, kSha384, kSha384},     // ECDHE_RSA
    CipherSuite{0xCCA8, kChacha, 32, kSha256, kSha256},  // ECDHE_RSA
    CipherSuite{0xCCA9, kChacha, 32, kSha256, kSha256},  // ECDHE_ECDSA
    CipherSuite{0xCCAA, kChacha, 32, kSha256, kSha256},  // DHE_RSA
    CipherSuite{0xCCAB, kChacha, 32, kSha256, kSha256},  // PSK
    CipherSuite{0xCCAC, kChacha, 32, kSha256, kSha256},  // ECDHE_PSK
};

const EVP_MD* md(TlsDigest digest) {
  switch (digest) {
    case TlsDigest::sha1: return EVP_sha1();
    case TlsDigest::sha256: return EVP_sha256();
    case TlsDigest::sha384: return EVP_sha384();
  }
  return nullptr;
}

std::string hmac(TlsDigest digest, std::string_view key, std::string_view data) {
  std::string out(digest_bytes(digest), '\0');
  unsigned int length = 0;
  HMAC(md(digest), key.data(), static_cast<int>(key.size()), octets(data), data.size(), octets(out.data()), &length);
  return out;
}

std::size_t fixed_iv_bytes(TlsBulk bulk) { return bulk == TlsBulk::gcm ? 4 : bulk == TlsBulk::chacha ? 12 : 0; }

}  // namespace

const CipherSuite* find_cipher_suite(std::uint16_t id) {
  const auto found = std::lower_bound(kSuites.begin(), kSuites.end(), id, [](const CipherSuite& s, std::uint16_t wanted) { return s.id < wanted; });
  return found != kSuites.end() && found->id == id ? &*found : nullptr;
}

std::size_t digest_bytes(TlsDigest digest) { return digest == TlsDigest::sha1 ? 20 : digest == TlsDigest::sha256 ? 32 : 48; }

std::string tls12_prf(TlsDigest digest, std::string_view secret, std::string_view label, std::string_view seed, std::size_t bytes) {
  std::string label_and_seed(label);
  label_and_seed += seed;
  std::string out, a = label_and_seed;
  while (out.size() < bytes) {
    a = hmac(digest, secret, a);
    out += hmac(digest, secret, a + label_and_seed);
  }
  out.resize(bytes);
  return out;
}

std::string hkdf_expand_label(TlsDigest digest, std::string_view secret, std::string_view label, std::size_t bytes) {
  std::string info{static_cast<char>(bytes >> 8), static_cast<char>(bytes), static_cast<char>(6 + label.size())};
  info += "tls13 ";
  info += label;
  info += '\0';
  std::string out, block;
  for (char round = 1; out.size() < bytes; ++round) {
    block = hmac(digest, secret, block + info + round);
    out += block;
  }
  out.resize(bytes);
  return out;
}

ConnectionKeys keys_from_master_secret(const CipherSuite& suite, std::string_view master, std::string_view client_random,
                                       std::string_view server_random) {
  const std::size_t mac = suite.bulk == TlsBulk::cbc ? digest_bytes(suite.mac) : 0;
  const std::size_t iv = fixed_iv_bytes(suite.bulk);
  std::string seed(server_random);
  seed += client_random;
  const std::string block = tls12_prf(suite.prf, master, "key expansion", seed, 2 * (mac + suite.key_bytes + iv));
  WireReader read(block);
  const auto take = [&](std::size_t bytes) { return std::string(read.take(bytes)); };
  ConnectionKeys keys;
  keys.client.mac = take(mac);
  keys.server.mac = take(mac);
  keys.client.key = take(suite.key_bytes);
  keys.server.key = take(suite.key_bytes);
  keys.client.iv = take(iv);
  keys.server.iv = take(iv);
  return keys;
}

DirectionKeys keys_from_traffic_secret(const CipherSuite& suite, std::string_view secret) {
  return {{}, hkdf_expand_label(suite.prf, secret, "key", suite.key_bytes), hkdf_expand_label(suite.prf, secret, "iv", 12)};
}

std::string next_traffic_secret(const CipherSuite& suite, std::string_view secret) {
  return hkdf_expand_label(suite.prf, secret, "traffic upd", digest_bytes(suite.prf));
}

}  // namespace mcpscan::net
