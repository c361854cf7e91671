#include <algorithm>
#include <array>

#include "app/message_reader.h"
#include "base/find_text.h"

// One search for the word "jsonrpc" tells whether a line has a body at all; what stands around the word tells its form; one walk
// from the left then finds the bracket that holds it. Prose before the body may hold braces and odd quotes: the walk starts
// again at the next brace, a bounded number of times.
namespace mcpscan::app {

namespace {

constexpr std::string_view kWord = "jsonrpc";
constexpr int kMaxStarts = 32;       // braces tried from the left for one hit
constexpr int kMaxHits = 16;         // places of the word tried
constexpr std::size_t kMaxOpen = 64;  // brackets remembered; the word stands less deep than that
constexpr std::size_t kWalkFactor = 4;          // walks of one line together, in lines
constexpr std::size_t kWalkFloorBytes = 65536;  // below this nobody counts

struct Form {
  Codec codec = Codec::json;
  std::size_t escapes = 0;  // backslashes before each quote of the JSON: 0, 1, 3 ...
  bool found = false;
};

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

std::size_t backslashes_before(std::string_view line, std::size_t at) {
  std::size_t count = 0;
  while (count < at && line[at - 1 - count] == '\\') ++count;
  return count;
}

// How the member name at `at` is written, and so the body it is in.
Form form_of(std::string_view line, std::size_t at) {
  const char before = at == 0 ? '\0' : line[at - 1];
  const std::string_view after = line.substr(at + kWord.size(), 8);
  if (before == '"') {
    const std::size_t escapes = backslashes_before(line, at - 1);
    const std::size_t closing = std::min(after.find('"'), after.size());
    const bool same = closing == escapes && after.find_first_not_of('\\') == closing;
    return {escapes == 0 ? Codec::json : Codec::json_string, escapes, same && (escapes & (escapes + 1)) == 0};
  }
  if (before == '\'') return {Codec::python_repr, 0, after.substr(0, 1) == "'"};
  if (is_word_byte(before)) return {};
  if (after.substr(0, 1) == "=") {
    const bool quoted = after.substr(1, 1) == "'" || after.substr(1, 1) == "\"";
    return {quoted ? Codec::python_repr : Codec::java_record, 0, true};
  }
  const std::size_t value = after.find_first_not_of(' ', 1);
  const bool is_type = value != std::string_view::npos && after[value] >= 'A' && after[value] <= 'Z';  // as Rust prints a struct, whose ids are Number(2)
  return {Codec::js_inspect, 0, after.substr(0, 1) == ":" && !is_type};
}

// Walks from `start` to `goal` and tells the innermost open brace there; npos when `goal` stands in a string or in none.
class BraceWalk {
 public:
  BraceWalk(std::string_view line, const Form& form) : line_(line), form_(form) {}

  std::size_t holder(std::size_t start, std::size_t goal);
  // Where the walk has been: a next one need not start before.
  std::size_t reached() const { return reached_; }

 private:
  bool is_quote(char c) const { return c == '"' || (c == '\'' && form_.codec != Codec::json && form_.codec != Codec::json_string); }
  void quote(std::size_t at);
  void bracket(std::size_t at);

  std::string_view line_;
  Form form_;
  std::size_t reached_ = 0;
  std::size_t open_ = 0;
  std::array<std::size_t, kMaxOpen> places_{};
  char string_ = '\0';  // the quote that the open string began with
  bool outside_ = false;
};

void BraceWalk::quote(std::size_t at) {
  const std::size_t run = backslashes_before(line_, at);
  const std::size_t unit = 2 * (form_.escapes + 1);
  const bool delimits = run % unit == form_.escapes;
  if (run < form_.escapes) outside_ = true;  // ends the literal around the JSON
  else if (string_ == '\0' && delimits) string_ = line_[at];
  else if (string_ == line_[at] && delimits) string_ = '\0';
}

void BraceWalk::bracket(std::size_t at) {
  const char c = line_[at];
  if (c == '{' || c == '[') {
    if (open_ < kMaxOpen) places_[open_] = at;
    ++open_;
  } else if (open_ > 0) {
    outside_ = --open_ == 0;
  }
}

std::size_t BraceWalk::holder(std::size_t start, std::size_t goal) {
  open_ = 0;
  string_ = '\0';
  outside_ = false;
  std::size_t at = start;
  for (; at < goal && !outside_; ++at) {
    const char c = line_[at];
    if (is_quote(c)) quote(at);
    else if (string_ == '\0' && (c == '{' || c == '}' || c == '[' || c == ']')) bracket(at);
  }
  reached_ = at;
  const bool held = !outside_ && string_ == '\0' && open_ > 0 && open_ <= kMaxOpen && line_[places_[open_ - 1]] == '{';
  return held ? places_[open_ - 1] : std::string_view::npos;
}

// Finds what holds the word; all its searches together stay within a few times the line.
class Finder {
 public:
  explicit Finder(std::string_view line) : line_(line), budget_(kWalkFactor * line.size() + kWalkFloorBytes) {}

  FoundBody locate(std::size_t at, const Form& form) {
    if (form.codec == Codec::json || form.codec == Codec::json_string) return locate_json(at, form);
    const bool is_key = at > 0 && (line_[at - 1] == '"' || line_[at - 1] == '\'');
    if (!is_key && form.codec != Codec::js_inspect) return {find_printed(at, form), form.codec};
    const std::size_t object = find_object(is_key ? at - 1 - form.escapes : at, form);
    return object == std::string_view::npos ? FoundBody{} : FoundBody{widen_to_array(object), form.codec};
  }

 private:
  FoundBody locate_json(std::size_t at, const Form& form);
  std::size_t find_object(std::size_t goal, const Form& form);
  std::size_t widen_to_array(std::size_t object) const;
  std::size_t find_bytes(std::size_t end) const;
  std::size_t find_printed(std::size_t goal, const Form& form) const;

  std::string_view line_;
  std::size_t budget_;
};

// The brace of the object whose member name begins (with its quote) at `goal`.
std::size_t Finder::find_object(std::size_t goal, const Form& form) {
  BraceWalk walk(line_, form);
  std::size_t start = line_.find('{');
  for (int i = 0; i < kMaxStarts && start < goal; ++i) {
    const std::size_t found = walk.holder(start, goal);
    if (found != std::string_view::npos) return found;
    const std::size_t walked = walk.reached() - start;
    if (walked >= budget_) break;
    budget_ -= walked;
    // A closed group is behind us; a walk that went astray starts again at the next brace.
    start = line_.find('{', walk.reached() < goal ? std::max(walk.reached(), start + 1) : start + 1);
  }
  const std::size_t before = goal == 0 ? std::string_view::npos : line_.find_last_not_of(" \t\r\n", goal - 1);
  return before != std::string_view::npos && line_[before] == '{' ? before : std::string_view::npos;
}

// The array that the object at `object` is the first element of, if any.
std::size_t Finder::widen_to_array(std::size_t object) const {
  const std::size_t before = object == 0 ? std::string_view::npos : line_.find_last_not_of(" \t\r\n", object - 1);
  return before != std::string_view::npos && line_[before] == '[' ? before : object;
}

// The first bytes literal before `end` that begins like a body.
std::size_t Finder::find_bytes(std::size_t end) const {
  for (std::size_t at = line_.find('b'); at < end; at = line_.find('b', at + 1)) {
    const char quote = at + 1 < end ? line_[at + 1] : '\0';
    if ((quote != '\'' && quote != '"') || (at > 0 && is_word_byte(line_[at - 1]))) continue;
    const std::string_view inside = line_.substr(at + 2, 8);
    for (const std::string_view head : {"{", "[", "event:", "data:", "id:", "retry:", ":"}) {
      if (inside.substr(0, head.size()) == head) return at;
    }
  }
  return std::string_view::npos;
}

// JSON inside b'...' still has Python's escapes: the literal is the body then, or the string that the literal stands in.
FoundBody Finder::locate_json(std::size_t at, const Form& form) {
  const std::size_t object = find_object(at - 1 - form.escapes, form);
  const std::size_t bytes = find_bytes(std::min(object, at));
  if (bytes != std::string_view::npos) return {bytes, form.escapes == 0 ? Codec::python_bytes_sse : Codec::json_string};
  if (object == std::string_view::npos) return {};
  return {widen_to_array(object), form.codec};
}

// JSONRPCRequest( or JSONRPCRequest[ before the member, else for Python the member list itself: method='tools/call' params=...
std::size_t Finder::find_printed(std::size_t goal, const Form& form) const {
  const char opening = form.codec == Codec::java_record ? '[' : '(';
  constexpr std::string_view kClass = "JSONRPC";
  for (std::size_t at = line_.find(kClass); at < goal; at = line_.find(kClass, at + 1)) {
    std::size_t end = at + kClass.size();
    while (end < goal && is_word_byte(line_[end])) ++end;
    if (end < goal && line_[end] == opening) return at;
  }
  if (form.codec == Codec::java_record) return std::string_view::npos;
  const std::size_t method = line_.find("method='");
  return method < goal && (method == 0 || !is_word_byte(line_[method - 1])) ? method : goal;
}

}  // namespace

FoundBody find_body(std::string_view line) {
  Finder finder(line);
  std::size_t at = find_text(line, kWord);
  for (int hit = 0; at != std::string_view::npos && hit < kMaxHits; ++hit) {
    const Form form = form_of(line, at);
    if (form.found) {
      const FoundBody found = finder.locate(at, form);
      if (found.position != std::string_view::npos) return found;
    }
    at = find_text(line, kWord, at + kWord.size());
  }
  return {};
}

}  // namespace mcpscan::app
