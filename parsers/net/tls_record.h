// RecordReader: the records of one direction out of its bytes, in order. Not decryption. After a gap it goes on at the next
// record where that place is known (the gap lay inside one record), else it offers every place that looks like a record
// and the caller says which one is real.
// Owns the bytes not yet consumed with the stamps they came with: at most one record (2^14 + 2048 + 5 bytes) and what
// the last append() brought, unless the caller waits. Source: RFC 5246 section 6.2, RFC 8446 section 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/stream_analyzer.h"

namespace mcpscan::net {

enum class ContentType : std::uint8_t { change_cipher_spec = 20, alert = 21, handshake = 22, application_data = 23 };

constexpr std::size_t kTlsHeaderBytes = 5;
constexpr std::size_t kTlsFragmentBytes = (1u << 14) + 2048;  // the longest protected fragment a peer may send
constexpr std::size_t kTlsShortestSealed = kTlsHeaderBytes + 17;  // one byte and a tag: bounds how many records n bytes can be

struct TlsRecord {
  std::string_view header, fragment;  // valid until accept() or reject()
  model::Stamp stamp;                 // of its last byte
  ContentType type() const { return static_cast<ContentType>(header[0]); }
};

// What a gap took away.
struct RecordLoss {
  std::uint64_t records = 0;                       // at most so many records
  std::optional<std::size_t> fragment;             // exactly one record, whose fragment had this length
  ContentType type = ContentType::application_data;  // of that one record
};

class RecordReader {
 public:
  void append(std::string_view bytes, const model::Stamp& stamp);
  // The next whole record, or what may be one; the same again until accept() or reject().
  std::optional<TlsRecord> next();
  void accept();
  // Not a record: one byte on where the place was guessed; the whole record where it was known.
  void reject();
  // The bytes at the front cannot begin a record (only when the place is known).
  bool broken() const { return broken_; }
  // Nothing follows: what looks like a record where the place was guessed, and promises more than there is, was none.
  void end() { ended_ = true; }
  // `length` bytes are missing after all that was appended (0: unknown).
  RecordLoss lose(std::uint64_t length);
  // As lose(), when records are held unread too: they are given up with the bytes that are missing.
  RecordLoss lose_place();
  // After broken(): goes on with the next bytes that look like a record. Returns the stamp of the newest byte.
  model::Stamp search_on();
  void clear();

  std::size_t held() const { return bytes_.size() - head_; }
  bool place_known() const { return place_known_; }

 private:
  struct Mark {
    std::uint64_t end;  // stream position after the last byte that came with the stamp
    model::Stamp stamp;
  };
  void consume(std::size_t count);
  void skip_lost_rest();
  void compact();
  void drop_marks();
  std::string_view front() const { return std::string_view(bytes_).substr(head_); }

  std::string bytes_;
  std::size_t head_ = 0;
  std::uint64_t position_ = 0;  // in the stream, of the first held byte
  std::vector<Mark> marks_;  // from mark_head_ on; a deque would cost each idle connection a kilobyte
  std::size_t mark_head_ = 0;
  std::size_t skip_ = 0;        // bytes still to come of a record that a gap hit
  std::size_t offered_ = 0;     // size of the record that next() returned
  bool place_known_ = true;
  bool broken_ = false, ended_ = false;
};

// True when the five bytes may begin a record: a known type, version 3.0 to 3.4, a length within the bounds.
bool plausible_record(std::string_view header);

}  // namespace mcpscan::net
