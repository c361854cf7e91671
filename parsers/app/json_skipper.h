// JsonSkipper: walks over JSON text without building anything: the caller enters the objects it wants to see and skips the
// rest, 64 bytes at a time. It checks strings (control bytes, escapes, surrogate pairs) and that brackets pair; the grammar
// between nested values is not checked, only bytes that no JSON has outside a string are (kSuspectByte: let a parser decide).
// It never allocates, recurses or reads past `text`; a hard fault (kCut, kBroken) stops it and what was read stays.
// Not thread-safe; views point into `text`. Source: RFC 8259.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mcpscan::app {

enum JsonFault : std::uint32_t {
  kCut = 1u << 0,            // the text ends inside the value; stops
  kBroken = 1u << 1,         // no JSON at this place; stops
  kControlByte = 1u << 2,    // a raw byte below 0x20 in a string
  kBadEscape = 1u << 3,      // \q, \u12
  kLoneSurrogate = 1u << 4,  // \ud800 without its half
  kDeep = 1u << 5,           // nesting over the limit
  kHighBytes = 1u << 6,      // bytes over 0x7f: no fault, but the caller has to check the UTF-8
  kCutMarker = 1u << 7,      // "...[123 chars truncated]...": a logger cut the text
  kSuspectByte = 1u << 8,    // NaN, None, 'x', \ outside of strings
};

enum class JsonType : std::uint8_t { none, null, boolean, integer, fraction, string, object, array };

struct JsonToken {
  JsonType type = JsonType::none;
  bool escaped = false;  // a string with backslashes: content() has to be decoded
  std::string_view raw;  // as it stood, quotes included
  bool compact = true;   // an object or array without blanks between its tokens or backslashes in its strings

  explicit operator bool() const { return type != JsonType::none; }
  bool is_string() const { return type == JsonType::string; }
  std::string_view content() const { return is_string() ? raw.substr(1, raw.size() - 2) : raw; }
};

class JsonSkipper {
 public:
  JsonSkipper(std::string_view text, std::size_t depth_limit)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), depth_limit_(depth_limit) {}

  std::uint32_t faults() const { return faults_ | (high_ ? kHighBytes : 0u); }
  bool stopped() const { return (faults_ & (kCut | kBroken)) != 0; }
  const char* position() const { return at_; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  std::string_view since(const char* start) const { return {start, static_cast<std::size_t>(at_ - start)}; }
  std::string_view left(const char* from) const { return {from, static_cast<std::size_t>(end_ - from)}; }
  // The byte at the position; 0 at the end of the text.
  char peek() const { return at_ < end_ ? *at_ : '\0'; }

  void skip_space() {
    while (at_ < end_ && is_space(*at_)) ++at_;
  }
  bool take(char byte) {
    if (at_ == end_ || *at_ != byte) return false;
    ++at_;
    return true;
  }

  // The same for several bytes at once.
  bool take_text(std::string_view bytes) {
    if (left(at_).substr(0, bytes.size()) != bytes) return false;
    at_ += bytes.size();
    return true;
  }

  // The value at the position, whole. A token of type none after a hard fault.
  JsonToken value();
  // The string whose opening quote is at the position.
  JsonToken string();

  // Visits the object at the position: on_member(key) has to consume the value. False after a hard fault.
  template <typename OnMember>
  bool members(OnMember&& on_member) {
    return items('}', [&] {
      if (peek() != '"') return fail();
      const JsonToken key = string();
      skip_space();
      if (stopped() || !take(':')) return fail();
      skip_space();
      on_member(key);
      return !stopped();
    });
  }

  // Visits the array at the position: on_element() has to consume the value. False after a hard fault.
  template <typename OnElement>
  bool elements(OnElement&& on_element) {
    return items(']', [&] {
      on_element();
      return !stopped();
    });
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  template <typename OnItem>
  bool items(char closer, OnItem&& on_item) {
    ++at_;
    if (++depth_ > depth_limit_) faults_ |= kDeep;
    skip_space();
    if (!take(closer)) {
      do {
        skip_space();
        if (!on_item()) return false;
        skip_space();
      } while (take(','));
      if (!take(closer)) return fail();
    }
    --depth_;
    return true;
  }

  // Stops here: the text is cut when nothing is left, else broken. Always false.
  bool fail() {
    if (!stopped()) faults_ |= at_ == end_ ? kCut : kBroken;
    return false;
  }

  JsonToken number();
  JsonToken literal(std::string_view word, JsonType type);
  JsonToken container(JsonType type);
  void check_escapes(const char* block, std::uint64_t escaped);
  void check_escape(const char* escaped);
  void check_unicode(const char* escaped);
  void check_cut_marker(const char* bracket);
  void check_cut_markers(const char* block, std::uint64_t brackets);
  const char* find_string_stop(const char* from);
  bool skip_escaped();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t depth_limit_;
  std::size_t depth_ = 0;
  std::uint32_t faults_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace mcpscan::app
