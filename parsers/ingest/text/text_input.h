// TextInput: the bytes of an input as one stream of UTF-8, with the head that a probe has read in front and a way to give back
// what a block has no room for. NULs and byte order marks inside are left alone (BlockReader takes them out).
// Ownership: `bytes` outlives it. Threads: one. Bounds: holds what was given back, and one chunk while decoding UTF-16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "ingest/text/encoding.h"

namespace mcpscan::ingest {

class TextInput {
 public:
  TextInput(ByteReader& bytes, std::string head);

  // Fills `to` completely unless the input ends; 0 at the end. The result does not depend on how `bytes` splits its reads.
  std::size_t read(std::span<char> to);
  // The next read() begins with these bytes, the last ones that were read.
  void unread(std::string_view text);

  // True when the next bytes are these; `text` holds a few bytes only.
  bool continues_with(std::string_view text);

  // Offset of the next byte in the stream of UTF-8.
  std::uint64_t position() const { return produced_ - (waiting_.size() - waiting_at_); }
  // Bytes taken from the input, as it stands after decompression.
  std::uint64_t raw_bytes() const { return raw_bytes_; }
  Encoding encoding() const { return encoding_; }
  std::uint64_t unpaired_surrogates() const { return decoder_.unpaired(); }
  bool ends_in_half_unit() const { return decoder_.ends_in_half_unit(); }

 private:
  static std::string complete(ByteReader& bytes, std::string head);
  std::size_t take_waiting(std::span<char> to);
  std::size_t read_more(std::span<char> to);
  bool decode_more();

  ByteReader& bytes_;
  std::string waiting_;           // UTF-8 that comes before anything read anew
  std::size_t waiting_at_ = 0;
  std::uint64_t produced_ = 0;    // UTF-8 bytes known so far, waiting ones included
  std::uint64_t raw_bytes_ = 0;
  bool ended_ = false;
  Encoding encoding_;
  Utf16Decoder decoder_;
};

}  // namespace mcpscan::ingest
