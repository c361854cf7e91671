#include <algorithm>

#include "app/literal_scanner.h"

namespace mcpscan::app {

namespace {

// What records, maps and lists print: Name[a=1, b={c=d}, e=[f, g]]. Text is not quoted: it goes up to ", name=" or the closing
// bracket that belongs to what it stands in.
class JavaReader : LiteralScanner {
 public:
  using LiteralScanner::LiteralScanner;

  LiteralRead run() {
    skip_space();
    value("", '\0');
    read_.consumed = at_;
    return read_;
  }

 private:
  bool value(std::string_view key, char closer);
  bool members(char closer);
  bool list();
  bool bare(std::string_view key, char closer);
  bool is_member(std::size_t at) const;
  std::size_t bare_end(char closer, bool in_list) const;
};

// name= stands at `at`.
bool JavaReader::is_member(std::size_t at) const {
  const std::size_t start = at;
  while (at < text_.size() && (is_word_byte(text_[at]) || text_[at] == '.' || text_[at] == '-' || text_[at] == '/')) ++at;
  return at > start && at < text_.size() && text_[at] == '=';
}

bool JavaReader::value(std::string_view key, char closer) {
  const std::size_t start = at_;
  if (peek() == '{') return nested([this] { return members('}'); });
  if (peek() == '[') return nested([this] { return list(); });
  if (!take_word(".$").empty() && peek() == '[' && (is_member(at_ + 1) || peek(1) == ']')) return nested([this] { return members(']'); });
  at_ = start;
  return bare(key, closer);
}

bool JavaReader::members(char closer) {
  json_ += '{';
  while (!take(closer)) {
    const std::string_view name = take_word(".-/");
    if (name.empty() || !take('=')) return stop();
    const bool null_here = looking_at("null") && (peek(4) == ',' || peek(4) == closer);
    if (drops_null(name) && null_here) {
      at_ += 4;
    } else {
      put_key(name == "meta" ? "_meta" : name);
      if (!value(name, closer)) return false;
    }
    if (!take(", ") && peek() != closer) return stop();
  }
  json_ += '}';
  return true;
}

bool JavaReader::list() {
  json_ += '[';
  while (!take(']')) {
    if (!value("", ']')) return false;
    if (!take(", ") && peek() != ']') return stop();
  }
  json_ += ']';
  return true;
}

// Where unquoted text ends: brackets inside it pair up.
std::size_t JavaReader::bare_end(char closer, bool in_list) const {
  std::size_t open = 0;
  for (std::size_t at = at_; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '[' || c == '{') ++open;
    else if (open > 0 && (c == ']' || c == '}')) --open;
    else if (c == closer && closer != '\0') return at;
    if (open == 0 && text_.compare(at, 2, ", ") == 0 && (in_list || is_member(at + 2))) return at;
  }
  return text_.size();
}

bool JavaReader::bare(std::string_view key, char closer) {
  const std::size_t end = bare_end(closer, key.empty());
  const std::string_view text = text_.substr(at_, end - at_);
  at_ = end;
  if (closer != '\0' && at_end()) return stop();
  const bool is_text = key == "jsonrpc" || key == "protocolVersion" || key == "version" || key == "name" || key == "text";
  if (text == "null" || (!is_text && (text == "true" || text == "false" || is_json_number(text)))) return put_word(text);
  put_comma();
  put_string(text);
  return true;
}

}  // namespace

LiteralRead java_to_json(std::string_view text, std::size_t max_depth, std::string& json) {
  return JavaReader(text, max_depth, json).run();
}

}  // namespace mcpscan::app
