#include "app/http_head.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/hash.h"
#include "base/ignoring_case.h"
#include "model/session_id.h"

namespace mcpscan::app {
namespace {

constexpr std::size_t kMethodBytes = 24;  // longest method name taken for one

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// RFC 9110 5.6.2.
constexpr std::array<bool, 256> kTokenChars = [] {
  std::array<bool, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

// Bytes of letters, digits and dashes that 16 bytes begin with: what nearly all names are made of.
#if defined(__SSE2__)
std::size_t plain_length(const char* bytes) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m128i lower = _mm_or_si128(v, _mm_set1_epi8(0x20));
  const __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(lower, _mm_set1_epi8('z' + 1)));
  const __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('0' - 1)), _mm_cmplt_epi8(v, _mm_set1_epi8('9' + 1)));
  const __m128i plain = _mm_or_si128(_mm_or_si128(letter, digit), _mm_cmpeq_epi8(v, _mm_set1_epi8('-')));
  return static_cast<std::size_t>(__builtin_ctz(~static_cast<unsigned>(_mm_movemask_epi8(plain))));
}
#endif

// Bytes of the token that `text` begins with.
std::size_t token_length(std::string_view text) {
  std::size_t length = 0;
#if defined(__SSE2__)
  constexpr std::size_t kStep = 16;
  while (length + kStep <= text.size()) {
    const std::size_t plain = plain_length(text.data() + length);
    length += plain;
    if (plain < kStep) break;
  }
#endif
  while (length < text.size() && kTokenChars[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

// A field's name in lower case, laid out so that a name in any case is compared eight bytes at a time: where it has a letter, the bit
// that tells upper from lower case does not count.
template <std::size_t Size>
struct KnownName {
  static constexpr std::size_t kLength = Size - 1, kWord = sizeof(std::uint64_t);
  static constexpr std::size_t kWords = (kLength + kWord - 1) / kWord;
  std::array<std::uint64_t, kWords> bytes{}, counting{};

  consteval KnownName(const char (&name)[Size]) {  // NOLINT: so that a literal is one
    for (std::size_t i = 0; i < kLength; ++i) {
      const auto byte = static_cast<unsigned char>(name[i]);
      const std::size_t shift = 8 * (i % kWord);
      bytes[i / kWord] |= static_cast<std::uint64_t>(byte) << shift;
      counting[i / kWord] |= (byte >= 'a' && byte <= 'z' ? std::uint64_t{0xdf} : std::uint64_t{0xff}) << shift;
    }
  }
};

// `name` has the length of the known one.
template <KnownName known>
bool is(const char* name) {
  std::array<std::uint64_t, known.kWords> words{};
  static_assert(std::endian::native == std::endian::little, "the bytes of a name are packed with the first one lowest");
  std::memcpy(words.data(), name, known.kLength);
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < known.kWords; ++i) differ |= (words[i] ^ known.bytes[i]) & known.counting[i];
  return differ == 0;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_method(std::string_view text) {
  return !text.empty() && text.size() <= kMethodBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; });
}

// Calls `each` with the trimmed members of a comma separated list.
template <typename Each>
void for_each_member(std::string_view list, Each each) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view member = trim_space(list.substr(0, comma));
    if (!member.empty()) each(member);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

Coding coding_named(std::string_view name) {
  if (iequals(name, "gzip") || iequals(name, "x-gzip")) return Coding::gzip;
  if (iequals(name, "deflate")) return Coding::deflate;
  if (iequals(name, "br")) return Coding::br;
  if (iequals(name, "zstd")) return Coding::zstd;
  return iequals(name, "identity") ? Coding::identity : Coding::unknown;
}

void add_codings(CodingList& list, std::string_view value) {
  for_each_member(value, [&](std::string_view name) {
    const Coding coding = coding_named(name);
    if (coding == Coding::identity) return;
    if (list.count == CodingList::kMost)
      list.codings[CodingList::kMost - 1] = Coding::unknown;
    else
      list.codings[list.count++] = coding;
  });
}

void add_length(HttpHead& head, std::string_view value) {
  for_each_member(value, [&](std::string_view member) {
    std::uint64_t length = 0;
    const bool number = member.size() <= 18 && std::all_of(member.begin(), member.end(), is_digit);
    if (number) {
      for (const char c : member) length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (!number || (head.has_length && head.content_length != length)) head.oddities |= kLengthsDiffer;
    if (!number || head.has_length) return;
    head.has_length = true;
    head.content_length = length;
  });
}

void add_transfer(HttpHead& head, std::string_view value) {
  for_each_member(value, [&](std::string_view member) {
    const std::string_view name = trim_space(member.substr(0, member.find(';')));
    head.has_transfer = true;
    head.chunked = iequals(name, "chunked");  // only as the last coding does it frame the message
    if (!head.chunked && !iequals(name, "identity")) add_codings(head.codings, name);
  });
}

void add_connection(HttpHead& head, std::string_view value) {
  for_each_member(value, [&](std::string_view member) { head.connection_close |= iequals(member, "close"); });
}

void set_once(std::string_view& field, std::string_view value) {
  if (field.empty()) field = value;
}

void set_accept(HttpHead& head, std::string_view value) {
  set_once(head.accept, value);
  head.accepts_event_stream |= contains_ignoring_case(value, "text/event-stream");
}

void set_last_event_id(HttpHead& head, std::string_view value) {
  set_once(head.last_event_id, value);
  head.has_last_event_id = true;
}

void set_upgrade(HttpHead& head, std::string_view value) {
  head.has_upgrade = true;
  head.upgrade_h2c |= contains_ignoring_case(value, "h2c");
}

// The line that begins at `at`, without its end, and where its first colon stands; the line's size when it has none.
struct Line {
  std::string_view text;
  std::size_t colon = 0;
};

#if defined(__SSE2__)
// Bit i: byte i of the 16 at `at` is `byte`.
unsigned places_of(char byte, const char* at) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), _mm_set1_epi8(byte))));
}
#endif

// `at` moves behind the line. Lines are short: calls of memchr would cost more.
Line next_line(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  std::size_t colon = std::string_view::npos, end = at;
  bool found = false;
#if defined(__SSE2__)
  constexpr std::size_t kStep = 16;
  for (; !found && end + kStep <= text.size(); end += found ? 0 : kStep) {
    const unsigned feeds = places_of('\n', text.data() + end), colons = places_of(':', text.data() + end);
    if (colons != 0) colon = std::min(colon, end + static_cast<std::size_t>(__builtin_ctz(colons)));
    if ((found = feeds != 0)) end += static_cast<std::size_t>(__builtin_ctz(feeds));
  }
#endif
  for (; !found && end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == ':') colon = std::min(colon, end);
  }
  at = end + (end < text.size() ? 1 : 0);
  if (end > begin && text[end - 1] == '\r') --end;
  return {text.substr(begin, end - begin), std::min(colon, end) - begin};
}

bool parse_request_line(std::string_view line, HttpHead& head) {
  if (!is_request_line(line)) return false;
  const std::size_t space = line.find(' ');
  const std::size_t last = line.rfind(' ');
  head.is_request = true;
  head.method = line.substr(0, space);
  head.target = trim_space(line.substr(space + 1, last - space - 1));
  head.minor_version = static_cast<std::uint8_t>(line.back() - '0');
  return true;
}

bool parse_status_line(std::string_view line, HttpHead& head) {
  if (!is_status_line(line)) return false;
  head.is_request = false;
  head.minor_version = static_cast<std::uint8_t>(line[7] - '0');
  head.status = static_cast<std::uint16_t>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
  return true;
}

// RFC 9112 5.2: a fold is replaced by spaces.
std::string_view unfold(std::string_view section, std::string& scratch) {
  scratch.assign(section);
  for (std::size_t at = scratch.find('\n'); at != std::string::npos; at = scratch.find('\n', at + 1)) {
    if (at + 1 >= scratch.size() || (scratch[at + 1] != ' ' && scratch[at + 1] != '\t')) continue;
    scratch[at] = ' ';
    if (at > 0 && scratch[at - 1] == '\r') scratch[at - 1] = ' ';
  }
  return scratch;
}

enum class FieldsRead : std::uint8_t { good, bad, folded };

FieldsRead parse_fields(std::string_view section, std::size_t at, bool strict, HttpHead& head) {
  while (at < section.size()) {
    const std::size_t begin = at;
    const Line line = next_line(section, at);
    if (line.text.empty()) break;
    if (is_blank(line.text.front())) return FieldsRead::folded;
    const bool field = line.colon > 0 && line.colon < line.text.size() && token_length(section.substr(begin)) == line.colon;
    if (field)
      head.add_field(line.text.substr(0, line.colon), trim_space(line.text.substr(line.colon + 1)));
    else
      head.oddities |= kBadField;
    if (!field && strict) return FieldsRead::bad;
  }
  return FieldsRead::good;
}

// Start line and fields. A fold is found on the way; the caller unfolds and reads again.
FieldsRead parse_section(std::string_view section, bool request, bool strict, HttpHead& head) {
  head = HttpHead{};
  head.section = section;
  std::size_t at = 0;
  const std::string_view start = next_line(section, at).text;
  if (!(request ? parse_request_line(start, head) : parse_status_line(start, head))) return FieldsRead::bad;
  return parse_fields(section, at, strict, head);
}

}  // namespace

std::string_view trim_space(std::string_view text) {
  const char *begin = text.data(), *end = begin + text.size();
  while (begin < end && is_blank(*begin)) ++begin;
  while (begin < end && is_blank(end[-1])) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

bool iequals(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

namespace {

// What answers under this name stands in front of others; servers of MCP have other names, or none.
bool is_proxys_name(std::string_view server) {
  constexpr std::array<std::string_view, 16> kNames{"nginx",   "openresty", "envoy", "istio-envoy", "caddy",   "cloudflare",  "awselb",          "cloudfront",
                                                    "haproxy", "varnish",   "kong",  "apisix",      "traefik", "akamaighost", "google frontend", "apache"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    if (server.size() < name.size() || !iequals(server.substr(0, name.size()), name)) return false;
    return server.size() == name.size() || server[name.size()] == '/' || server[name.size()] == ' ';  // Apache/2.4, not Apache-Coyote/1.1
  });
}

}  // namespace

void HttpHead::add_field(std::string_view name, std::string_view value) {
  const char* const at = name.data();
  switch (name.size()) {
    case 3:
      of_proxy |= is<"via">(at);
      break;
    case 4:
      if (is<"host">(at)) set_once(host, value);
      break;
    case 6:
      if (is<"accept">(at))
        set_accept(*this, value);
      else if (is<"origin">(at))
        set_once(origin, value);
      else if (is<"server">(at))
        of_proxy |= is_proxys_name(value);
      break;
    case 7:
      if (is<"upgrade">(at)) set_upgrade(*this, value);
      break;
    case 8:
      if (is<"mcp-name">(at)) set_once(mcp_name, value);
      break;
    case 10:
      if (is<"connection">(at))
        add_connection(*this, value);
      else if (is<"user-agent">(at))
        set_once(user_agent, value);
      else if (is<"mcp-method">(at))
        set_once(mcp_method, value);
      break;
    case 12:
      if (is<"content-type">(at)) set_once(content_type, value);
      break;
    case 13:
      if (is<"authorization">(at) && principal == 0)
        principal = hash_bytes(value);
      else if (is<"last-event-id">(at))
        set_last_event_id(*this, value);
      break;
    case 14:
      if (is<"content-length">(at))
        add_length(*this, value);
      else if (is<"mcp-session-id">(at) && !model::is_masked_id(value))
        set_once(session_id, value);
      break;
    case 15:
      if (is<"x-forwarded-for">(at)) set_once(forwarded_for, value);
      break;
    case 16:
      if (is<"content-encoding">(at)) add_codings(codings, value);
      break;
    case 17:
      if (is<"transfer-encoding">(at)) add_transfer(*this, value);
      break;
    case 20:
      if (is<"mcp-protocol-version">(at)) set_once(protocol_version, value);
      break;
  }
}

namespace {

// Behind the empty line that follows the line feed at `feed`; npos when none does.
std::size_t empty_line_end(std::string_view bytes, std::size_t feed) {
  std::size_t end = feed + 1;
  if (end < bytes.size() && bytes[end] == '\r') ++end;
  return end < bytes.size() && bytes[end] == '\n' ? end + 1 : std::string_view::npos;
}

}  // namespace

std::size_t find_head_end(std::string_view bytes, std::size_t from) {
  std::size_t at = from, end = std::string_view::npos;
#if defined(__SSE2__)
  constexpr std::size_t kStep = 16;
  for (; at + kStep + 1 <= bytes.size(); at += kStep) {  // a line feed with a line's end behind it, whichever of the two
    const char* const next = bytes.data() + at + 1;
    for (unsigned feeds = places_of('\n', bytes.data() + at) & (places_of('\n', next) | places_of('\r', next)); feeds != 0; feeds &= feeds - 1) {
      end = empty_line_end(bytes, at + static_cast<std::size_t>(__builtin_ctz(feeds)));
      if (end != std::string_view::npos) return end;
    }
  }
#endif
  for (; at < bytes.size() && end == std::string_view::npos; ++at) {
    if (bytes[at] == '\n') end = empty_line_end(bytes, at);
  }
  return end;
}

bool parse_head(std::string_view section, bool request, bool strict, std::string& scratch, HttpHead& head) {
  FieldsRead read = parse_section(section, request, strict, head);
  if (read == FieldsRead::folded) {
    read = parse_section(unfold(section, scratch), request, strict, head);
    head.oddities |= kFoldedField;
  }
  if (read != FieldsRead::good) return false;
  if (head.has_transfer && head.has_length) head.oddities |= kLengthAndChunked;
  if (head.has_transfer && !head.chunked) head.oddities |= kUnknownTransfer;
  return true;
}

bool is_request_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !is_method(line.substr(0, space))) return false;
  constexpr std::size_t kVersion = 9;  // " HTTP/1.1"
  if (line.size() < space + 2 + kVersion) return false;
  const std::string_view version = line.substr(line.size() - kVersion);
  return version.substr(0, 8) == " HTTP/1." && is_digit(version[8]);
}

bool is_status_line(std::string_view line) {
  return line.size() >= 12 && line.substr(0, 7) == "HTTP/1." && is_digit(line[7]) && line[8] == ' ' && line[9] >= '1' && line[9] <= '9' &&
         is_digit(line[10]) && is_digit(line[11]) && (line.size() == 12 || line[12] == ' ');
}

bool is_field_line(std::string_view line) {
  const std::size_t name = token_length(line);
  return name > 0 && name < line.size() && line[name] == ':';
}

Likeness looks_like_request(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && (bytes[at] == '\r' || bytes[at] == '\n')) ++at;  // RFC 9112 2.2
  if (at > 4) return Likeness::no;
  bytes.remove_prefix(at);
  const std::size_t line_end = bytes.find('\n');
  std::string_view line = bytes.substr(0, line_end);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line_end != std::string_view::npos) return is_request_line(line) ? Likeness::yes : Likeness::no;
  const std::size_t space = line.find(' ');
  const std::string_view method = line.substr(0, space);
  if (method.size() > kMethodBytes || (!method.empty() && !is_method(method))) return Likeness::no;
  if (space == 0) return Likeness::no;
  const std::string_view rest = space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
  const bool text = std::all_of(rest.begin(), rest.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
  return text ? Likeness::maybe : Likeness::no;
}

Likeness looks_like_response(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && (bytes[at] == '\r' || bytes[at] == '\n')) ++at;
  if (at > 4) return Likeness::no;
  bytes.remove_prefix(at);
  constexpr std::string_view kStart = "HTTP/1.";
  const std::size_t shared = std::min(bytes.size(), kStart.size());
  if (bytes.substr(0, shared) != kStart.substr(0, shared)) return Likeness::no;
  return bytes.size() >= kStart.size() ? Likeness::yes : Likeness::maybe;
}

Likeness looks_like_event(std::string_view bytes) {
  Likeness best = Likeness::no;
  for (const std::string_view field : {"event:", "data:", "id:", "retry:", ":"}) {
    const std::size_t shared = std::min(bytes.size(), field.size());
    if (bytes.substr(0, shared) != field.substr(0, shared)) continue;
    best = std::max(best, shared == field.size() ? Likeness::yes : Likeness::maybe);
  }
  return best;
}

Likeness looks_like_event_chunk(std::string_view bytes) {
  constexpr std::size_t kMostDigits = 6;
  const std::size_t digits = std::min(bytes.size(), bytes.find_first_not_of("0123456789abcdefABCDEF"));
  if (digits == 0 || digits > kMostDigits) return Likeness::no;
  const std::string_view end = bytes.substr(digits, 2);
  if (end != std::string_view("\r\n").substr(0, end.size())) return Likeness::no;
  return end.size() < 2 ? Likeness::maybe : looks_like_event(bytes.substr(digits + 2));
}

}  // namespace mcpscan::app
