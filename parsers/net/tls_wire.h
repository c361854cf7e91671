// WireReader: big-endian fields of a TLS message, each bounded by what is left. Once a field does not fit, ok() is false
// and everything read after it is zero or empty. Borrows the bytes. Source: RFC 8446 section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mcpscan::net {

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return bytes_.empty(); }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) return fail();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::uint32_t number(std::size_t width) {
    std::uint32_t value = 0;
    for (const char c : take(width)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  // A vector: its length in `width` bytes, then as many bytes.
  std::string_view vector(std::size_t width) { return take(number(width)); }

 private:
  std::string_view fail() {
    ok_ = false;
    bytes_ = {};
    return {};
  }

  std::string_view bytes_;
  bool ok_ = true;
};

inline const unsigned char* octets(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
inline unsigned char* octets(char* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

// Writes `value` big-endian into `width` bytes at `to`.
inline void put_number(unsigned char* to, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) to[i] = static_cast<unsigned char>(value >> 8 * (width - 1 - i));
}

}  // namespace mcpscan::net
