#include "report/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "report/utf8.h"

namespace mcpscan::report {
namespace {

// A base letter with more marks than this is a drawing over the neighbouring lines, not writing.
constexpr unsigned kMostMarks = 3;

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c <= 0x9f); }

bool is_invisible(char32_t c) {
  if (c < 0xad) return false;
  return c == 0xad || c == 0x061c || c == 0x115f || c == 0x1160 || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || c == 0xfeff || c == 0xffa0 ||
         (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff) || (c & 0xfffe) == 0xfffe;
}

void append_visible(std::string& to, const CodePoint& point) {
  if (point.value == '\n' || point.value == '\r' || point.value == '\t') {
    to += point.value == '\n' ? "\\n" : point.value == '\r' ? "\\r" : "\\t";
  } else if (!point.valid || is_control(point.value)) {
    fmt::format_to(std::back_inserter(to), "\\x{:02x}", static_cast<unsigned>(point.value));
  } else {
    fmt::format_to(std::back_inserter(to), "\\u{{{:x}}}", static_cast<unsigned>(point.value));
  }
}

void append_unit(std::string& to, unsigned unit) { fmt::format_to(std::back_inserter(to), "\\u{:04x}", unit); }

void append_json_escape(std::string& to, char32_t value) {
  if (value == '\n' || value == '\r' || value == '\t') {
    to += value == '\n' ? "\\n" : value == '\r' ? "\\r" : "\\t";
  } else if (value < 0x10000) {
    append_unit(to, static_cast<unsigned>(value));
  } else {
    append_unit(to, 0xd800 + static_cast<unsigned>((value - 0x10000) >> 10));
    append_unit(to, 0xdc00 + static_cast<unsigned>((value - 0x10000) & 0x3ff));
  }
}

constexpr std::array<bool, 256> kPlainJson = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();
bool is_plain_json(char c) { return kPlainJson[static_cast<unsigned char>(c)]; }

void append_json_point(std::string& to, std::string_view bytes, const CodePoint& point) {
  if (!point.valid) {
    fmt::format_to(std::back_inserter(to), "\\\\x{:02x}", static_cast<unsigned>(point.value));
  } else if (is_control(point.value) || is_invisible(point.value)) {
    append_json_escape(to, point.value);
  } else {
    if (point.value == '"' || point.value == '\\') to += '\\';
    to += bytes;
  }
}

// An empty comment parts what the trackers' link filters look for in the finished text; an entity would not.
constexpr std::string_view kPart = "<!-- -->";

void append_markdown(std::string& to, std::string_view text, std::size_t at) {
  static constexpr std::string_view kSigns = "\\`*_{}[]()#+!|~$>";
  const char c = text[at];
  const std::string_view rest = text.substr(at);
  if (c == '<' || c == '&') {
    to += c == '<' ? "&lt;" : "&amp;";
  } else {
    if (kSigns.find(c) != std::string_view::npos) to += '\\';
    to += c;
  }
  if (c == '@' || c == '#' || c == '!' || rest.starts_with("://") || rest.starts_with("www.") || rest.starts_with("WWW.")) to += kPart;
}

}  // namespace

std::string escape_terminal(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  unsigned marks = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    marks = point.valid && cell_width(point.value) == 0 ? marks + 1 : 0;
    if (!point.valid || is_control(point.value) || is_invisible(point.value) || marks > kMostMarks) {
      append_visible(shown, point);
    } else {
      shown += text.substr(at, point.length);
    }
    at += point.length;
  }
  return shown;
}

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  for (std::size_t at = 0; at < text.size();) {
    std::size_t plain = at;
    while (plain < text.size() && is_plain_json(text[plain])) ++plain;
    to += text.substr(at, plain - at);
    at = plain;
    if (at == text.size()) break;
    const CodePoint point = decode_utf8(text, at);
    append_json_point(to, text.substr(at, point.length), point);
    at += point.length;
  }
  to += '"';
}

void append_csv_cell(std::string& to, std::string_view text) {
  std::string cell = escape_terminal(text);
  if (!cell.empty() && std::string_view("=+-@").find(cell[0]) != std::string_view::npos) cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\" ;") == std::string::npos) {
    to += cell;
    return;
  }
  to += '"';
  for (const char c : cell) to.append(c == '"' ? 2 : 1, c);
  to += '"';
}

std::string escape_markdown(std::string_view text) {
  const std::string visible = escape_terminal(text);
  std::string shown;
  shown.reserve(visible.size());
  for (std::size_t at = 0; at < visible.size(); ++at) append_markdown(shown, visible, at);
  return shown;
}

std::string escape_html(std::string_view text) {
  const std::string visible = escape_terminal(text);
  std::string shown;
  shown.reserve(visible.size());
  for (const char c : visible) {
    switch (c) {
      case '&': shown += "&amp;"; break;
      case '<': shown += "&lt;"; break;
      case '>': shown += "&gt;"; break;
      case '"': shown += "&quot;"; break;
      case '\'': shown += "&#39;"; break;
      default: shown += c;
    }
  }
  return shown;
}

std::string escape_sarif_message(std::string_view text) {
  std::string shown;
  for (const char c : escape_terminal(text)) {
    if (c == '\\' || c == '[' || c == ']') shown += '\\';
    if (c == '{' || c == '}') shown += c;
    shown += c;
  }
  return shown;
}

std::string path_uri(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) uri += c;
    else fmt::format_to(std::back_inserter(uri), "%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return uri;
}

std::string fenced_markdown(std::string_view lines) {
  std::size_t longest = 2, run = 0;
  for (const char c : lines) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}text\n{}{}\n", fence, lines, fence);
}

}  // namespace mcpscan::report
