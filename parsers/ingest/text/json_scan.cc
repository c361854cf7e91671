#include "ingest/text/json_scan.h"

#include "ingest/text/char_class.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_structure(char c) { return c == '"' || c == '{' || c == '}' || c == '[' || c == ']'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// Behind the closing quote of the string whose inside begins at `from`; npos when it does not end.
std::size_t string_end(std::string_view text, std::size_t from, bool& escaped) {
  for (std::size_t at = find_string_mark(text, from); at < text.size(); at = find_string_mark(text, at)) {
    if (text[at] == '"') return at + 1;
    escaped = true;
    at += 2;
  }
  return kNone;
}

// Behind the object or array at `from`. {"jsonrpc"... stays cheap: only quotes and brackets are looked at.
std::size_t nested_end(std::string_view text, std::size_t from) {
  std::size_t depth = 0;
  bool ignored = false;
  for (std::size_t at = from; (at = find_structure(text, at)) < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at + 1, ignored);
      if (at == kNone) return kNone;
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    else if (--depth == 0) return at;
  }
  return kNone;
}

std::size_t scalar_end(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_a(text[at], kDigit | kLetter) || text[at] == '-' || text[at] == '+' || text[at] == '.')) ++at;
  return at;
}

// Reads the value at `at`; behind it, or npos.
std::size_t read_value(std::string_view text, std::size_t at, JsonValue& value) {
  if (at >= text.size()) return kNone;
  const char c = text[at];
  value.escaped = false;
  if (c == '"') {
    const std::size_t end = string_end(text, at + 1, value.escaped);
    if (end == kNone) return kNone;
    value.type = JsonType::string;
    value.text = text.substr(at + 1, end - at - 2);
    return end;
  }
  const bool nested = c == '{' || c == '[';
  const std::size_t end = nested ? nested_end(text, at) : scalar_end(text, at);
  if (end == kNone || end == at) return kNone;
  value.type = c == '{' ? JsonType::object : c == '[' ? JsonType::array : is_digit(c) || c == '-' ? JsonType::number : JsonType::literal;
  value.text = text.substr(at, end - at);
  return end;
}

void append_utf8(char*& to, std::uint32_t code) {
  if (code < 0x80) { *to++ = static_cast<char>(code); return; }
  if (code < 0x800) { *to++ = static_cast<char>(0xc0 | code >> 6); }
  else if (code < 0x10000) { *to++ = static_cast<char>(0xe0 | code >> 12); *to++ = static_cast<char>(0x80 | (code >> 6 & 63)); }
  else {
    *to++ = static_cast<char>(0xf0 | code >> 18);
    *to++ = static_cast<char>(0x80 | (code >> 12 & 63));
    *to++ = static_cast<char>(0x80 | (code >> 6 & 63));
  }
  *to++ = static_cast<char>(0x80 | (code & 63));
}

// The four hex digits at `at`; -1 when they are none.
std::int32_t hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  std::int32_t code = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    if (!is_a(text[i], kDigit | kHexLetter)) return -1;
    code = code * 16 + (is_digit(text[i]) ? text[i] - '0' : lower(text[i]) - 'a' + 10);
  }
  return code;
}

// \uXXXX, a pair of them for a code point beyond the plane; `at` stands behind the backslash.
std::size_t unescape_unicode(std::string_view text, std::size_t at, char*& to) {
  std::int32_t code = hex4(text, at + 1);
  if (code < 0) return *to++ = 'u', at + 1;
  at += 5;
  if (code >= 0xd800 && code < 0xdc00 && text.substr(at, 2) == "\\u") {
    const std::int32_t low = hex4(text, at + 2);
    if (low >= 0xdc00 && low < 0xe000) {
      append_utf8(to, 0x10000u + (static_cast<std::uint32_t>(code - 0xd800) << 10) + static_cast<std::uint32_t>(low - 0xdc00));
      return at + 6;
    }
  }
  append_utf8(to, code >= 0xd800 && code < 0xe000 ? 0xfffdu : static_cast<std::uint32_t>(code));
  return at;
}

std::size_t unescape_one(std::string_view text, std::size_t at, char*& to) {
  switch (text[at]) {
    case 'n': *to++ = '\n'; return at + 1;
    case 't': *to++ = '\t'; return at + 1;
    case 'r': *to++ = '\r'; return at + 1;
    case 'b': *to++ = '\b'; return at + 1;
    case 'f': *to++ = '\f'; return at + 1;
    case 'u': return unescape_unicode(text, at, to);
    default: *to++ = text[at]; return at + 1;
  }
}

}  // namespace

std::size_t find_string_mark(std::string_view text, std::size_t from) {
  std::size_t at = from;
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const int mask = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash)));
    if (mask != 0) return at + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
  }
#endif
  while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
  return at < text.size() ? at : text.size();
}

std::size_t find_structure(std::string_view text, std::size_t from) {
  std::size_t at = from;
#if defined(__SSE2__)
  // '{' and '[' differ in one bit, as do '}' and ']': one compare for each pair after setting it.
  const __m128i quote = _mm_set1_epi8('"'), bit = _mm_set1_epi8(0x20), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i folded = _mm_or_si128(bytes, bit);
    const __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close));
    const int mask = _mm_movemask_epi8(_mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, quote)));
    if (mask != 0) return at + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
  }
#endif
  while (at < text.size() && !is_structure(text[at])) ++at;
  return at < text.size() ? at : text.size();
}

bool JsonMembers::read(std::string_view text) {
  count_ = consumed_ = 0;
  more_ = false;
  if (text.empty() || text[0] != '{') return stop(0);
  std::size_t at = skip_blanks(text, 1);
  if (at < text.size() && text[at] == '}') return consumed_ = at + 1, true;
  while (at < text.size() && text[at] == '"') {
    JsonMember member;
    bool escaped = false;
    const std::size_t end = string_end(text, at + 1, escaped);
    if (end == kNone) return stop(text.size());
    member.key = text.substr(at + 1, end - at - 2);
    at = skip_blanks(text, end);
    if (at >= text.size() || text[at] != ':') return stop(at);
    const std::size_t value = skip_blanks(text, at + 1);
    at = read_value(text, value, member.value);
    if (at == kNone) return stop(value);
    if (count_ < kMost) members_[count_++] = member;
    else more_ = true;
    at = skip_blanks(text, at);
    if (at < text.size() && text[at] == '}') return consumed_ = at + 1, true;
    if (at >= text.size() || text[at] != ',') return stop(at);
    at = skip_blanks(text, at + 1);
  }
  return stop(at);
}

JsonValue JsonMembers::find(std::string_view key) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (members_[i].key == key) return members_[i].value;
  }
  return {};
}

bool for_each_item(std::string_view array, FunctionRef<bool(const JsonValue&)> visit) {
  if (array.empty() || array[0] != '[') return false;
  std::size_t at = skip_blanks(array, 1);
  if (at < array.size() && array[at] == ']') return true;
  while (at < array.size()) {
    JsonValue value;
    at = read_value(array, at, value);
    if (at == kNone) return false;
    if (!visit(value)) return true;
    at = skip_blanks(array, at);
    if (at >= array.size() || array[at] != ',') break;
    at = skip_blanks(array, at + 1);
  }
  return at < array.size() && array[at] == ']';
}

namespace {

JsonValue array_item(std::string_view array, std::int64_t index) {
  JsonValue found;
  for_each_item(array, [&](const JsonValue& item) {
    if (index-- == 0) found = item;
    return index >= 0;
  });
  return found;
}

}  // namespace

namespace {

JsonValue find_inside(std::string_view object, std::string_view path) {
  JsonMembers inner;
  return inner.read(object) ? find_path(inner, path) : JsonValue{};
}

// By its first letter, and by its ends and length, whatever its case.
std::uint64_t first_bit(std::string_view name) { return name.empty() ? 0 : std::uint64_t{1} << (name.front() & 31); }
std::uint64_t whole_bit(std::string_view name) {
  if (name.empty()) return 0;
  const auto first = static_cast<unsigned>(name.front() & 31), last = static_cast<unsigned>(name.back() & 31);
  return std::uint64_t{1} << (32 + ((first * 7 + last * 3 + name.size()) & 31));
}

}  // namespace

std::uint64_t name_bits(const JsonMembers& members) {
  std::uint64_t bits = 0;
  for (const JsonMember& member : members) bits |= first_bit(member.key) | whole_bit(member.key);
  return bits;
}

// The whole of a path with dots may name a key, and so may its head.
std::uint64_t name_bits(std::string_view path) { return first_bit(path) | (path.find('.') == kNone ? whole_bit(path) : 0); }

JsonValue find_path(const JsonMembers& members, std::string_view path) {
  for (const JsonMember& member : members) {
    if (equal_ignoring_case(member.key, path)) return member.value;
  }
  const std::size_t dot = path.find('.');
  if (dot == kNone) return {};
  const std::string_view head = path.substr(0, dot), rest = path.substr(dot + 1);
  JsonValue value;
  for (const JsonMember& member : members) {
    if (equal_ignoring_case(member.key, head)) { value = member.value; break; }
  }
  if (value.type == JsonType::object) return find_inside(value.text, rest);
  if (value.type != JsonType::array) return {};
  const Decimal index = read_decimal(rest);
  if (index.digits == 0) return {};
  const JsonValue item = array_item(value.text, index.value);
  if (index.digits == rest.size()) return item;
  return rest[index.digits] == '.' && item.type == JsonType::object ? find_inside(item.text, rest.substr(index.digits + 1)) : JsonValue{};
}

std::string_view unescape_json(const JsonValue& value, Arena& arena) {
  if (!value.escaped) return value.text;
  const std::string_view text = value.text;
  const std::span<char> buffer = arena.buffer(text.size());  // every escape is at least as long as what it stands for
  char* to = buffer.data();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t slash = std::min(text.find('\\', at), text.size());
    std::memcpy(to, text.data() + at, slash - at);
    to += slash - at;
    if (slash + 1 >= text.size()) break;
    at = unescape_one(text, slash + 1, to);
  }
  return {buffer.data(), static_cast<std::size_t>(to - buffer.data())};
}

void append_escaped(std::string& to, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') to += '\\', to += c;
    else if (c == '\n') to += "\\n";
    else if (byte < 0x20) to += "\\u00", to += kHex[byte >> 4], to += kHex[byte & 15];
    else to += c;
  }
}

}  // namespace mcpscan::ingest
