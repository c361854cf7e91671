// PrefixTable, MessageTable: all dialects' rules pooled, found by the first bytes of a text. The order of trial is fixed: more
// specific first, then by dialect name and place in its file, so that the same line is read the same way wherever it stands.
// Built once (add, then finish), then constant and shared between threads. Rules outlive the tables.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/text/dialect.h"
#include "ingest/text/shape_memo.h"

namespace mcpscan::ingest {

// What stands before a message. Views point into the line.
struct RecordHead {
  const PrefixRule* rule = nullptr;   // null: the layout is known to the program itself (Rich), or there is none
  Time at;
  std::string_view level, logger, session, process, peer;
  std::size_t message = 0;            // offset of the message in the line
  bool found = false;
  bool behind_any_time = false;       // the prefix begins with a time of any form, and a literal follows
};

class PrefixTable {
 public:
  void add(const PrefixRule& rule);
  void finish();
  // The first prefix at or behind candidate `from` that the line begins with. Returns the number of the next candidate to try, 0 when
  // none fits.
  std::size_t match(std::string_view line, std::size_t from, TimeReader& times, Captures& scratch, RecordHead& head, const ShapeMemo::Known* known = nullptr) const;
  // Which candidates can match a line of this shape.
  ShapeMemo::Known known_of(std::string_view shape, const TimeContext& context) const;
  // Whether match() begins with this candidate (its number is `next` - 1) for all lines of the shape that begin with this byte, and takes all
  // of them or none, but for what a time at the start says.
  bool decided_by_shape(const ShapeMemo::Known& known, char first, std::size_t next) const;

 private:
  struct Entry {
    const PrefixRule* rule;
    const Template* form;
    Template::Opening opening;
    int specificity;
    std::size_t order;
  };
  bool attempt(const Entry& entry, std::string_view line, TimeReader& times, Captures& scratch, RecordHead& head) const;

  std::vector<Entry> entries_;
  std::array<std::vector<std::uint16_t>, 256> by_byte_;
};

struct MessageMatch {
  const MessageRule* rule = nullptr;
  const Template* form = nullptr;     // which of its forms matched, at the start; null: it was found otherwise
  Captures captures;
};

class MessageTable {
 public:
  // Rules found anywhere begin a word, and look only at so many bytes before the first brace: a body may hold anything. So do regexes
  // that begin with no literal text look for the one they name.
  static constexpr std::size_t kHeadBytes = 320;

  void add(const MessageRule& rule);
  void finish();
  bool match(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found, const ShapeMemo::Known* known = nullptr) const;
  // The same for a place where a message may begin, behind a prefix that nobody described: only rules that begin with words of their own or with
  // a client's address.
  bool match_at(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found) const;
  // Which rules can match a message of this shape, whoever logged it.
  ShapeMemo::Known known_of(std::string_view shape, const TimeContext& context) const;
  // Whether match() begins with the form that matched for all messages of the shape, and takes all of them.
  bool decided_by_shape(const ShapeMemo::Known& known, const MessageMatch& found) const;
  // Whether a message can begin like this: its literal lead of at least 12 bytes is there. For record borders.
  bool begins_like_one(std::string_view text) const;

 private:
  struct Entry {
    std::uint64_t mask = 0, lead = 0;  // the first bytes, up to the first blank
    char needed = 0;
    const MessageRule* rule = nullptr;
    const Template* form = nullptr;
    Template::Opening opening;
    int specificity = 0;
    std::size_t order = 0;
  };
  bool attempt(const Entry& entry, std::string_view message, TimeReader& times, MessageMatch& found) const;
  static bool is_anchored(const Entry& entry);
  bool match_known(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found, const ShapeMemo::Known& known) const;
  bool others_can_match(std::string_view shape) const;
  bool match_anywhere(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found) const;
  bool match_regex(std::string_view message, std::string_view logger, MessageMatch& found) const;

  std::vector<Entry> entries_;
  std::array<std::vector<std::uint16_t>, 256> by_byte_;
  std::array<std::vector<std::uint16_t>, 256> anchored_by_byte_;  // for match_at()
  std::array<std::vector<std::string_view>, 256> leads_by_byte_;  // the long ones, by their first byte
  struct Regex {
    const MessageRule* rule;
    std::string lead;  // of every match, where the pattern is anchored
  };
  std::vector<const MessageRule*> anywhere_;
  std::vector<Regex> regexes_;
};

}  // namespace mcpscan::ingest
