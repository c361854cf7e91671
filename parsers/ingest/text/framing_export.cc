// Journal export: KEY=value lines, or KEY, a 64-bit little-endian length and that many bytes; an empty line ends the record.
// The reader of the text may have dropped NUL bytes on the way: a length that leads nowhere is replaced by the next line that looks
// like a field.
#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "ingest/text/char_class.h"
#include "ingest/text/framing.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_field_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
  });
}

bool field_begins(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] == '\n') return true;
  const std::size_t end = text.find_first_of("=\n", at);
  return end != kNone && is_field_name(text.substr(at, end - at));
}

// The value of a binary field whose length stands at `at`; `end` is behind its line end.
std::string_view binary_value(std::string_view text, std::size_t at, std::size_t& end) {
  std::uint64_t length = 0;
  if (at + 8 <= text.size()) {
    for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(text[at + i]);
    const std::size_t left = text.size() - at - 8;
    if (length <= left && (length == left || text[at + 8 + length] == '\n')) {
      end = at + 8 + length + 1;
      return text.substr(at + 8, length);
    }
  }
  std::size_t from = at;
  while (from < text.size() && !is_a(text[from], kVisible | kBlank)) ++from;
  if (from == at && at < text.size()) ++from;  // the length's one byte that is left may be printable
  end = from;
  do {
    const std::size_t line_end = text.find('\n', end);
    end = line_end == kNone ? text.size() : line_end + 1;
  } while (end < text.size() && !field_begins(text, end));
  return text.substr(from, end - from);
}

}  // namespace

std::size_t Framer::read_export(std::string_view text, Frame& frame) {
  if (text.substr(0, 9) != "__CURSOR=") return 0;
  frame.wrap(Framing::journal_export);
  std::size_t at = 0;
  std::string_view message;
  while (at < text.size() && text[at] != '\n') {
    std::size_t end = text.find('\n', at);
    if (end == kNone) end = text.size();
    const std::string_view line = text.substr(at, end - at);
    const std::size_t equal = line.find('=');
    const bool binary = equal == kNone && is_field_name(line);
    const std::string_view name = line.substr(0, equal);
    std::string_view value = equal == kNone ? std::string_view{} : line.substr(equal + 1);
    at = std::min(end + 1, text.size());
    if (binary) {
      value = binary_value(text, at, end);
      at = std::min(end, text.size());
    }
    if (name == "MESSAGE") message = value;
    else if (name == "__REALTIME_TIMESTAMP") frame.stamp(read_time({JsonType::number, false, value}));
    else if (name == "_PID" || name == "SYSLOG_IDENTIFIER" || name == "_SYSTEMD_UNIT" || name == "_TRANSPORT") frame.process = hash_bytes(value, frame.process + 1);
  }
  at = std::min(at + 1, text.size());
  frame.payload = clean(message);
  return at;
}

}  // namespace mcpscan::ingest
