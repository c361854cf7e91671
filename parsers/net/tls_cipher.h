// RecordCipher: opens protected records of one direction under one key. Every form it knows is authenticated, so "opened"
// means: these are the bytes the peer sent, at this sequence number. Not the choice of key or sequence number.
// Owns its libcrypto contexts; not thread-safe. Source: RFC 5246 section 6.2.3, RFC 7366, RFC 7905, RFC 8446 section 5.2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "net/tls_keys.h"
#include "net/tls_record.h"

namespace mcpscan::net {

enum class RecordForm : std::uint8_t { tls13, aead12, cbc_mac_then_encrypt, cbc_encrypt_then_mac };

// Where a record is opened into; reused from record to record.
struct OpenedRecord {
  ContentType type = ContentType::application_data;
  std::string_view plain;  // in `storage`
  std::vector<char> storage;
};

class RecordCipher {
 public:
  // nullptr when libcrypto refuses (an algorithm switched off by the system's policy).
  static std::unique_ptr<RecordCipher> make(const CipherSuite& suite, RecordForm form, const DirectionKeys& keys);
  virtual ~RecordCipher() = default;
  // False: the record does not authenticate at this sequence number.
  virtual bool open(const TlsRecord& record, std::uint64_t sequence, OpenedRecord& out) = 0;
  // The plaintext's length of a record with this fragment, where the form tells it without opening.
  virtual std::optional<std::size_t> plain_bytes(std::size_t fragment) const = 0;
};

}  // namespace mcpscan::net
