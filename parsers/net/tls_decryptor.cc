#include "net/tls_decryptor.h"

#include <algorithm>

namespace mcpscan::net {

TrafficKeys traffic_keys(const CipherSuite& suite, std::string_view secret, bool application) {
  TrafficKeys keys;
  keys.cipher = RecordCipher::make(suite, RecordForm::tls13, keys_from_traffic_secret(suite, secret));
  keys.suite = &suite;
  keys.secret = secret;
  keys.application = application;
  return keys;
}

void Decryptor::install(TrafficKeys now) {
  current_ = std::move(now);
  sequence_ = 0;
}

bool Decryptor::has_next() {
  if (!next_.cipher && current_.application && !current_.secret.empty()) {
    next_ = traffic_keys(*current_.suite, next_traffic_secret(*current_.suite, current_.secret), true);
  }
  return next_.cipher != nullptr;
}

bool Decryptor::advance() {
  if (!has_next()) return false;
  install(std::move(next_));
  next_ = {};
  return true;
}

void Decryptor::lose(std::uint64_t records) {
  searching_ = true;
  window_ = std::min<std::uint64_t>(limits_.tls_resync_records, window_ + std::min<std::uint64_t>(records, limits_.tls_resync_records));
}

void Decryptor::settle() {
  searching_ = false;
  window_ = 0;
}

bool Decryptor::open(const TlsRecord& record, OpenedRecord& out) {
  if (searching_) return search(record, out);
  if (!current_.cipher || !current_.cipher->open(record, sequence_, out)) return false;
  found(record, sequence_);
  return true;
}

void Decryptor::found(const TlsRecord& record, std::uint64_t sequence) {
  sequence_ = sequence + 1;
  proven_ = true;
  tried_bytes_ -= std::min<std::uint64_t>(tried_bytes_, record.fragment.size());
}

bool Decryptor::search(const TlsRecord& record, OpenedRecord& out) {
  bool found = current_.cipher && try_ahead(*current_.cipher, sequence_, record, out);
  if (!found && has_next() && try_ahead(*next_.cipher, 0, record, out)) {
    const std::uint64_t sequence = sequence_;
    advance();
    sequence_ = sequence;
    found = true;
  }
  if (!found) {
    lose(1);
    return false;
  }
  settle();
  return true;
}

bool Decryptor::try_ahead(RecordCipher& cipher, std::uint64_t from, const TlsRecord& record, OpenedRecord& out) {
  for (std::uint64_t sequence = from; sequence <= from + window_ && !exhausted_; ++sequence) {
    if (cipher.open(record, sequence, out)) {
      found(record, sequence);
      return true;
    }
    tried_bytes_ += record.fragment.size();
    exhausted_ = tried_bytes_ > limits_.tls_resync_bytes;
  }
  return false;
}

}  // namespace mcpscan::net
