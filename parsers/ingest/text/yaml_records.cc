#include "ingest/text/yaml_records.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/yaml.h"
#include "ingest/har/sound_text.h"
#include "ingest/text/char_class.h"
#include "ingest/text/json_scan.h"
#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

using namespace std::string_view_literals;

constexpr std::array kPayloads{"textPayload"sv, "jsonPayload"sv, "protoPayload"sv, "httpRequest"sv};
constexpr std::array kMarks{"insertId"sv, "logName"sv, "receiveTimestamp"sv};

template <typename Words>
bool one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool begins_document(std::string_view line) { return line == "---"; }

void append_text(std::string& to, std::string_view text) {
  to += '"';
  append_escaped(to, text);
  to += '"';
}

// RFC 8259 section 6. What YAML alone takes for a number (0o17, 1_000, .5) is left a text.
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = run_of(text, at, kDigit);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = run_of(text, at + 1, kDigit);
    if (fraction == 0) return false;
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = run_of(text, at, kDigit);
    if (exponent == 0) return false;
    at += exponent;
  }
  return at == text.size();
}

// With none of the bytes that YAML does not have.
std::string sound(std::string_view text) {
  std::string copy;
  make_sound(text, 0, copy);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') copy[at] = '\n';
  }
  return copy;
}

// Writes a node as JSON; false when it is deeper or longer than the bounds.
class JsonOfYaml {
 public:
  JsonOfYaml(const Limits& limits, std::string& to) : limits_(limits), to_(to) {}

  bool put(const YamlNode& node, std::size_t depth = 0) {
    if (depth > limits_.json_depth || to_.size() > limits_.line_bytes) return false;
    if (node.is_map()) return put_map(node, depth);
    if (node.is_list()) return put_list(node, depth);
    put_scalar(node);
    return true;
  }

 private:
  bool put_map(const YamlNode& node, std::size_t depth) {
    to_ += '{';
    for (const YamlEntry& member : node.entries()) {
      if (to_.back() != '{') to_ += ',';
      append_text(to_, member.key.text());
      to_ += ':';
      if (!put(member.value, depth + 1)) return false;
    }
    to_ += '}';
    return true;
  }

  bool put_list(const YamlNode& node, std::size_t depth) {
    to_ += '[';
    bool first = true;
    for (const YamlNode& element : node.items()) {
      if (!first) to_ += ',';
      first = false;
      if (!put(element, depth + 1)) return false;
    }
    to_ += ']';
    return true;
  }

  // A quoted scalar is a text whatever it looks like: "7" is no 7.
  void put_scalar(const YamlNode& node) {
    if (!node.is_text()) return void(to_ += "null");
    const std::string& text = node.text();
    if (!node.is_quoted() && (text == "true" || text == "false" || is_json_number(text))) to_ += text;
    else append_text(to_, text);
  }

  const Limits& limits_;
  std::string& to_;
};

}  // namespace

bool is_yaml_of_records(std::string_view head) {
  if (head.starts_with(kUtf8Mark)) head.remove_prefix(kUtf8Mark.size());
  bool mark = false, payload = false, first = true;
  for (std::size_t at = 0; at < head.size() && !(mark && payload); first = false) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    std::string_view line = head.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (begins_document(line)) {
      if (!first) return false;
      continue;
    }
    if (line.empty() || line[0] == ' ') {  // goes on with the value above
      if (first) return false;
      continue;
    }
    const std::size_t name = run_of(line, 0, kLetter);
    const bool is_list = line.starts_with("- ");  // of a key without indentation
    if (!is_list && (name == 0 || name >= line.size() || line[name] != ':' || (name + 1 < line.size() && line[name + 1] != ' '))) return false;
    mark = mark || one_of(line.substr(0, name), kMarks);
    payload = payload || one_of(line.substr(0, name), kPayloads);
  }
  return mark && payload;
}

void YamlRecordLines::take(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') take_line();
    else if (line_.size() < limits_.block_bytes) line_ += c;
  }
}

bool YamlRecordLines::end() {
  take_line();
  end_document();
  return !out_.empty();
}

void YamlRecordLines::take_line() {
  if (line_.ends_with('\r')) line_.pop_back();
  if (document_.empty() && line_.starts_with(kUtf8Mark)) line_.erase(0, kUtf8Mark.size());
  if (begins_document(line_)) end_document();
  else if (document_.size() + line_.size() < limits_.block_bytes) document_ += line_, document_ += '\n';
  else too_long_ = true;
  line_.clear();
}

void YamlRecordLines::end_document() {
  const std::string text = std::move(document_) + (too_long_ ? "..." : "");
  const bool whole = !std::exchange(too_long_, false);
  document_.clear();
  if (std::all_of(text.begin(), text.end(), is_blank)) return;
  const std::size_t from = out_.size();
  YamlText entry = whole ? read_yaml(text) : YamlText();
  if (!entry.error.empty()) {
    if (const std::string clean = sound(text); clean != text) entry = read_yaml(clean);
  }
  if (entry.root.is_map() && JsonOfYaml(limits_, out_).put(entry.root)) return void(out_ += '\n');
  out_.resize(from);
  out_ += "--- ";
  std::replace_copy(text.begin(), text.end() - 1, std::back_inserter(out_), '\n', ' ');
  out_ += '\n';
}

}  // namespace mcpscan::ingest
