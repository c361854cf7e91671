#include "ingest/har/body_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ingest/text/char_class.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mcpscan::ingest {
namespace {

constexpr std::int8_t kNoDigit = -1, kSkipped = -2;

constexpr std::array<std::int8_t, 256> kDigits = [] {
  std::array<std::int8_t, 256> table{};
  for (auto& digit : table) digit = kNoDigit;
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  table['-'] = 62;
  table['_'] = 63;
  for (const char blank : {' ', '\t', '\r', '\n'}) table[static_cast<unsigned char>(blank)] = kSkipped;
  return table;
}();

// How base64 of a JSON object or array, or of an event stream's first line, begins.
constexpr std::array<std::string_view, 9> kEncodedHeads = {"eyJ", "eyA", "ewo", "ew0", "W3s", "Wwo", "ZXZlbnQ", "ZGF0YT", "aWQ6"};

bool begins_as_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos) return false;
  constexpr std::array<std::string_view, 7> kHeads = {"{", "[", ":", "event:", "data:", "id:", "retry:"};
  return std::any_of(kHeads.begin(), kHeads.end(), [&](std::string_view head) { return text.substr(first).starts_with(head); });
}

// A body that some tools take for a form: name, and "=value" where there was one.
std::string_view join_params(const std::vector<HarParam>& params, Arena& arena) {
  std::string joined;
  for (const HarParam& param : params) {
    if (!joined.empty()) joined += '&';
    joined.append(param.name);
    const std::string_view value = unescape_json(param.value, arena);
    if (!value.empty()) joined.append("=").append(value);
  }
  return arena.copy(joined);
}

// chrome-har gives the members of a JSON object as parameters whose values are JSON still, and so an array's with their places as names.
std::string_view members_again(const std::vector<HarParam>& params, Arena& arena) {
  const bool array = params.front().name == "0" && params.back().name == fmt::format_int(params.size() - 1).str();
  std::string json(1, array ? '[' : '{');
  for (const HarParam& param : params) {
    if (json.size() > 1) json += ',';
    if (!array) json.append("\"").append(param.name).append("\":");
    if (param.value.is_text()) json.append("\"").append(param.value.text).append("\"");
    else json.append(param.value.text);
  }
  json += array ? ']' : '}';
  return arena.copy(json);
}

// Not a text that was cut at its '&' and '=', whatever type was told for it.
bool are_members(const HarBody& body) {
  if (!equal_ignoring_case(body.mime_type.substr(0, body.mime_type.find(';')), "application/json")) return false;
  return std::all_of(body.params.begin(), body.params.end(),
                     [](const HarParam& param) { return param.name.find_first_of("{[\"\\") == std::string_view::npos && param.value.type != JsonType::none; });
}

bool says_base64(std::string_view encoding) { return equal_ignoring_case(encoding, "base64"); }

// Copies up to the next backslash, whose place it returns. `to` has room for 16 bytes more than that.
std::size_t copy_plain(std::string_view text, std::size_t at, char*& to) {
#if defined(__SSE2__)
  const __m128i slash = _mm_set1_epi8('\\');
  for (; at + 16 <= text.size(); at += 16, to += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, slash)));
    if (mask == 0) continue;
    const int before = __builtin_ctz(mask);
    to += before;
    return at + static_cast<std::size_t>(before);
  }
#endif
  while (at < text.size() && text[at] != '\\') *to++ = text[at++];
  return at;
}

// What a backslash and `c` stand for; 0 for \u, which needs more.
char plain_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'u': return '\0';
    default: return c;
  }
}

// The \uXXXX that follow each other at `at`, as far as they do: the halves of a pair must stay together.
std::string_view unicode_run(std::string_view text, std::size_t at) {
  constexpr std::size_t kEscape = 6;
  std::size_t end = at;
  while (text.substr(end, 2) == "\\u") end = std::min(end + kEscape, text.size());
  return text.substr(at, end - at);
}

}  // namespace

std::string_view unescape_body(const JsonValue& value, Arena& arena) {
  if (!value.escaped) return value.text;
  const std::string_view text = value.text;
  const std::span<char> buffer = arena.buffer(text.size() + 16);
  char* to = buffer.data();
  for (std::size_t at = copy_plain(text, 0, to); at + 1 < text.size(); at = copy_plain(text, at, to)) {
    if (const char plain = plain_escape(text[at + 1])) {
      *to++ = plain;
      at += 2;
      continue;
    }
    const std::string_view run = unicode_run(text, at);
    const std::string_view decoded = unescape_json({JsonType::string, true, run}, arena);
    to = std::copy_n(decoded.data(), decoded.size(), to);
    at += run.size();
  }
  return {buffer.data(), static_cast<std::size_t>(to - buffer.data())};
}

bool decode_base64(std::string_view text, Arena& arena, std::string_view& out) {
  const std::span<char> buffer = arena.buffer(text.size() / 4 * 3 + 3);
  char* to = buffer.data();
  std::uint32_t bits = 0;
  unsigned count = 0, padding = 0;
  for (const char c : text) {
    const std::int8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kSkipped) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    if (digit == kNoDigit || padding > 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++count < 4) continue;
    *to++ = static_cast<char>(bits >> 16);
    *to++ = static_cast<char>(bits >> 8);
    *to++ = static_cast<char>(bits);
    count = 0;
  }
  if (count == 1 || padding > 2) return false;
  if (count > 1) *to++ = static_cast<char>(bits >> (count == 2 ? 4 : 10));
  if (count > 2) *to++ = static_cast<char>(bits >> 2);
  out = {buffer.data(), static_cast<std::size_t>(to - buffer.data())};
  return true;
}

BodyText body_text(const HarBody& body, Arena& arena) {
  if (!body.text.present() && !body.params.empty()) return {are_members(body) ? members_again(body.params, arena) : join_params(body.params, arena), BodyOddity::none};
  if (!body.has_text()) return {};
  if (!body.text.is_text()) return {body.text.text, BodyOddity::none};  // JSON put in unquoted
  const std::string_view text = unescape_body(body.text, arena);
  std::string_view decoded;
  if (says_base64(body.encoding)) {
    if (decode_base64(text, arena, decoded)) return {decoded, BodyOddity::none};
    return {text, BodyOddity::flag_without_base64};
  }
  const bool may_be_encoded = std::any_of(kEncodedHeads.begin(), kEncodedHeads.end(), [&](std::string_view head) { return text.starts_with(head); });
  if (may_be_encoded && decode_base64(text, arena, decoded) && begins_as_text(decoded)) return {decoded, BodyOddity::base64_without_flag};
  return {text, BodyOddity::none};
}

}  // namespace mcpscan::ingest
