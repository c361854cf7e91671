// Template: the language in which dialect files write prefixes and messages. Not a regular expression: literal text with
// typed holes, compiled to a short op list, matched from the start of a text to its end (or to a line end, where the record
// goes on with a traceback and the like).
//   literal      itself; a blank stands for any run of blanks and line ends
//   {field}      a hole that fills a field, with the field's usual type;  {field:type}  another type;  {_:type}  no field
//   [[ ... ]]    an optional part; parts may nest
//   \{ \[ \] \\  the byte itself; single braces and brackets that open nothing need no backslash, except {
// Types: word (no blanks), text (within the line, up to what follows), rest (everything to the end, lines too), int, number,
// level, logger, time (time=FORM for one form only), peer (address:port), address (without a port), quoted ("...", with \ escapes), repr (a
// Python or JSON scalar: 5, 'abc', "abc"), name (letters, digits, _ - .), duration (12.34ms, 1m2.5s, 2.0 seconds; duration=s or
// =ms gives the unit of a bare number), id (16 letters, digits, - _ . or more: a session id among other words).
// A text hole tries at most kLazyTries places, one at the very start only those within kLeadBytes and before any brace; the whole match
// takes at most kBudget steps, so a hostile line costs no more than that.
// Immutable after compile(); safe in several threads.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/text/time_formats.h"

namespace mcpscan::ingest {

// What a hole can fill. The words of dialect files; see field_named().
enum class Field : std::uint8_t {
  ignore, time, level, logger, message, session, key, second_key, tool, wait, body, peer, port, method, path, status,
  response_bytes, request_bytes, duration, server, user_agent, content_type, host, origin, accept, response_session,
  protocol_version, last_event_id, mcp_method, mcp_name, forwarded_for, process, direction,
  request,  // "POST /mcp HTTP/1.1": method and path at once
  error,    // of a reply: its code or its text
  pairs,    // key=value pairs, or a JSON object, for the rule's own fields
  any_session,  // of an access line: a session by a name that other programs' sessions have as well
  termination,  // of an access line: the proxy's word for how the exchange ended (termination_flags.h)
};
inline constexpr std::size_t kFields = 38;
std::string_view name_of(Field field);

struct Capture {
  Field field = Field::ignore;
  std::string_view text;
  std::int64_t number = 0;  // of time, wait, duration (us), status, port, bytes
};

// The captures of one match; the oldest stay when there are too many.
struct Captures {
  static constexpr std::size_t kMost = 24;
  std::array<Capture, kMost> items;
  std::size_t count = 0;
  const char* seen_to = nullptr;   // how far the attempts so far may have looked; behind the end of a text: they saw that it ends there

  void saw(const char* to) {
    if (to > seen_to) seen_to = to;
  }

  void add(const Capture& capture) {
    if (count < kMost) items[count++] = capture;
  }
  const Capture* find(Field field) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (items[i].field == field) return &items[i];
    }
    return nullptr;
  }
  std::string_view text(Field field) const {
    const Capture* found = find(field);
    return found == nullptr ? std::string_view{} : found->text;
  }
};

class Template {
 public:
  static constexpr std::size_t kMostOps = 96;
  static constexpr int kBudget = 600;
  static constexpr int kLazyTries = 32;
  static constexpr std::size_t kLeadBytes = 320;   // a text hole at the very start looks no further, and not beyond a brace

  // On failure `what` names the trouble and the column (from 1) it was found at.
  static Result<Template> compile(std::string_view source);

  // Whether the whole of `text` matches; `captures` gains what the holes took.
  bool match(std::string_view text, TimeReader& times, Captures& captures) const;

  const std::string& source() const { return source_; }
  // The literal it begins with, up to the first hole or optional part; empty when it begins with a hole.
  std::string_view lead() const;
  // It begins with a time of any form and then a literal.
  bool begins_with_any_time() const;
  bool begins_with_time() const;
  // The longest literal that every match holds.
  std::string_view longest_literal() const;
  // The same for shapes (see shape_memo.h): matches the shape of whatever the template matches, and perhaps of more.
  Template of_shapes() const;
  // Bytes a match can begin with.
  std::bitset<256> first_bytes() const;
  // More literal bytes and more typed holes: tried earlier.
  int specificity() const;
  bool has(Field field) const;
  // Two texts of one shape both match, with the same holes, or both do not: no literal holds a digit and no hole is a time, but the first one.
  bool blind_to_digits() const;

  // What decides most attempts at a glance: the hole it begins with, if that finds its end alone, and the literal behind it, where a blank
  // stands for a run of them. Refers to the template.
  struct Opening {
    static constexpr std::uint8_t kAny = 255;
    std::uint8_t hole = kAny;       // a HoleType, or kHoleTypes + a TimeForm
    char first = 0, second = 0;     // of the literal; 0: any
    std::string_view literal;
  };
  Opening opening() const;
  // The byte that is rarest in logs of those that every match holds; 0: none. Only of templates that begin with a hole.
  char needed_byte() const;

  static constexpr std::size_t kHoleTypes = 15;
  enum class OpKind : std::uint8_t { literal, hole, optional, end };
  enum class HoleType : std::uint8_t { word, text, rest, integer, number, level, logger, time, peer, address, quoted, repr, name, duration, id };
  struct Op {
    OpKind kind = OpKind::end;
    HoleType type = HoleType::word;
    Field field = Field::ignore;
    TimeForm form = TimeForm::any;
    std::int64_t unit_us = 0;      // of a bare number in a duration
    std::uint32_t jump = 0;        // optional: the op behind the part
    std::string literal;
  };

 private:
  friend class TemplateCompiler;
  friend class TemplateMatch;
  std::string source_;
  std::vector<Op> ops_;
  bool of_shapes_ = false;
};

// Every optional part at the very start written out: the first bytes decide where a template is looked for.
std::vector<std::string> expand_leading_options(std::string_view source);

// Length of a level word at the start of `text`, 0 for none: DEBUG, warn, CRITICAL, notice ...
std::size_t level_length(std::string_view text);
// A duration with its unit at the start of `text`; a bare number is in `unit_us` (0: no bare numbers). Bytes used, 0: none.
std::size_t read_duration(std::string_view text, std::int64_t unit_us, std::int64_t& us);

}  // namespace mcpscan::ingest
