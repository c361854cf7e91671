#include "app/literal_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "app/json_skipper.h"
#include "base/json_escapes.h"

namespace mcpscan::app {

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

bool is_json_number(std::string_view word) {
  JsonSkipper number(word, 1);
  const JsonToken token = number.value();
  return (token.type == JsonType::integer || token.type == JsonType::fraction) && token.raw.size() == word.size();
}

bool LiteralScanner::take(char byte) {
  if (peek() != byte || at_end()) return false;
  ++at_;
  return true;
}

bool LiteralScanner::take(std::string_view word) {
  if (!looking_at(word)) return false;
  at_ += word.size();
  return true;
}

void LiteralScanner::skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

std::string_view LiteralScanner::take_word(std::string_view extra) {
  const std::size_t start = at_;
  while (!at_end() && (is_word_byte(text_[at_]) || extra.find(text_[at_]) != std::string_view::npos)) ++at_;
  return text_.substr(start, at_ - start);
}

bool LiteralScanner::stop() {
  if (read_.end == LiteralEnd::whole) read_.end = at_end() ? LiteralEnd::cut : LiteralEnd::broken;
  return false;
}

void LiteralScanner::put_character(std::uint32_t code) {
  switch (code) {
    case '"': json_ += "\\\""; return;
    case '\\': json_ += "\\\\"; return;
    case '\b': json_ += "\\b"; return;
    case '\f': json_ += "\\f"; return;
    case '\n': json_ += "\\n"; return;
    case '\r': json_ += "\\r"; return;
    case '\t': json_ += "\\t"; return;
    default: break;
  }
  // A lone surrogate goes out as it came in: the reader of the JSON repairs it and says so.
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) {
    fmt::format_to(std::back_inserter(json_), "\\u{:04x}", code);
    return;
  }
  char utf8[4];
  json_.append(utf8, put_utf8(code, utf8));
}

void LiteralScanner::put_text(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\') put_character(byte);
    else json_ += c;
  }
}

void LiteralScanner::put_string(std::string_view text) {
  json_ += '"';
  put_text(text);
  json_ += '"';
}

bool LiteralScanner::put_word(std::string_view word, bool elided) {
  put_comma();
  json_ += word;
  read_.elided |= elided;
  return true;
}

void LiteralScanner::put_key(std::string_view name) {
  put_comma();
  put_string(name);
  json_ += ':';
}

bool LiteralScanner::copy_code(std::size_t digits, Escapes escapes) {
  const std::string_view hex = text_.substr(std::min(at_ + 2, text_.size()), digits);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
  if (hex.size() != digits || error != std::errc{} || end != hex.data() + digits) return false;
  put_character(escapes == Escapes::bytes ? code & 0xff : code);
  at_ += 2 + digits;
  return true;
}

// An escape that the language does not know stays as it stands.
void LiteralScanner::copy_escape(Escapes escapes) {
  const char kind = peek(1);
  constexpr std::string_view kKinds = "abfnrtv0";
  constexpr std::string_view kCodes{"\a\b\f\n\r\t\v\0", 8};
  const std::size_t known = kKinds.find(kind);
  if (kind == 'x' && copy_code(2, escapes)) return;
  if (kind == 'u' && escapes == Escapes::text && copy_code(4, escapes)) return;
  if (kind == 'U' && escapes == Escapes::text && copy_code(8, escapes)) return;
  if (kind == '\\' || kind == '\'' || kind == '"' || kind == '`') put_character(static_cast<unsigned char>(kind));
  else if (known != std::string_view::npos && kind != '\0') put_character(static_cast<unsigned char>(kCodes[known]));
  else put_text(text_.substr(at_, 2));
  at_ = std::min(at_ + 2, text_.size());
}

bool LiteralScanner::copy_quoted(Escapes escapes) {
  const char quote = text_[at_++];
  while (!at_end()) {
    const std::size_t start = at_;
    while (!at_end() && text_[at_] != quote && text_[at_] != '\\') ++at_;
    put_text(text_.substr(start, at_ - start));
    if (take(quote)) return true;
    if (!at_end()) copy_escape(escapes);
  }
  return stop();
}

bool LiteralScanner::skip_brackets(std::size_t open) {
  char quote = '\0';
  for (; !at_end(); ++at_) {
    const char c = text_[at_];
    if (quote != '\0') {
      if (c == '\\') ++at_;
      else if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++open;
    } else if ((c == ')' || c == ']' || c == '}') && --open == 0) {
      ++at_;
      return true;
    }
  }
  at_ = std::min(at_, text_.size());
  return stop();
}

bool LiteralScanner::nested(FunctionRef<bool()> inside) {
  put_comma();
  if (depth_ >= max_depth_) {
    read_.too_deep = true;
    json_ += "null";
    return skip_brackets();
  }
  ++at_;
  ++depth_;
  const bool whole = inside();
  --depth_;
  return whole;
}

}  // namespace mcpscan::app
