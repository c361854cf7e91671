// Compression: which one a stream is in, told from its first bytes, and decoders for gzip and zstd, which deliver each byte that
// can be had from a cut or damaged stream and check its sums (libarchive, which reads the rarer kinds, drops its last 64 KiB).
// RFC 1952 (gzip), RFC 8878 (zstd). Threads: one a decoder. Memory: gzip 64 KiB, zstd up to its window (128 MiB at most).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace mcpscan::ingest {

enum class Compression : std::uint8_t { none, gzip, zstd, xz, bzip2, lz4, lzip, compress };

std::string_view to_string(Compression compression);
// Needs kCompressionHeadBytes of the stream, or all of it.
constexpr std::size_t kCompressionHeadBytes = 16;
Compression detect_compression(std::string_view head);

class Decoder {
 public:
  enum class State : std::uint8_t { more, member_end, corrupt };
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    State state = State::more;
  };
  virtual ~Decoder() = default;
  // Decodes what it can. After member_end, the next call begins another member (gzip) or frame (zstd).
  virtual Step decode(std::string_view in, std::span<char> out) = 0;
};

// Null for a kind that has no decoder here.
std::unique_ptr<Decoder> make_decoder(Compression compression);

}  // namespace mcpscan::ingest
