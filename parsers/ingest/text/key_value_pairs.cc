#include "ingest/text/key_value_pairs.h"

#include <algorithm>
#include <array>

#include "ingest/text/char_class.h"
#include "ingest/text/json_scan.h"

namespace mcpscan::ingest {
namespace {

constexpr std::array<std::string_view, 9> kFirstKeys{"time", "ts", "t", "timestamp", "level", "lvl", "severity", "msg", "message"};
constexpr std::size_t kMostKey = 64;

// Length of a key with its equals sign at `at`, 0 for none.
std::size_t key_length(std::string_view text, std::size_t at) {
  if (at >= text.size() || !(is_a(text[at], kLetter) || text[at] == '_')) return 0;
  std::size_t end = at;
  while (end < text.size() && end - at < kMostKey && is_a(text[end], kLetter | kDigit | kLoggerMark)) ++end;
  return end < text.size() && text[end] == '=' ? end + 1 - at : 0;
}

std::size_t quoted_end(std::string_view text, std::size_t at) {
  for (std::size_t end = at + 1; end < text.size(); ++end) {
    if (text[end] == '\\') ++end;
    else if (text[end] == '"') return end + 1;
  }
  return text.size();
}

// The blank before the next key, or the end.
std::size_t bare_end(std::string_view text, std::size_t at) {
  for (std::size_t end = at; end < text.size(); ++end) {
    if (is_blank(text[end]) && end + 1 < text.size() && key_length(text, end + 1) != 0) return end;
  }
  return text.size();
}

// Behind the bracketed value at `at`; strings inside may hold brackets.
std::size_t bracketed_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t end = at; end < text.size();) {
    const char c = text[end];
    if (c == '"') {
      end = quoted_end(text, end);
      continue;
    }
    ++end;
    if (c == '{' || c == '[') ++depth;
    else if ((c == '}' || c == ']') && --depth == 0) return end;
  }
  return text.size();
}

// Writes JSON into a buffer that is large enough: each byte of the text becomes two at most, each pair gains five.
class JsonWriter {
 public:
  explicit JsonWriter(std::span<char> room) : room_(room) { put('{'); }

  void member(std::string_view key, std::string_view value, bool is_escaped) {
    if (used_ > 1) put(',');
    put('"'), put_all(key), put('"'), put(':'), put('"');
    if (is_escaped) put_all(value);
    else for (const char c : value) put_escaped(c);
    put('"');
  }
  std::string_view text() { return put('}'), std::string_view(room_.data(), used_); }
  bool empty() const { return used_ == 1; }

 private:
  void put(char c) { room_[used_++] = c; }
  void put_all(std::string_view text) {
    for (const char c : text) put(c);
  }
  void put_escaped(char c) {
    if (c == '"' || c == '\\') put('\\');
    put(c == '\t' ? ' ' : c);
  }

  std::span<char> room_;
  std::size_t used_ = 0;
};

}  // namespace

bool begins_with_pair(std::string_view line) {
  const std::size_t length = key_length(line.substr(0, kMostKey), 0);
  return length != 0 && std::find(kFirstKeys.begin(), kFirstKeys.end(), line.substr(0, length - 1)) != kFirstKeys.end();
}

std::string_view pairs_as_json(std::string_view text, Arena& arena) {
  text = text.substr(0, text.find('\n'));
  JsonWriter json(arena.buffer(4 * text.size() + 8));
  for (std::size_t at = 0; at < text.size();) {
    const bool may_begin = at == 0 || is_blank(text[at - 1]);
    const std::size_t length = may_begin ? key_length(text, at) : 0;
    if (length == 0) {
      ++at;
      continue;
    }
    const std::string_view key = text.substr(at, length - 1);
    at += length;
    const char first = at < text.size() ? text[at] : ' ';
    const std::size_t end = first == '"' ? quoted_end(text, at) : first == '{' || first == '[' ? bracketed_end(text, at) : bare_end(text, at);
    const bool quoted = first == '"' && end >= at + 2 && text[end - 1] == '"';
    json.member(key, quoted ? text.substr(at + 1, end - at - 2) : trim_right(text.substr(at, end - at)), quoted);
    at = end;
  }
  return json.empty() ? std::string_view{} : json.text();
}

}  // namespace mcpscan::ingest
