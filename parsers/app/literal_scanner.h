// LiteralScanner: what the readers of printed literals share: the text with a position in it, quoted strings, the JSON being
// written. Base class for the three of literal_json.h; not an interface. Recursion is bounded by the depth given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/literal_json.h"
#include "base/function_ref.h"

namespace mcpscan::app {

class LiteralScanner {
 public:
  LiteralScanner(std::string_view text, std::size_t max_depth, std::string& json)
      : text_(text), max_depth_(max_depth), json_(json) {}

 protected:
  // --- the text ---
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool looking_at(std::string_view word) const { return text_.compare(at_, word.size(), word) == 0; }
  bool take(char byte);
  bool take(std::string_view word);
  void skip_space();
  // Letters, digits and the bytes of `extra` from the position on; taken.
  std::string_view take_word(std::string_view extra);
  bool stop();  // the literal cannot go on here: cut at the end of the text, else broken; always false

  // --- strings of Python and JavaScript ---
  enum class Escapes : std::uint8_t { text, bytes };
  // The quoted string at the position as the characters of a JSON string (no quotes written).
  bool copy_quoted(Escapes escapes);
  // Passes over the bracketed value at the position, or with `open` brackets open already up to their end; quotes respected.
  bool skip_brackets(std::size_t open = 0);
  // The container whose bracket stands at the position, read by `inside` behind the bracket; one that is too deep is passed over.
  bool nested(FunctionRef<bool()> inside);

  // --- the JSON ---
  void put_character(std::uint32_t code_point);
  void put_text(std::string_view text);  // escaped, no quotes
  void put_string(std::string_view text);
  void put_key(std::string_view name);
  bool put_word(std::string_view word, bool elided = false);  // null, true, a number; always true
  // A comma where one is due: between the items of one container.
  void put_comma() {
    const char last = json_.empty() ? '[' : json_.back();
    if (last != '[' && last != '{' && last != ':' && last != ',') json_ += ',';
  }

  // A member of the message itself without a value is no member.
  bool drops_null(std::string_view key) const { return depth_ == 1 && key != "id"; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t max_depth_;
  std::string& json_;
  LiteralRead read_;

 private:
  void copy_escape(Escapes escapes);
  bool copy_code(std::size_t digits, Escapes escapes);
};

bool is_word_byte(char c);
bool is_json_number(std::string_view word);

}  // namespace mcpscan::app
