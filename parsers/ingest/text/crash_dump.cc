#include "ingest/text/crash_dump.h"

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr int kMostCode = 2;  // lines of code above the caret

// "/app/server.js:12", "node:events:496"; digits of a column are not behind those of the line.
bool ends_in_place(std::string_view line) {
  std::size_t digits = line.size();
  while (digits > 0 && is_digit(line[digits - 1])) --digits;
  if (digits == line.size() || digits < 4 || line[digits - 1] != ':') return false;
  const std::string_view file = line.substr(0, digits - 1);
  if (file.ends_with(".js") || file.ends_with(".mjs") || file.ends_with(".cjs")) return true;
  return file.substr(file.find_last_of(' ') + 1).starts_with("node:") && !is_digit(file.back());
}

bool is_caret(std::string_view line) {
  const std::size_t caret = line.find_first_not_of(" \t");
  return caret != std::string_view::npos && line.find_first_not_of('^', caret) == std::string_view::npos;
}

// "TypeError [ERR_X]: ...", "[UnhandledPromiseRejection: ...".
bool names_error(std::string_view line) {
  if (line.starts_with("[Unhandled")) return true;
  const std::size_t name = run_of(line, 0, kLetter | kDigit);
  return name >= 5 && line.substr(name - 5, 5) == "Error";
}

bool is_version(std::string_view line) { return line.starts_with("Node.js v"); }

// Below the error, beside what is indented or closes a printed object.
bool is_below_error(std::string_view line) {
  return is_version(line) || line.starts_with("Emitted '") || line.starts_with("Require stack:") || line.starts_with("- /") || line.starts_with("Thrown at:");
}

// No line of code begins like this, and records do: a time, a level, a message.
bool may_be_record(std::string_view line) { return !line.empty() && (is_digit(line[0]) || line[0] == '[' || line[0] == '{'); }

bool is_inner(std::string_view line) { return line.empty() || line[0] == ' ' || line[0] == '\t' || line[0] == '}' || line[0] == ']'; }

}  // namespace

void CrashDump::begin(std::string_view line) {
  part_ = begins_crash_dump(line) ? Part::place : Part::none;
  lines_ = 1;
}

bool CrashDump::goes_on_with(std::string_view line) const {
  if (part_ == Part::none || lines_ >= kMostLines) return false;
  if (part_ == Part::place) return (lines_ <= kMostCode && !may_be_record(line)) || is_caret(line);
  return is_inner(line) || (part_ == Part::caret ? names_error(line) : is_below_error(line));
}

void CrashDump::take(std::string_view line) {
  if (part_ == Part::none) return;
  if (!goes_on_with(line) || is_version(line)) part_ = Part::none;
  else if (part_ == Part::place && is_caret(line)) part_ = Part::caret;
  else if (part_ == Part::caret && names_error(line)) part_ = Part::error;
  ++lines_;
}

bool begins_crash_dump(std::string_view line) {
  const bool path = line.starts_with('/') || line.starts_with("file:///") || line.starts_with("node:") || (line.size() > 2 && line[1] == ':' && line[2] == '\\');
  return path && ends_in_place(line);
}

bool may_go_on_dump(std::string_view before, std::string_view line) {
  return ends_in_place(before) || is_caret(before) || is_below_error(line) || (before.empty() && names_error(line));
}

}  // namespace mcpscan::ingest
