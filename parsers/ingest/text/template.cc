#include "ingest/text/template.h"

#include <algorithm>
#include <cstring>

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kTimeReach = 40;  // a time looks no further from where it begins, long fractions aside
using HoleType = Template::HoleType;
using OpKind = Template::OpKind;

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// `seen`: how far it had to look.
std::size_t match_loosely(std::string_view literal, std::string_view text, std::size_t at, std::size_t& seen) {
  for (const char c : literal) {
    seen = at + 1;
    if (at >= text.size()) return kNone;
    if (c == ' ') {
      if (!is_blank(text[at])) return kNone;
      at = skip_blanks(text, at);
    } else if (text[at++] != c) {
      return kNone;
    }
  }
  seen = at + 1;
  return at;
}

// The position behind `literal`, whose blanks stand for runs of them.
std::size_t match_literal(std::string_view literal, std::string_view text, std::size_t at, std::size_t& seen) {
  if (text[at] != literal[0] && literal[0] != ' ') return seen = at + 1, kNone;
  if (text.size() - at >= literal.size() && std::memcmp(text.data() + at, literal.data(), literal.size()) == 0) {
    at += literal.size();
    if (literal.back() != ' ') return seen = at, at;
    at = skip_blanks(text, at);
    return seen = at + 1, at;
  }
  return match_loosely(literal, text, at, seen);
}

std::size_t line_end(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end == kNone ? text.size() : end;
}

std::size_t run_of_visible(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !is_blank(text[end])) ++end;
  return end - at;
}

// Rust paths (rmcp::transport::worker) and dotted names; a single colon ends a name.
std::size_t logger_length(std::string_view text, std::size_t at) {
  if (at >= text.size() || (!is_a(text[at], kLetter) && text[at] != '_')) return 0;
  std::size_t end = at;
  while (end < text.size()) {
    if (is_a(text[end], kLetter | kDigit | kLoggerMark)) ++end;
    else if (text.substr(end, 2) == "::") end += 2;
    else break;
  }
  return end - at;
}

std::size_t quoted_length(std::string_view text, std::size_t at, char quote) {
  if (at >= text.size() || text[at] != quote) return 0;
  for (std::size_t end = at + 1; end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == '\\') ++end;
    else if (text[end] == quote) return end + 1 - at;
  }
  return 0;
}

std::size_t integer(std::string_view text, std::size_t at, Capture& capture) {
  const bool minus = at < text.size() && text[at] == '-';
  const Decimal decimal = read_decimal(text, at + minus);
  capture.number = decimal.digits == 0 ? -1 : minus ? -decimal.value : decimal.value;
  return decimal.digits == 0 && !minus ? 0 : decimal.digits + minus;
}

std::size_t number(std::string_view text, std::size_t at) {
  std::size_t end = at + (at < text.size() && text[at] == '-');
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  return end - at;
}

// address:port; the brackets of an IPv6 address are removed, the port goes into `number`.
std::size_t peer(std::string_view text, std::size_t at, bool with_port, Capture& capture) {
  const std::size_t length = run_of(text, at, kDigit | kLetter | kPeerMark);
  std::string_view address = text.substr(at, length);
  const std::size_t colon = with_port ? address.rfind(':') : kNone;
  if (colon != kNone) {
    const Decimal port = read_decimal(address, colon + 1);
    if (port.digits != 0 && colon + 1 + port.digits == address.size() && port.value < 65536) {
      capture.number = port.value;
      address = address.substr(0, colon);
    }
  }
  if (address.size() > 1 && address.front() == '[' && address.back() == ']') address = address.substr(1, address.size() - 2);
  capture.text = address;
  return length;
}

std::size_t repr(std::string_view text, std::size_t at, Capture& capture) {
  for (const char quote : {'\'', '"'}) {
    const std::size_t length = quoted_length(text, at, quote);
    if (length == 0) continue;
    capture.text = text.substr(at + 1, length - 2);
    return length;
  }
  std::size_t end = at;
  while (end < text.size() && (is_a(text[end], kDigit | kLetter) || text[end] == '-' || text[end] == '.' || text[end] == '+')) ++end;
  capture.text = text.substr(at, end - at);
  return end - at;
}

}  // namespace

// One attempt on one text: where it stands, what it has captured, how many steps are left.
class TemplateMatch {
 public:
  TemplateMatch(const Template& pattern, std::string_view text, TimeReader& times, Captures& captures)
      : ops_(pattern.ops_), text_(text), times_(times), captures_(captures) {}

  bool run(std::size_t op, std::size_t at) {
    for (;; ++op) {
      if (--budget_ < 0) return saw(text_.size() + 1), false;
      const Template::Op& now = ops_[op];
      switch (now.kind) {
        case OpKind::literal:
          at = literal(now.literal, at);
          if (at == kNone) return false;
          break;
        case OpKind::optional: {
          const std::size_t mark = captures_.count;
          if (run(op + 1, at)) return true;
          captures_.count = mark;
          open_end_ = false;
          op = now.jump - 1;
          break;
        }
        case OpKind::end: return at_end(at);
        case OpKind::hole:
          if (lazy(op)) return run_lazy(op, at);
          at = take(now, at);
          if (at == kNone) return false;
          break;
      }
    }
  }

  // Bytes of the text, from its start, that the attempt may have looked at; one more than there are: it saw the end.
  std::size_t seen() const { return seen_; }

 private:
  void saw(std::size_t to) {
    if (to > seen_) seen_ = to;
  }

  std::size_t literal(std::string_view text, std::size_t at) {
    std::size_t seen = at + 1;
    if (at < text_.size()) at = match_literal(text, text_, at, seen);
    else at = kNone;
    saw(seen);
    return at;
  }

  bool at_end(std::size_t at) {
    while (at < text_.size() && text_[at] != '\n' && is_blank(text_[at])) ++at;
    if (open_end_ && at >= text_.size()) return true;
    saw(at + 1);
    return at >= text_.size() || text_[at] == '\n';
  }

  bool lazy(std::size_t op) const {
    const Template::Op& now = ops_[op];
    const Template::Op& next = ops_[op + 1];
    if (now.type == HoleType::text) return next.kind == OpKind::literal;
    return now.type == HoleType::word && next.kind == OpKind::literal && next.literal[0] != ' ';
  }

  // A hole that ends where the literal behind it is found.
  bool run_lazy(std::size_t op, std::size_t from) {
    const Template::Op& now = ops_[op];
    const std::string& behind_it = ops_[op + 1].literal;
    const std::size_t limit = limit_of(op, from);
    const std::size_t mark = captures_.count;
    std::size_t at = from + 1;
    for (int tries = 0; tries < Template::kLazyTries; ++tries, ++at) {
      at = next_candidate(behind_it[0], at, limit);
      if (at == kNone) return saw(limit + 1), false;
      const std::size_t behind = literal(behind_it, at);
      if (behind == kNone) continue;
      captures_.add({now.field, trim_right(text_.substr(from, at - from)), 0});
      if (run(op + 2, behind)) return true;
      captures_.count = mark;
    }
    return false;
  }

  // A text at the very start is a name or a phrase: it ends before any body does begin.
  std::size_t limit_of(std::size_t op, std::size_t from) {
    if (ops_[op].type == HoleType::text && op != 0) return line_end(text_, from);
    std::size_t end = from;
    if (ops_[op].type == HoleType::text) {
      const std::size_t most = std::min(text_.size(), Template::kLeadBytes);
      while (end < most && text_[end] != '{' && text_[end] != '\n') ++end;
    } else {
      end = from + run_of_visible(text_, from);
    }
    saw(end + 1);
    return end;
  }

  std::size_t next_candidate(char first, std::size_t at, std::size_t limit) const {
    if (first != ' ') {
      if (at >= limit) return kNone;
      const void* found = std::memchr(text_.data() + at, first, limit - at);
      return found == nullptr ? kNone : static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
    }
    while (at < limit && !is_blank(text_[at])) ++at;
    return at < text_.size() && at <= limit ? at : kNone;
  }

  std::size_t take(const Template::Op& op, std::size_t at) {
    if (at > text_.size()) return kNone;
    Capture capture{op.field, {}, 0};
    const std::size_t length = length_of(op, at, capture);
    saw(seen_by_hole(op.type, at, length));
    if (op.type == HoleType::rest) open_end_ = true;
    if (length == 0 && op.type != HoleType::rest) return kNone;
    if (capture.text.data() == nullptr) capture.text = text_.substr(at, length);
    if (op.field != Field::ignore) captures_.add(capture);
    return at + length;
  }

  // Only a run of digits makes a time longer than kTimeReach.
  std::size_t seen_by_time(std::size_t at) const {
    std::size_t end = at + kTimeReach;
    if (end >= text_.size() || !is_digit(text_[end - 1])) return end;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return end + 8;
  }

  // How far a hole of `length` bytes at `at` looked. Never less than it did; exact for what prefixes are made of.
  std::size_t seen_by_hole(HoleType type, std::size_t at, std::size_t length) const {
    switch (type) {
      case HoleType::rest: return at;
      case HoleType::word:
      case HoleType::integer:
      case HoleType::number:
      case HoleType::peer:
      case HoleType::address:
      case HoleType::name: return at + length + 2;
      case HoleType::logger: return at + length + 2;
      case HoleType::level: return at + run_of(text_.substr(at, 10), 0, kLetter) + 1;
      case HoleType::time: return seen_by_time(at);
      case HoleType::text:
      case HoleType::quoted:
      case HoleType::repr:
      case HoleType::duration: break;
    }
    return text_.size() + 1;
  }

  std::size_t length_of(const Template::Op& op, std::size_t at, Capture& capture) {
    const std::string_view left = text_.substr(at);
    switch (op.type) {
      case HoleType::word: return run_of_visible(text_, at);
      case HoleType::text: return text_to_line_end(at, capture);
      case HoleType::rest: return left.size();
      case HoleType::integer: return integer(text_, at, capture);
      case HoleType::number: return number(text_, at);
      case HoleType::level: return level_length(left);
      case HoleType::logger: return logger_length(text_, at);
      case HoleType::time: return time(op, left, capture);
      case HoleType::peer: return peer(text_, at, true, capture);
      case HoleType::address: return peer(text_, at, false, capture);
      case HoleType::quoted: return quoted(at, capture);
      case HoleType::repr: return repr(text_, at, capture);
      case HoleType::name: return run_of(text_, at, kLetter | kDigit | kLoggerMark);
      case HoleType::duration: return read_duration(left, op.unit_us, capture.number);
    }
    return 0;
  }

  std::size_t text_to_line_end(std::size_t at, Capture& capture) const {
    const std::size_t end = line_end(text_, at);
    capture.text = trim_right(text_.substr(at, end - at));
    return end - at;
  }

  std::size_t time(const Template::Op& op, std::string_view left, Capture& capture) {
    Time found;
    const std::size_t length = op.form == TimeForm::any ? times_.read_first(left, found) : times_.read(op.form, left, found);
    capture.number = found.us;
    return length;
  }

  std::size_t quoted(std::size_t at, Capture& capture) const {
    const std::size_t length = quoted_length(text_, at, '"');
    if (length != 0) capture.text = text_.substr(at + 1, length - 2);
    return length;
  }

  const std::vector<Template::Op>& ops_;
  std::string_view text_;
  TimeReader& times_;
  Captures& captures_;
  int budget_ = Template::kBudget;
  std::size_t seen_ = 0;
  bool open_end_ = false;   // a hole took everything to the end without looking at it
};

bool Template::match(std::string_view text, TimeReader& times, Captures& captures) const {
  TemplateMatch attempt(*this, text, times, captures);
  const bool matched = attempt.run(0, 0);
  captures.saw(text.data() + attempt.seen());
  return matched;
}

std::size_t level_length(std::string_view text) {
  static constexpr std::array<std::string_view, 19> kWords{"debug",  "info",    "warning", "warn",  "error", "critical", "fatal",
                                                           "trace",  "notice",  "err",     "crit",  "emerg", "alert",    "panic",
                                                           "silly",  "verbose", "log",     "severe", "fail"};
  const std::size_t length = run_of(text.substr(0, 10), 0, kLetter);
  if (length < 3 || length > 8) return 0;
  const char first = lower(text[0]);
  for (const std::string_view word : kWords) {
    if (word[0] == first && equal_ignoring_case(word, text.substr(0, length))) return length;
  }
  return 0;
}

namespace {

struct Unit {
  std::string_view name;
  double us;
};
// Longer names first: "ms" must not be read as "m".
constexpr std::array<Unit, 16> kUnits{{{"seconds", 1e6}, {"second", 1e6}, {"minutes", 6e7}, {"minute", 6e7}, {"hours", 3.6e9},
                                       {"hour", 3.6e9}, {"secs", 1e6}, {"sec", 1e6}, {"min", 6e7}, {"ms", 1e3},
                                       {"ns", 1e-3}, {"us", 1.0}, {"\xc2\xb5s", 1.0}, {"\xce\xbcs", 1.0}, {"s", 1e6}, {"m", 6e7}}};

double number_at(std::string_view text, std::size_t& used) {
  double value = 0, scale = 1;
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size() && at < 24 && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') { point = true; continue; }
    value = value * 10 + (text[at] - '0');
    if (point) scale *= 10;
  }
  if (at != 0 && text[at - 1] == '.') --at;
  used = at;
  return value / scale;
}

const Unit* unit_at(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (text.substr(0, unit.name.size()) != unit.name) continue;
    const char behind = unit.name.size() < text.size() ? text[unit.name.size()] : ' ';
    if (!is_a(behind, kLetter)) return &unit;
  }
  if (!text.empty() && text[0] == 'h' && (text.size() == 1 || !is_a(text[1], kLetter))) {
    static constexpr Unit kHours{"h", 3.6e9};
    return &kHours;
  }
  return nullptr;
}

std::int64_t clamp_us(double us) { return us > 9e17 ? 900'000'000'000'000'000 : static_cast<std::int64_t>(us + 0.5); }

}  // namespace

std::size_t read_duration(std::string_view text, std::int64_t unit_us, std::int64_t& us) {
  double sum = 0;
  std::size_t at = 0;
  for (int parts = 0; parts < 4; ++parts) {
    std::size_t used = 0;
    const double value = number_at(text.substr(at), used);
    if (used == 0) break;
    const std::size_t blank = at + used < text.size() && text[at + used] == ' ' ? 1 : 0;
    const Unit* unit = unit_at(text.substr(at + used + blank));
    if (unit == nullptr) {
      if (parts != 0 || unit_us == 0) break;
      us = clamp_us(value * static_cast<double>(unit_us));
      return used;
    }
    sum += value * unit->us;
    at += used + blank + unit->name.size();
    if (at < text.size() && text[at] == ' ' && at + 1 < text.size() && is_digit(text[at + 1]) && parts == 0 && unit->us > 1e6) ++at;
  }
  us = clamp_us(sum);
  return at;
}

}  // namespace mcpscan::ingest
