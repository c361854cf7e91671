#include "ingest/text/hole_reader.h"

#include <algorithm>
#include <array>

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kTimeReach = 40;  // a time looks no further from where it begins, long fractions aside
constexpr std::size_t kLeastId = 16;    // fewer are a word; session ids have 22 and more
using HoleType = Template::HoleType;

char byte_or_blank(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  return is_blank(text[at]) ? ' ' : text[at];
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// `seen`: how far it had to look.
std::size_t match_loosely(std::string_view literal, std::string_view text, std::size_t at, std::size_t& seen) {
  for (const char c : literal) {
    seen = at + 1;
    if (at >= text.size()) return kNowhere;
    if (c == ' ') {
      if (!is_blank(text[at])) return kNowhere;
      at = skip_blanks(text, at);
    } else if (text[at++] != c) {
      return kNowhere;
    }
  }
  seen = at + 1;
  return at;
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

std::size_t id_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_a(text[end], kLetter | kDigit) || text[end] == '-' || text[end] == '_' || text[end] == '.')) ++end;
  return end - at < kLeastId ? 0 : end - at;
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
  const std::size_t colon = with_port ? address.rfind(':') : std::string_view::npos;
  if (colon != std::string_view::npos) {
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

std::size_t literal_end(std::string_view literal, std::string_view text, std::size_t at, std::size_t& seen) {
  if (text[at] != literal[0] && literal[0] != ' ') return seen = at + 1, kNowhere;
  if (text.size() - at >= literal.size() && std::memcmp(text.data() + at, literal.data(), literal.size()) == 0) {
    at += literal.size();
    if (literal.back() != ' ') return seen = at, at;
    at = skip_blanks(text, at);
    return seen = at + 1, at;
  }
  return match_loosely(literal, text, at, seen);
}

std::size_t HoleReader::line_end(std::size_t at) const {
  const std::size_t end = text_.find('\n', at);
  return end == std::string_view::npos ? text_.size() : end;
}

std::size_t HoleReader::word_end(std::size_t at) const {
  while (at < text_.size() && !is_blank(text_[at])) ++at;
  return at;
}

// Only a run of digits makes a time longer than kTimeReach.
std::size_t HoleReader::seen_by_time(std::size_t at) const {
  std::size_t end = at + kTimeReach;
  if (end >= text_.size() || !is_digit(text_[end - 1])) return end;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  return end + 8;
}

// How far a hole of `length` bytes at `at` looked. Never less than it did; exact for what prefixes are made of.
std::size_t HoleReader::seen(Template::HoleType type, std::size_t at, std::size_t length) const {
  switch (type) {
    case HoleType::rest: return at;
    case HoleType::word:
    case HoleType::integer:
    case HoleType::number:
    case HoleType::peer:
    case HoleType::address:
    case HoleType::name: return at + length + 2;
    case HoleType::logger: return at + length + 2;
    case HoleType::id: return at + std::max(length, kLeastId) + 2;
    case HoleType::level: return at + run_of(text_.substr(at, 10), 0, kLetter) + 1;
    case HoleType::time: return seen_by_time(at);
    case HoleType::quoted:
    case HoleType::repr: {
      const bool closed = length > 1 && text_[at + length - 1] == text_[at];
      if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return at + length + 2;
      if (closed) return at + length;
      break;
    }
    case HoleType::text:
    case HoleType::duration: break;
  }
  return text_.size() + 1;
}

std::size_t HoleReader::length(const Template::Op& op, std::size_t at, Capture& capture) {
  const std::string_view left = text_.substr(at);
  switch (op.type) {
    case HoleType::word: return word_end(at) - at;
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
    case HoleType::id: return id_length(text_, at);
    case HoleType::duration: return read_duration(left, op.unit_us, capture.number);
  }
  return 0;
}

std::size_t HoleReader::text_to_line_end(std::size_t at, Capture& capture) const {
  const std::size_t end = line_end(at);
  capture.text = trim_right(text_.substr(at, end - at));
  return end - at;
}

std::size_t HoleReader::time(const Template::Op& op, std::string_view left, Capture& capture) {
  Time found;
  const std::size_t length = op.form == TimeForm::any ? times_.read_first(left, found) : times_.read(op.form, left, found);
  capture.number = found.us;
  return length;
}

std::size_t HoleReader::quoted(std::size_t at, Capture& capture) const {
  const std::size_t length = quoted_length(text_, at, '"');
  if (length != 0) capture.text = text_.substr(at + 1, length - 2);
  return length;
}

FirstHoles::Behind FirstHoles::measure(std::size_t hole) {
  HoleReader reader(text_, times_);
  Template::Op op;
  op.kind = Template::OpKind::hole;
  op.type = hole < Template::kHoleTypes ? static_cast<HoleType>(hole) : HoleType::time;
  if (hole >= Template::kHoleTypes) op.form = static_cast<TimeForm>(hole - Template::kHoleTypes);
  Capture unused;
  const std::size_t length = reader.length(op, 0, unused);
  Behind behind{0, 0, true, 0};
  std::size_t second = length;
  if (length != 0) {
    behind.first = byte_or_blank(text_, length);
    second = behind.first == ' ' ? skip_blanks(text_, length) : length + 1;
    behind.second = byte_or_blank(text_, second);
  }
  captures_.saw(text_.data() + std::max(reader.seen(op.type, 0, length), std::min(second, text_.size()) + 1));
  behind.at = static_cast<std::uint32_t>(length);
  return behind;
}

bool FirstHoles::goes_on(const Behind& behind, std::string_view literal) {
  std::size_t seen = 0;
  const bool fits = literal_end(literal, text_, behind.at, seen) != kNowhere;
  captures_.saw(text_.data() + seen);
  return fits;
}

namespace {

// Up to eight letters as one number, without case.
constexpr std::uint64_t packed(std::string_view word) {
  std::uint64_t bytes = 0;
  for (const char c : word) bytes = bytes << 8 | (static_cast<unsigned char>(c) | 0x20u);
  return bytes;
}

constexpr std::array<std::uint64_t, 19> kLevels{packed("debug"),  packed("info"),    packed("warning"), packed("warn"),  packed("error"),
                                                packed("critical"), packed("fatal"), packed("trace"),   packed("notice"), packed("err"),
                                                packed("crit"),   packed("emerg"),   packed("alert"),   packed("panic"), packed("silly"),
                                                packed("verbose"), packed("log"),    packed("severe"),  packed("fail")};

}  // namespace

std::size_t level_length(std::string_view text) {
  const std::size_t length = run_of(text.substr(0, 10), 0, kLetter);
  if (length < 3 || length > 8) return 0;
  return std::find(kLevels.begin(), kLevels.end(), packed(text.substr(0, length))) == kLevels.end() ? 0 : length;
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
