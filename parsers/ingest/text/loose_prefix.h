// LoosePrefix: what a logger put before a message, in an order and dress that no dialect lists: time, level, logger, source file, thread,
// process, in brackets or with dashes, bars and colons between them. `logging.Formatter` takes any format, and projects use all of them.
// It walks from field to field; behind each one a message may begin. Whoever walks decides by the message which place is right: the same
// words in a text that a program quotes are told apart by the logger, which a dialect's message asks for.
// A pure walk over the text's first line. Views point into it. Bounds: kFields, kBytes.
// Source: CPython Lib/logging (LogRecord attributes), loguru 0.7 _defaults.py, absl and glog's line heads.
#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/text/rule_table.h"

namespace mcpscan::ingest {

class LoosePrefix {
 public:
  static constexpr std::size_t kFields = 10;
  static constexpr std::size_t kBytes = 320;   // a prefix is no longer, with the first word behind it

  // `read`: what was read of the prefix already; the walk begins behind it.
  LoosePrefix(std::string_view text, TimeReader& times, const RecordHead& read);

  // Over one field, or over the mark that stands where the walk begins; false where there is none. message() is where the text behind it begins.
  bool next();
  std::size_t message() const { return at_; }
  // What the fields so far tell.
  const RecordHead& head() const { return head_; }
  // Whether nothing but a logger begins like this: two of time, level and dotted name, and nothing that a reader of the message would want.
  bool tells_enough() const { return dated_ + !head_.level.empty() + is_dotted_ >= 2 && !has_values_; }
  bool tells_something() const { return dated_ || !head_.level.empty() || is_dotted_; }
  // How far it looked, from the beginning of the text.
  std::size_t seen() const { return seen_; }

 private:
  bool take_field();
  bool take_group();
  void look_into(std::size_t end);
  bool take_time();
  bool take_number();
  bool take_glog();
  bool take_level(bool in_group);
  bool take_name(bool in_group);
  void tell_name(std::string_view name);
  void skip_marks();
  bool ends_name(std::size_t at);
  void saw(std::size_t to) { seen_ = to > seen_ ? to : seen_; }

  std::string_view text_;
  TimeReader& times_;
  RecordHead head_;
  std::size_t at_ = 0, seen_ = 0, fields_ = 0;
  bool is_dotted_ = false;   // the logger has a name of several parts
  bool dated_ = false;       // by a date or a clock, in whatever form
  bool begins_behind_mark_ = false;
  bool has_values_ = false;  // name=value, as of a session
};

// A line that begins with such a prefix, read as a head; false for all others.
bool read_loose_head(std::string_view line, TimeReader& times, Captures& captures, RecordHead& head);

}  // namespace mcpscan::ingest
