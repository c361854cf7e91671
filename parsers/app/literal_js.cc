#include <algorithm>

#include "app/literal_scanner.h"

namespace mcpscan::app {

namespace {

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

// What util.inspect prints, Node 12 to 24.
class JsReader : LiteralScanner {
 public:
  using LiteralScanner::LiteralScanner;

  LiteralRead run() {
    value();
    read_.consumed = at_;
    return read_;
  }

 private:
  bool value();
  bool object();
  bool key();
  bool array();
  bool item_end(char closer);
  bool string();
  bool left_out();
  bool word();
  bool is_left_out() const;
};

bool JsReader::value() {
  skip_space();
  const char c = peek();
  if (c == '{') return nested([this] { return object(); });
  if (c == '[') return is_left_out() ? left_out() : nested([this] { return array(); });
  if (is_quote(c)) return string();
  return word();
}

// [Object], [Array], [Circular *1], [Function: f]; the items of an array stand behind a blank or a line end.
bool JsReader::is_left_out() const {
  const char c = peek(1);
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Written as null; "[Object: null prototype] {" only names the object that follows.
bool JsReader::left_out() {
  const std::size_t end = text_.find(']', at_);
  if (end == std::string_view::npos) {
    at_ = text_.size();
    return stop();
  }
  at_ = end + 1;
  if (looking_at(" {")) {
    ++at_;
    return nested([this] { return object(); });
  }
  return put_word("null", true);
}

bool JsReader::key() {
  put_comma();
  json_ += '"';
  if (is_quote(peek())) {
    if (!copy_quoted(Escapes::text)) return false;
  } else if (peek() == '[') {  // [Symbol(a)]
    const std::size_t start = at_;
    if (!skip_brackets()) return false;
    put_text(text_.substr(start, at_ - start));
  } else {
    const std::string_view name = take_word(".-");
    if (name.empty()) return stop();
    put_text(name);
  }
  json_ += '"';
  return true;
}

// A comma, or the closer ahead; "... 3 more items" before either.
bool JsReader::item_end(char closer) {
  skip_space();
  return take(',') || peek() == closer || stop();
}

bool JsReader::object() {
  json_ += '{';
  for (skip_space(); !take('}'); skip_space()) {
    if (take("...")) {
      read_.elided = true;
      at_ = std::min(text_.find_first_of(",}", at_), text_.size());
    } else {
      const std::size_t member = json_.size();
      const std::size_t name = json_.back() == '{' ? member + 1 : member + 2;
      if (!key()) return false;
      skip_space();
      if (!take(':') && !take("=>")) return stop();
      skip_space();
      const std::string_view written = std::string_view(json_).substr(name, json_.size() - name - 1);
      if (take("undefined") || (drops_null(written) && take("null"))) {  // JSON has no member whose value is undefined
        json_.resize(member);
      } else {
        json_ += ':';
        if (!value()) return false;
      }
    }
    if (!item_end('}')) return false;
  }
  json_ += '}';
  return true;
}

bool JsReader::array() {
  json_ += '[';
  for (skip_space(); !take(']'); skip_space()) {
    if (take("...")) {
      read_.elided = true;
      at_ = std::min(text_.find_first_of(",]", at_), text_.size());
    } else if (!value()) {
      return false;
    }
    if (!item_end(']')) return false;
  }
  json_ += ']';
  return true;
}

// 'a' + 'b' over several lines is one string; 'aaa'... 123 more characters is a cut one.
bool JsReader::string() {
  put_comma();
  json_ += '"';
  for (;;) {
    if (!copy_quoted(Escapes::text)) return false;
    const std::size_t end = at_;
    skip_space();
    if (take('+')) skip_space();
    else at_ = end;
    if (at_ == end || !is_quote(peek())) break;
  }
  json_ += '"';
  if (!take("... ")) return true;
  read_.elided = true;
  take_word(" ");
  return true;
}

// true, 12n, Foo { a: 1 }, Map(1) { 'a' => 1 }, <Buffer 7b 22>, 2026-11-29T16:35:56.286Z
bool JsReader::word() {
  if (peek() == '<') {
    const bool names_object = looking_at("<ref ");
    at_ = std::min(text_.find('>', at_), text_.size());
    if (!take('>')) return stop();
    if (!names_object) return put_word("null", true);
    skip_space();
    return peek() == '<' ? stop() : value();
  }
  const std::string_view word = take_word("+-.:()");
  if (word.empty()) return stop();
  if (looking_at(" {") || looking_at(" [")) {
    ++at_;
    return nested([this, is_object = peek() == '{'] { return is_object ? object() : array(); });
  }
  if (word == "undefined" || word == "null" || word == "NaN" || word == "Infinity" || word == "-Infinity") return put_word("null");
  if (word == "true" || word == "false") return put_word(word);
  if (at_end()) return stop();
  const std::string_view number = word.back() == 'n' ? word.substr(0, word.size() - 1) : word;
  if (is_json_number(number)) return put_word(number);
  put_comma();
  put_string(word);
  return true;
}

}  // namespace

LiteralRead js_to_json(std::string_view text, std::size_t max_depth, std::string& json) {
  return JsReader(text, max_depth, json).run();
}

}  // namespace mcpscan::app
