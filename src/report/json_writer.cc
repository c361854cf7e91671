#include "report/json_writer.h"

#include "report/escape.h"

namespace mcpscan::report {

void JsonWriter::new_line(std::size_t depth) {
  out_ += '\n';
  out_.append(depth, ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.form == Form::lines ? "," : ", ";
  level.empty = false;
  if (level.form == Form::lines) new_line(levels_.size());
}

JsonWriter& JsonWriter::open(char bracket, Form form) {
  before_value();
  out_ += bracket;
  levels_.push_back({form});
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.form == Form::lines && !level.empty) new_line(levels_.size());
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  append_json_string(out_, name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  before_value();
  append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) { return token(std::to_string(value)); }
JsonWriter& JsonWriter::number(std::int64_t value) { return token(std::to_string(value)); }

JsonWriter& JsonWriter::token(std::string_view value) {
  before_value();
  out_ += value;
  return *this;
}

namespace {

bool take_digits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && rest[count] >= '0' && rest[count] <= '9') ++count;
  rest.remove_prefix(count);
  return count > 0;
}

bool take(std::string_view& rest, std::string_view any_of) {
  if (rest.empty() || any_of.find(rest[0]) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

}  // namespace

bool is_json_number(std::string_view token) {
  take(token, "-");
  if (!take(token, "0") && !take_digits(token)) return false;
  if (take(token, ".") && !take_digits(token)) return false;
  if (take(token, "eE")) {
    take(token, "+-");
    if (!take_digits(token)) return false;
  }
  return token.empty();
}

}  // namespace mcpscan::report
