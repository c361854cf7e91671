#include <algorithm>

#include "app/literal_scanner.h"

namespace mcpscan::app {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class PythonReader : LiteralScanner {
 public:
  using LiteralScanner::LiteralScanner;

  LiteralRead run() {
    unwrap();
    if (is_field()) {
      ++depth_;
      open_ended_ = true;
      fields('\0');
    } else {
      value();
    }
    read_.consumed = at_;
    return read_;
  }

 private:
  void unwrap();
  bool is_field() const;
  bool value();
  bool fields(char closer);
  bool field();
  bool dict_or_set();
  bool dict_key();
  bool sequence(char closer);
  bool list() { return sequence(']'); }
  bool tuple() { return sequence(')'); }
  bool string(Escapes escapes);
  bool word();
  bool call();
  bool enumeration();
  bool null_member(std::string_view key);
  void put_field_name(std::string_view name);

  bool open_ended_ = false;  // str() of a model: no bracket closes it
};

// SessionMessage(message=JSONRPCMessage(root=JSONRPCRequest(...)), metadata=None): the innermost is the message.
void PythonReader::unwrap() {
  for (;;) {
    skip_space();
    if (take("root=") || take("message=")) continue;
    const std::size_t start = at_;
    const std::string_view name = take_word(".");
    if (!name.empty() && take('(') && (looking_at("root=") || looking_at("message=") || name == "JSONRPCMessage")) continue;
    at_ = start;
    return;
  }
}

// name=value stands at the position.
bool PythonReader::is_field() const {
  std::size_t end = at_;
  while (end < text_.size() && is_word_byte(text_[end])) ++end;
  return end > at_ && !is_digit(text_[at_]) && end < text_.size() && text_[end] == '=';
}

bool PythonReader::value() {
  skip_space();
  switch (peek()) {
    case '{': return nested([this] { return dict_or_set(); });
    case '[': return nested([this] { return list(); });
    case '(': return nested([this] { return tuple(); });
    case '\'': case '"': return string(Escapes::text);
    case '<': return enumeration();
    default: return word();
  }
}

bool PythonReader::string(Escapes escapes) {
  put_comma();
  json_ += '"';
  if (!copy_quoted(escapes)) return false;
  json_ += '"';
  return true;
}

bool PythonReader::sequence(char closer) {
  json_ += '[';
  for (skip_space(); !take(closer); skip_space()) {
    if (!value()) return false;
    skip_space();
    if (!take(',') && peek() != closer) return stop();
  }
  json_ += ']';
  return true;
}

// A model prints the names of its attributes; the wire has those of their aliases: meta is _meta, is_error isError.
void PythonReader::put_field_name(std::string_view name) {
  std::string alias = name == "meta" ? "_meta" : std::string(name);
  for (std::size_t i = 1; i + 1 < alias.size(); ++i) {
    if (alias[i] != '_') continue;
    alias.erase(i, 1);
    if (alias[i] >= 'a' && alias[i] <= 'z') alias[i] = static_cast<char>(alias[i] - 'a' + 'A');
  }
  put_key(alias);
}

bool PythonReader::null_member(std::string_view key) {
  if (!drops_null(key) || !looking_at("None") || is_word_byte(peek(4))) return false;
  at_ += 4;
  return true;
}

bool PythonReader::field() {
  const std::string_view name = take_word("");
  if (name.empty() || !take('=')) return stop();
  if (null_member(name)) return true;
  put_field_name(name);
  return value();
}

// name=value, separated by commas in a call and by blanks in str() of a model, which has no closer.
bool PythonReader::fields(char closer) {
  json_ += '{';
  for (skip_space(); closer == '\0' ? is_field() : !take(closer); skip_space()) {
    if (!field()) return false;
    skip_space();
    if (!take(',') && closer != '\0' && peek() != closer) return stop();
  }
  json_ += '}';
  return true;
}

// A key is a string or a plain word.
bool PythonReader::dict_key() {
  put_comma();
  json_ += '"';
  if (peek() != '\'' && peek() != '"') put_text(take_word("+-."));
  else if (!copy_quoted(Escapes::text)) return false;
  json_ += '"';
  return true;
}

bool PythonReader::dict_or_set() {
  const std::size_t start = at_, json_start = json_.size();
  json_ += '{';
  for (skip_space(); !take('}'); skip_space()) {
    const std::size_t member = json_.size();
    const std::size_t name = json_.back() == '{' ? member + 1 : member + 2;
    if (!dict_key()) return false;
    skip_space();
    if (!take(':')) {
      if (at_end() || member != json_start + 1) return stop();
      at_ = start;
      json_.resize(json_start);
      return sequence('}');
    }
    skip_space();
    if (null_member(std::string_view(json_).substr(name, json_.size() - name - 1))) {
      json_.resize(member);
    } else {
      json_ += ':';
      if (!value()) return false;
    }
    skip_space();
    if (!take(',') && peek() != '}') return stop();
  }
  json_ += '}';
  return true;
}

bool PythonReader::word() {
  const char prefix = peek();
  const bool quoted = peek(1) == '\'' || peek(1) == '"';
  if (quoted && std::string_view("bBrRuU").find(prefix) != std::string_view::npos) {
    ++at_;
    return string((prefix | 0x20) == 'b' ? Escapes::bytes : Escapes::text);
  }
  if (take("...")) return put_word("null", true);
  const std::string_view word = take_word("+-.");
  if (word.empty()) return stop();
  if (peek() == '(') return nested([this] { return call(); });
  if (word == "None" || word == "nan" || word == "inf" || word == "-inf") return put_word("null");
  if (word == "True" || word == "False") return put_word(word == "True" ? "true" : "false");
  if (at_end() && !(open_ended_ && depth_ == 1)) return stop();  // more of it may follow
  if (is_json_number(word)) return put_word(word);
  put_comma();
  put_string(word);
  return true;
}

// Name(a=1) is an object; Name('x', ...) stands for its first argument: AnyUrl('file:///a').
bool PythonReader::call() {
  skip_space();
  if (is_field() || peek() == ')') return fields(')');
  if (!value()) return false;
  skip_space();
  return take(')') || skip_brackets(1);
}

// <LoggingLevel.info: 'info'> is its value; <object at 0x7f> a text.
bool PythonReader::enumeration() {
  const std::size_t start = at_++;
  take_word(".");
  if (take(':') && depth_ < max_depth_) {
    ++depth_;
    const bool whole = value();
    --depth_;
    return whole && (take('>') || stop());
  }
  at_ = std::min(text_.find('>', start), text_.size());
  if (!take('>')) return stop();
  put_comma();
  put_string(text_.substr(start, at_ - start));
  return true;
}

}  // namespace

LiteralRead python_to_json(std::string_view text, std::size_t max_depth, std::string& json) {
  return PythonReader(text, max_depth, json).run();
}

}  // namespace mcpscan::app
