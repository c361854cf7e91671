#include "ingest/text/loose_prefix.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kTimeReach = 40;    // a time looks no further
constexpr std::size_t kMostGroup = 160;   // bytes in brackets
constexpr std::string_view kMarks = ":|-,>;])";
constexpr std::string_view kInitials = "DIWECF";   // of levels
const PrefixRule kLoose{"loose", {}, model::SessionKeying::none, 0};

char closing(char open) { return open == '[' ? ']' : open == '(' ? ')' : open == '<' ? '>' : open == '{' ? '}' : '\0'; }

std::size_t name_length(std::string_view text, std::size_t at) {
  if (at >= text.size() || (!is_a(text[at], kLetter) && text[at] != '_')) return 0;
  std::size_t end = at;
  while (end < text.size() && (is_a(text[end], kLetter | kDigit) || text[end] == '_' || text[end] == '.' || text[end] == '/' || text[end] == '$' || text[end] == '-')) ++end;
  return end - at;
}

bool is_dotted(std::string_view name) {
  const std::size_t point = name.find('.');
  return point != std::string_view::npos && point + 1 < name.size() && is_a(name[point + 1], kLetter) && name.find('/') == std::string_view::npos;
}

bool is_source(std::string_view name) { return name.ends_with(".py"); }

// Threads and processes as Python names them.
bool is_thread(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kThreads{"MainThread", "MainProcess", "Thread-", "ThreadPool", "Process-", "SpawnProcess", "ForkPoolWorker", "asyncio_"};
  return std::any_of(kThreads.begin(), kThreads.end(), [name](std::string_view word) { return name.starts_with(word); });
}

// :function:123 or :123, as loguru and pytest write where a record came from.
std::size_t line_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (int parts = 0; parts < 3 && end < text.size() && text[end] == ':'; ++parts) {
    const std::size_t digits = run_of(text, end + 1, kDigit);
    if (digits != 0) return end + 1 + digits - at;
    std::size_t word = end + 1;
    while (word < text.size() && (is_a(text[word], kLetter | kDigit) || text[word] == '_' || text[word] == '<' || text[word] == '>' || text[word] == '.')) ++word;
    if (word == end + 1) return 0;
    end = word;
  }
  return 0;
}

}  // namespace

LoosePrefix::LoosePrefix(std::string_view text, TimeReader& times, const RecordHead& read)
    : text_(text.substr(0, kBytes)), times_(times), head_(read), at_(read.message), is_dotted_(is_dotted(read.logger)), dated_(read.at.known()) {
  text_ = text_.substr(0, text_.find('\n'));
  begins_behind_mark_ = at_ > 0 && at_ + 1 < text_.size() && kMarks.find(text_[at_]) != std::string_view::npos && is_blank(text_[at_ + 1]);
  if (begins_behind_mark_) skip_marks();
}

bool LoosePrefix::next() {
  saw(at_ + 2);
  if (fields_ == kFields || at_ >= text_.size()) return false;
  if (std::exchange(begins_behind_mark_, false)) return true;
  const bool taken = take_field();
  saw(at_ + 2);
  if (!taken) return false;
  ++fields_;
  skip_marks();
  saw(at_ + 2);
  return at_ < text_.size();
}

bool LoosePrefix::take_field() {
  const char first = text_[at_];
  if (closing(first) != '\0') return take_group();
  if (is_digit(first)) return take_time() || take_number();
  return is_a(first, kLetter) ? take_glog() || take_level(false) || take_time() || take_name(false) : first == '_' && take_name(false);
}

// What stands in brackets belongs to the prefix whatever it is, but for a JSON text.
bool LoosePrefix::take_group() {
  const std::string_view group = text_.substr(at_, kMostGroup);
  const std::size_t close = group.find(closing(text_[at_]));
  saw(at_ + std::min(close, group.size()) + 1);
  if (close == std::string_view::npos || close < 2 || group[1] == '"' || group[1] == '\'') return false;
  const std::size_t end = at_ + close;
  ++at_;
  look_into(end);
  at_ = end + 1;
  return true;
}

void LoosePrefix::look_into(std::size_t end) {
  const std::string_view line = std::exchange(text_, text_.substr(0, end));
  if (at_ + 1 < end && text_[at_ + 1] == ' ' && kInitials.find(text_[at_]) != std::string_view::npos && head_.level.empty()) {
    head_.level = text_.substr(at_, 1);
    at_ += 2;
  }
  while (at_ < text_.size()) {
    const bool taken = is_digit(text_[at_]) ? take_time() || take_number() : take_level(true) || take_time() || take_name(true);
    if (!taken) ++at_;
  }
  text_ = line;
}

bool LoosePrefix::take_time() {
  const std::string_view left = text_.substr(at_);
  if (!is_digit(left[0]) && (left.size() < 4 || left[3] != ' ')) return saw(at_ + 4), false;  // Nov 29 ..., Sun Nov 29 ...
  const bool of_unknown_order = left.size() > 3 && left[2] == '/' && is_digit(left[3]);   // month, day and year differ from country to country
  Time at;
  std::size_t length = of_unknown_order ? 0 : times_.read(TimeForm::any, left, at);
  if (length == 0) length = times_.read(is_digit(left[0]) ? TimeForm::clock : TimeForm::syslog, left, at);
  saw(at_ + kTimeReach + (left.size() > kTimeReach ? run_of(left, kTimeReach - 1, kDigit) + 8 : 0));
  if (length == 0) return false;
  if (!dated_) head_.at = at;
  dated_ = true;
  at_ += length;
  return true;
}

// A process, a line, or a date in a form that does not say what its numbers are: then the clock behind it is of no known day.
bool LoosePrefix::take_number() {
  const std::size_t begin = at_;
  std::size_t end = at_, dashes = 0;
  while (end < text_.size() && end < begin + kTimeReach) {
    const bool month = text_[end] == '-' && run_of(text_, end + 1, kLetter) == 3;
    if (!is_digit(text_[end]) && std::string_view("-/.:,").find(text_[end]) == std::string_view::npos) break;
    dashes += text_[end] == '-' || text_[end] == '/';
    end += month ? 4 : 1;
  }
  saw(end + 5);
  while (end > begin && !is_digit(text_[end - 1])) --end;
  if (end < text_.size() && is_a(text_[end], kLetter)) return false;
  const std::size_t digits = run_of(text_, begin, kDigit);
  if (dashes == 2 || (digits == end - begin && (digits == 6 || digits == 8))) dated_ = true;
  at_ = end;
  return true;
}

// I0714 09:00:01.620123: level, month and day.
bool LoosePrefix::take_glog() {
  saw(at_ + 7);
  if (at_ != 0 || kInitials.find(text_[0]) == std::string_view::npos || run_of(text_, 1, kDigit) != 4 || text_.size() < 6 || text_[5] != ' ') return false;
  head_.level = text_.substr(0, 1);
  dated_ = true;
  at_ = 5;
  return true;
}

// A word in small letters needs a mark behind it: else it is the first one of a text.
bool LoosePrefix::take_level(bool in_group) {
  if (!head_.level.empty()) return false;
  const std::string_view left = text_.substr(at_);
  const std::size_t length = level_length(left);
  saw(at_ + 12);
  if (length == 0 || (length < left.size() && (is_a(left[length], kDigit) || std::string_view("_.=").find(left[length]) != std::string_view::npos))) return false;
  const bool loud = left[length - 1] >= 'A' && left[length - 1] <= 'Z';
  if (!in_group && !loud && !ends_name(at_ + length)) return false;
  head_.level = left.substr(0, length);
  at_ += length;
  return true;
}

// So does a name of one part.
bool LoosePrefix::take_name(bool in_group) {
  const std::size_t length = name_length(text_, at_);
  saw(at_ + length + 2);
  if (length == 0) return false;
  const std::string_view name = text_.substr(at_, length);
  std::size_t end = at_ + length;
  if (end < text_.size() && text_[end] == ':') {
    std::size_t word = end;
    while (word < text_.size() && !is_blank(text_[word])) ++word;
    saw(word + 2);
    end += line_length(text_, end);
  }
  const bool names_value = end < text_.size() && text_[end] == '=';
  const bool places = end > at_ + length && !is_dotted(name);   // module:123
  has_values_ |= names_value;
  if (in_group) {
    if (!names_value && !places) tell_name(name);
  } else {
    const bool of_clock = dated_ && (name == "AM" || name == "PM");
    if (names_value || (!of_clock && !is_dotted(name) && !places && !ends_name(end))) return false;
    if (!places) tell_name(name);
  }
  at_ = end;
  return true;
}

void LoosePrefix::tell_name(std::string_view name) {
  if (is_source(name) || is_thread(name) || name == "logging" || name == "AM" || name == "PM") return;
  if (is_dotted_ && !is_dotted(name)) return;
  head_.logger = name;
  is_dotted_ = is_dotted(name);
}

// Whether a mark that parts fields stands there: a colon, bar or bracket, or a dash between blanks.
bool LoosePrefix::ends_name(std::size_t at) {
  const std::size_t from = at;
  while (at < text_.size() && is_blank(text_[at])) ++at;
  saw(at + 3);
  if (at >= text_.size()) return false;
  const char mark = text_[at];
  if (mark == '-' || mark == '>') return at > from && at + 1 < text_.size() && is_blank(text_[at + 1]);
  return mark == ':' || mark == '|' || ((mark == '[' || mark == '(' || mark == ']') && at == from);
}

void LoosePrefix::skip_marks() {
  while (at_ < text_.size() && (is_blank(text_[at_]) || kMarks.find(text_[at_]) != std::string_view::npos)) ++at_;
}

bool read_loose_head(std::string_view line, TimeReader& times, Captures& captures, RecordHead& head) {
  LoosePrefix prefix(line, times, {});
  while (!prefix.tells_enough() && prefix.next()) {
  }
  captures.saw(line.data() + std::min(prefix.seen(), line.size() + 1));
  if (!prefix.tells_enough()) return false;
  head = prefix.head();
  head.rule = &kLoose;
  head.found = true;
  head.message = prefix.message();
  return true;
}

}  // namespace mcpscan::ingest
