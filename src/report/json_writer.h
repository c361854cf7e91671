// JsonWriter: JSON text, key by key in the order of the calls, without a tree in memory. Not a serializer of anything:
// who writes decides names and order, so the same report gives the same bytes. Objects and lists opened with
// Form::lines put each element on a line of its own, all others stay on one line.
// Ownership: it owns the text until take() or hand_over(). Threads: one. Bound: the size of what is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"

namespace mcpscan::report {

class JsonWriter {
 public:
  enum class Form : std::uint8_t { inline_, lines };

  JsonWriter& begin_object(Form form = Form::inline_) { return open('{', form); }
  JsonWriter& begin_list(Form form = Form::inline_) { return open('[', form); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& end_list() { return close(']'); }

  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& boolean(bool value) { return token(value ? "true" : "false"); }
  JsonWriter& null() { return token("null"); }
  // A token that is JSON already, verbatim: long integers never pass through a double.
  JsonWriter& token(std::string_view value);

  std::string take() { return std::move(out_); }
  // Gives what is written so far to `out`, once it is worth the call: long lists need not be held whole.
  void hand_over(FunctionRef<void(std::string_view)> out) {
    if (out_.size() < kHandedOver) return;
    out(out_);
    out_.clear();
  }

 private:
  static constexpr std::size_t kHandedOver = 64 * 1024;
  struct Level {
    Form form;
    bool empty = true;
  };

  JsonWriter& open(char bracket, Form form);
  JsonWriter& close(char bracket);
  void before_value();
  void new_line(std::size_t depth);

  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

// True for a number as RFC 8259 section 6 has it; then the token may be written verbatim.
bool is_json_number(std::string_view token);

}  // namespace mcpscan::report
