#include "net/tls_cipher.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstring>

#include "net/tls_wire.h"

namespace mcpscan::net {
namespace {

struct FreeCipher { void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); } };
struct FreeMac { void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); } };
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreeMac>;

constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kExplicitNonceBytes = 8;
constexpr std::size_t kBlockBytes = 16;

// Sequence number, type, version, length: what TLS 1.2 authenticates beside the bytes (RFC 5246 section 6.2.3).
using Pseudoheader = std::array<unsigned char, 13>;

Pseudoheader pseudoheader(const TlsRecord& record, std::uint64_t sequence, std::size_t length) {
  Pseudoheader bytes;
  put_number(bytes.data(), sequence, 8);
  std::memcpy(bytes.data() + 8, record.header.data(), 3);
  put_number(bytes.data() + 11, length, 2);
  return bytes;
}

const EVP_CIPHER* algorithm(const CipherSuite& suite) {
  const bool wide = suite.key_bytes == 32;
  switch (suite.bulk) {
    case TlsBulk::gcm: return wide ? EVP_aes_256_gcm() : EVP_aes_128_gcm();
    case TlsBulk::chacha: return EVP_chacha20_poly1305();
    case TlsBulk::cbc: return wide ? EVP_aes_256_cbc() : EVP_aes_128_cbc();
  }
  return nullptr;
}

CipherContext make_context(const CipherSuite& suite, std::string_view key) {
  CipherContext context(EVP_CIPHER_CTX_new());
  if (!context || EVP_DecryptInit_ex(context.get(), algorithm(suite), nullptr, octets(key), nullptr) != 1) return nullptr;
  EVP_CIPHER_CTX_set_padding(context.get(), 0);
  return context;
}

class AeadCipher final : public RecordCipher {
 public:
  AeadCipher(CipherContext context, RecordForm form, bool explicit_nonce, std::string iv)
      : context_(std::move(context)), tls13_(form == RecordForm::tls13), explicit_nonce_(explicit_nonce), iv_(std::move(iv)) {}

  bool open(const TlsRecord& record, std::uint64_t sequence, OpenedRecord& out) override {
    const std::size_t prefix = explicit_nonce_ ? kExplicitNonceBytes : 0;
    if (record.fragment.size() < prefix + kTagBytes) return false;
    const std::string_view sealed = record.fragment.substr(prefix, record.fragment.size() - prefix - kTagBytes);
    const auto nonce = make_nonce(record, sequence);
    Pseudoheader header = pseudoheader(record, sequence, sealed.size());
    const std::string_view aad = tls13_ ? record.header : std::string_view(reinterpret_cast<const char*>(header.data()), header.size());
    if (!decrypt(nonce.data(), aad, sealed, record.fragment.substr(prefix + sealed.size()), out.storage)) return false;
    out.plain = {out.storage.data(), sealed.size()};
    out.type = record.type();
    return !tls13_ || strip_padding(out);
  }

  std::optional<std::size_t> plain_bytes(std::size_t fragment) const override {
    const std::size_t overhead = kTagBytes + (explicit_nonce_ ? kExplicitNonceBytes : 0);
    if (tls13_ || fragment < overhead) return std::nullopt;
    return fragment - overhead;
  }

 private:
  std::array<unsigned char, 12> make_nonce(const TlsRecord& record, std::uint64_t sequence) const {
    std::array<unsigned char, 12> nonce{};
    std::memcpy(nonce.data(), iv_.data(), iv_.size());
    if (explicit_nonce_) {
      std::memcpy(nonce.data() + iv_.size(), record.fragment.data(), kExplicitNonceBytes);
      return nonce;
    }
    for (std::size_t i = 0; i < 8; ++i) nonce[11 - i] ^= static_cast<unsigned char>(sequence >> 8 * i);
    return nonce;
  }

  bool decrypt(const unsigned char* nonce, std::string_view aad, std::string_view sealed, std::string_view tag, std::vector<char>& out) {
    EVP_CIPHER_CTX* context = context_.get();
    int length = 0;
    if (out.size() < sealed.size() + kBlockBytes) out.resize(sealed.size() + kBlockBytes);
    return EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, nonce) == 1 &&
           EVP_DecryptUpdate(context, nullptr, &length, octets(aad), static_cast<int>(aad.size())) == 1 &&
           (sealed.empty() ||
            EVP_DecryptUpdate(context, octets(out.data()), &length, octets(sealed), static_cast<int>(sealed.size())) == 1) &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagBytes, const_cast<unsigned char*>(octets(tag))) == 1 &&
           EVP_DecryptFinal_ex(context, octets(out.data()) + sealed.size(), &length) == 1;
  }

  // The true type is the last byte that is not zero (RFC 8446 section 5.4).
  static bool strip_padding(OpenedRecord& out) {
    const std::size_t last = out.plain.find_last_not_of('\0');
    if (last == std::string_view::npos) return false;
    out.type = static_cast<ContentType>(out.plain[last]);
    out.plain = out.plain.substr(0, last);
    return true;
  }

  CipherContext context_;
  bool tls13_, explicit_nonce_;
  std::string iv_;
};

class CbcCipher final : public RecordCipher {
 public:
  CbcCipher(CipherContext context, MacContext mac, std::size_t mac_bytes, bool encrypt_then_mac)
      : context_(std::move(context)), mac_(std::move(mac)), mac_bytes_(mac_bytes), encrypt_then_mac_(encrypt_then_mac) {}

  bool open(const TlsRecord& record, std::uint64_t sequence, OpenedRecord& out) override {
    out.type = record.type();
    return encrypt_then_mac_ ? open_checked(record, sequence, out) : open_unchecked(record, sequence, out);
  }

  std::optional<std::size_t> plain_bytes(std::size_t) const override { return std::nullopt; }

 private:
  bool open_checked(const TlsRecord& record, std::uint64_t sequence, OpenedRecord& out) {
    if (record.fragment.size() < mac_bytes_) return false;
    const std::string_view sealed = record.fragment.substr(0, record.fragment.size() - mac_bytes_);
    if (!mac_fits(record, sequence, sealed, record.fragment.substr(sealed.size())) || !decrypt(sealed, out)) return false;
    return unpad(out, 0);
  }

  bool open_unchecked(const TlsRecord& record, std::uint64_t sequence, OpenedRecord& out) {
    if (!decrypt(record.fragment, out) || !unpad(out, mac_bytes_)) return false;
    const std::string_view content = out.plain.substr(0, out.plain.size() - mac_bytes_);
    if (!mac_fits(record, sequence, content, out.plain.substr(content.size()))) return false;
    out.plain = content;
    return true;
  }

  // The first block is the IV.
  bool decrypt(std::string_view sealed, OpenedRecord& out) {
    if (sealed.size() < 2 * kBlockBytes || sealed.size() % kBlockBytes != 0) return false;
    const std::string_view blocks = sealed.substr(kBlockBytes);
    if (out.storage.size() < blocks.size() + kBlockBytes) out.storage.resize(blocks.size() + kBlockBytes);
    int length = 0;
    if (EVP_DecryptInit_ex(context_.get(), nullptr, nullptr, nullptr, octets(sealed)) != 1) return false;
    if (EVP_DecryptUpdate(context_.get(), octets(out.storage.data()), &length, octets(blocks), static_cast<int>(blocks.size())) != 1) return false;
    out.plain = {out.storage.data(), blocks.size()};
    return true;
  }

  // Each padding byte, and the length byte after them, holds the number of padding bytes.
  static bool unpad(OpenedRecord& out, std::size_t keep) {
    const auto padding = static_cast<unsigned char>(out.plain.back());
    if (out.plain.size() < padding + 1u + keep) return false;
    const std::size_t size = out.plain.size() - padding - 1u;
    if (out.plain.substr(size).find_first_not_of(static_cast<char>(padding)) != std::string_view::npos) return false;
    out.plain = out.plain.substr(0, size);
    return true;
  }

  bool mac_fits(const TlsRecord& record, std::uint64_t sequence, std::string_view bytes, std::string_view wanted) {
    const Pseudoheader header = pseudoheader(record, sequence, bytes.size());
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac;
    std::size_t length = 0;
    return EVP_MAC_init(mac_.get(), nullptr, 0, nullptr) == 1 && EVP_MAC_update(mac_.get(), header.data(), header.size()) == 1 &&
           EVP_MAC_update(mac_.get(), octets(bytes), bytes.size()) == 1 &&
           EVP_MAC_final(mac_.get(), mac.data(), &length, mac.size()) == 1 && length == wanted.size() &&
           CRYPTO_memcmp(mac.data(), wanted.data(), length) == 0;
  }

  CipherContext context_;
  MacContext mac_;
  std::size_t mac_bytes_;
  bool encrypt_then_mac_;
};

MacContext make_mac(TlsDigest digest, std::string_view key) {
  EVP_MAC* hmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  MacContext context(EVP_MAC_CTX_new(hmac));
  EVP_MAC_free(hmac);
  char name[8];
  std::strcpy(name, digest == TlsDigest::sha1 ? "SHA1" : digest == TlsDigest::sha256 ? "SHA256" : "SHA384");
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0), OSSL_PARAM_construct_end()};
  if (!context || EVP_MAC_init(context.get(), octets(key), key.size(), parameters) != 1) return nullptr;
  return context;
}

}  // namespace

std::unique_ptr<RecordCipher> RecordCipher::make(const CipherSuite& suite, RecordForm form, const DirectionKeys& keys) {
  CipherContext context = make_context(suite, keys.key);
  if (!context) return nullptr;
  if (suite.bulk != TlsBulk::cbc) {
    const bool explicit_nonce = form != RecordForm::tls13 && suite.bulk == TlsBulk::gcm;
    return std::make_unique<AeadCipher>(std::move(context), form, explicit_nonce, keys.iv);
  }
  MacContext mac = make_mac(suite.mac, keys.mac);
  if (!mac) return nullptr;
  return std::make_unique<CbcCipher>(std::move(context), std::move(mac), digest_bytes(suite.mac), form == RecordForm::cbc_encrypt_then_mac);
}

}  // namespace mcpscan::net
