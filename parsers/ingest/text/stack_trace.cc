#include "ingest/text/stack_trace.h"

#include <algorithm>
#include <iterator>

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::string_view kCause = "Caused by: ";
constexpr std::string_view kNames[] = {"Error", "Exception", "Timeout", "Failure", "Interrupt", "Closed"};

// "mcp.shared.exceptions.McpError: ...": letters, digits, dots, and a name that an exception has.
bool names_exception(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view name = line.substr(0, colon);
  const bool word = std::all_of(name.begin(), name.end(), [](char c) { return is_a(c, kLetter | kDigit) || c == '.' || c == '_' || c == '$'; });
  return word && std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view known) { return name.size() >= known.size() && name.substr(name.size() - known.size()) == known; });
}

}  // namespace

std::string_view error_of_stack(std::string_view text) {
  const bool python = text.find("Traceback (most recent call last):") != std::string_view::npos;
  if (!python && text.find("\n\tat ") == std::string_view::npos && text.find("\n    at ") == std::string_view::npos) return {};
  for (int i = 0; i < kStackLines && !text.empty(); ++i) {
    const std::size_t before = text.rfind('\n');
    std::string_view line = before == std::string_view::npos ? text : text.substr(before + 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '|' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    const bool cause = line.substr(0, kCause.size()) == kCause;
    if (cause) line.remove_prefix(kCause.size());
    if (names_exception(line)) return line;
    if (before == std::string_view::npos) break;
    text = text.substr(0, before);
  }
  return {};
}

}  // namespace mcpscan::ingest
