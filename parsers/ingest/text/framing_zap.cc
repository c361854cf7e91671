// zap's console form: time, level, perhaps the logger's name, caller and message with tabs between them, and the fields as JSON behind. It is read
// as the JSON object that zap would have written.
// Source: uber-go/zap 1.27 zapcore/console_encoder.go, entry.go (EntryCaller.TrimmedPath).
#include <algorithm>
#include <array>
#include <string>

#include "ingest/text/char_class.h"
#include "ingest/text/framing.h"
#include "ingest/text/json_scan.h"

namespace mcpscan::ingest {
namespace {

constexpr std::array<std::string_view, 7> kLevels{"debug", "info", "warn", "error", "dpanic", "panic", "fatal"};

bool is_level(std::string_view word) {
  return std::any_of(kLevels.begin(), kLevels.end(), [word](std::string_view level) { return equal_ignoring_case(word, level); });
}

// core/middleware.go:86
bool is_caller(std::string_view word) {
  const std::size_t mark = word.rfind(".go:");
  return mark != std::string_view::npos && mark + 4 < word.size() && run_of(word, mark + 4, kDigit) == word.size() - mark - 4;
}

std::string_view next_column(std::string_view& text) {
  const std::size_t tab = std::min(text.find('\t'), text.size());
  const std::string_view column = text.substr(0, tab);
  text.remove_prefix(std::min(tab + 1, text.size()));
  return column;
}

void put_member(std::string& to, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  to += to.size() > 1 ? ",\"" : "\"";
  to += name;
  to += "\":\"";
  append_escaped(to, text);
  to += '"';
}

}  // namespace

bool Framer::read_zap(Frame& frame) {
  std::string_view left = frame.payload;
  const std::string_view time = next_column(left), level = next_column(left);
  if (!is_level(level)) return false;
  std::string_view caller = next_column(left), logger;
  if (!is_caller(caller)) logger = caller, caller = next_column(left);
  if (!is_caller(caller)) return false;
  std::string json = "{";
  put_member(json, "level", level);
  put_member(json, "time", time);
  put_member(json, "logger", logger);
  put_member(json, "caller", caller);
  put_member(json, "msg", next_column(left));
  const bool fields = left.size() > 2 && left.front() == '{' && left.back() == '}';
  json += fields ? "," : "}";
  if (fields) json += left.substr(1);
  const std::string_view line = frame.payload;
  frame.payload = arena_.copy(json);
  if (members_.read(frame.payload) && (read_with_rule(frame) || read_logger_json(frame))) return true;
  frame.payload = line;
  return false;
}

}  // namespace mcpscan::ingest
