#include "ingest/text/framing.h"

#include <array>

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::array<std::string_view, kFramings> kNames{"docker-json", "cri",         "journal-json", "journal-export", "syslog-5424",
                                                         "syslog-3164", "syslog-file", "compose",      "json-lines",     "gcp",
                                                         "elasticsearch", "ecs",       "datadog",      "loki",           "cloudwatch",
                                                         "fluent-bit",   "otlp",       "timestamps"};

// Length of the escape sequence at `at`, which is an ESC. ECMA-48: CSI ends with 0x40..0x7e, OSC with BEL or ESC \.
std::size_t escape_length(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 1;
  const char kind = text[at + 1];
  if (kind == '[') {
    std::size_t end = at + 2;
    while (end < text.size() && !(text[end] >= 0x40 && text[end] <= 0x7e)) ++end;
    return std::min(end + 1, text.size()) - at;
  }
  if (kind != ']') return 2;
  for (std::size_t end = at + 2; end < text.size(); ++end) {
    if (text[end] == '\a') return end + 1 - at;
    if (text[end] == '\x1b') return std::min(end + 2, text.size()) - at;
  }
  return text.size() - at;
}

// [32m whose ESC a shipper dropped.
std::size_t bare_colour_length(std::string_view text, std::size_t at) {
  if (text[at] != '[') return 0;
  std::size_t end = at + 1;
  while (end < text.size() && (is_digit(text[end]) || text[end] == ';')) ++end;
  return end > at + 1 && end < text.size() && text[end] == 'm' ? end + 1 - at : 0;
}

}  // namespace

std::string_view name_of(Framing framing) { return kNames[static_cast<std::size_t>(framing)]; }

std::string_view strip_ansi(std::string_view text, Arena& arena) {
  if (text.empty()) return text;
  const bool bare = bare_colour_length(text, 0) != 0;
  if (!bare && std::memchr(text.data(), '\x1b', text.size()) == nullptr) return text;
  const std::span<char> buffer = arena.buffer(text.size());
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = text[at] == '\x1b' ? escape_length(text, at) : bare ? bare_colour_length(text, at) : 0;
    if (length != 0) at += length;
    else buffer[used++] = text[at++];
  }
  return {buffer.data(), used};
}

std::string_view Framer::clean(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return strip_ansi(text, arena_);
}

bool Framer::peel_one(Frame& frame) {
  const char first = frame.payload[0];
  if (first == '{') return read_json(frame);
  if (is_digit(first)) return peel_digit(frame);
  if (first == '<') return read_syslog(frame);
  if (first == '[') return read_kubectl_prefix(frame);
  if (first >= 'A' && first <= 'S' && read_short(frame)) return true;
  return is_a(first, kLetter) && (read_pairs(frame) || read_compose(frame) || read_fluent_pair(frame) || read_pod_prefix(frame));
}

bool Framer::peel_digit(Frame& frame) {
  const std::string_view text = frame.payload;
  if (text.size() > 20 && text[4] == '-' && text[10] == 'T') return read_cri(frame);
  if (text.size() > 20 && text[4] == '-') return text.substr(0, kUnframedBytes).find('\t') != std::string_view::npos && read_zap(frame);  // else the common asctime
  const Decimal count = read_decimal(text);
  if (count.digits != 0 && count.digits <= 8 && text.substr(count.digits, 2) == " <") {
    frame.payload.remove_prefix(count.digits + 1);  // RFC 6587 octet counting
    return read_syslog(frame);
  }
  return text.size() > count.digits && text[count.digits] == '|' && read_compose(frame);
}

}  // namespace mcpscan::ingest
