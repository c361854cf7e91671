// Decryptor: which key and which sequence number open the next record of one direction. In order that is the current key and
// the next number; after a loss it searches a bounded number of records ahead under the current key and under its successor
// (application after handshake, the next update, the keys of a ChangeCipherSpec that was lost). The tags make a hit sure.
// Owns the keys. Bounds: Limits::tls_resync_records, tls_resync_bytes. Source: RFC 5246 section 6.1, RFC 8446 section 5.3, 7.2.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "net/tls_cipher.h"

namespace mcpscan::net {

// Keys of one direction from one change of keys to the next.
struct TrafficKeys {
  std::unique_ptr<RecordCipher> cipher;
  const CipherSuite* suite = nullptr;
  std::string secret;        // TLS 1.3: what the keys of an update derive from
  bool application = false;  // application data may come under them
};

// TLS 1.3 keys of a traffic secret.
TrafficKeys traffic_keys(const CipherSuite& suite, std::string_view secret, bool application);

class Decryptor {
 public:
  explicit Decryptor(const Limits& limits) : limits_(limits) {}

  void install(TrafficKeys now);
  // The keys are not needed any more.
  void forget() { current_ = {}, next_ = {}; }
  void expect(TrafficKeys next) { next_ = std::move(next); }
  // The sender goes over to the expected keys, or to those of a key update. False: there are none.
  bool advance();

  // Up to `records` records are missing before the next one (0: the next one counts from here, but others may stand before it).
  void lose(std::uint64_t records);
  // The place is known again without a record that told it.
  void settle();
  // False: not opened; while searching, the record counts as lost too.
  bool open(const TlsRecord& record, OpenedRecord& out);

  bool active() const { return current_.cipher != nullptr; }
  bool application() const { return current_.application; }
  bool searching() const { return searching_; }
  bool proven() const { return proven_; }        // a record was opened
  bool exhausted() const { return exhausted_; }  // the search reached its bound
  std::uint64_t sequence() const { return sequence_; }  // of the next record
  const RecordCipher* cipher() const { return current_.cipher.get(); }

 private:
  void found(const TlsRecord& record, std::uint64_t sequence);
  bool search(const TlsRecord& record, OpenedRecord& out);
  bool try_ahead(RecordCipher& cipher, std::uint64_t from, const TlsRecord& record, OpenedRecord& out);
  bool has_next();

  const Limits& limits_;
  TrafficKeys current_, next_;
  std::uint64_t sequence_ = 0;
  std::uint64_t window_ = 0;       // records that may be missing
  std::uint64_t tried_bytes_ = 0;  // decrypted in vain, less what was opened: a search may cost as much as the reading, and a bound
  bool searching_ = false, proven_ = false, exhausted_ = false;
};

}  // namespace mcpscan::net
