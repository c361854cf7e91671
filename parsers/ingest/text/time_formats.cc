#include "ingest/text/time_formats.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::array<std::string_view, kTimeForms> kFormNames{"any",    "iso",    "iso_unpadded", "slash", "rich",
                                                              "clf",    "syslog", "clock",        "ctime", "iso_z", "epoch"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Two digits, or a number above 99.
unsigned two(const char* at) {
  const unsigned high = static_cast<unsigned>(at[0] - '0'), low = static_cast<unsigned>(at[1] - '0');
  return high < 10 && low < 10 ? high * 10 + low : 100;
}

std::int64_t four(const char* at) {
  const std::int64_t high = two(at), low = two(at + 2);
  return high < 100 && low < 100 ? high * 100 + low : -1;
}

unsigned month_named(std::string_view word) {
  const auto found = std::find(kMonths.begin(), kMonths.end(), word);
  return found == kMonths.end() ? 0 : static_cast<unsigned>(found - kMonths.begin()) + 1;
}

unsigned days_in(std::int64_t year, unsigned month) {
  constexpr std::array<unsigned, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

bool is_date(std::int64_t year, unsigned month, unsigned day) {
  return year >= 1970 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= days_in(year, month);
}

std::int64_t local_minute(std::int64_t year, unsigned month, unsigned day, unsigned hour, unsigned minute) {
  return days_from_civil(year, month, day) * kDay + hour * kHour + minute * kMinute;
}

bool valid_clock(unsigned hour, unsigned minute) { return hour < 24 && minute < 60; }

// "Nov 29, 2026 @ 16:35:55.274", as Kibana shows and exports a time, in the form of ISO 8601; empty for anything else.
std::string iso_of_display(std::string_view text) {
  const unsigned month = text.size() > 20 && text[3] == ' ' ? month_named(text.substr(0, 3)) : 0;
  const std::size_t comma = month == 0 ? std::string_view::npos : text.find(", ");
  if (comma == std::string_view::npos || comma < 5 || comma > 6 || text.substr(std::min(comma + 6, text.size()), 3) != " @ ") return {};
  std::string iso(text.substr(comma + 2, 4));
  iso += {'-', static_cast<char>('0' + month / 10), static_cast<char>('0' + month % 10), '-', comma == 5 ? '0' : text[4], text[comma - 1], 'T'};
  return iso.append(text.substr(comma + 9));
}

// The fraction behind a dot or comma as microseconds; `used` bytes with the mark.
std::int64_t read_fraction(std::string_view text, std::size_t from, bool unpadded, std::size_t& used) {
  used = 0;
  if (from + 1 >= text.size() || (text[from] != '.' && text[from] != ',') || !is_digit(text[from + 1])) return 0;
  std::int64_t us = 0;
  std::size_t at = from + 1, digits = 0;
  for (; at < text.size() && is_digit(text[at]); ++at, ++digits) {
    if (digits < 6) us = us * 10 + (text[at] - '0');
  }
  for (std::size_t i = digits; i < 6 && !unpadded; ++i) us *= 10;
  used = at - from;
  return us;
}

// Z, +00:00, +0000, +00, also behind one blank for the numeric forms with four digits. False when there is none.
bool read_offset(std::string_view text, std::size_t from, std::int64_t& offset_us, std::size_t& used) {
  std::size_t at = from;
  if (at < text.size() && text[at] == 'Z') return offset_us = 0, used = 1, true;
  const bool blank = at < text.size() && text[at] == ' ';
  if (blank) ++at;
  if (at + 2 >= text.size() || (text[at] != '+' && text[at] != '-')) return false;
  const unsigned hours = two(text.data() + at + 1);
  if (hours > 14) return false;
  const std::size_t colon = at + 3 < text.size() && text[at + 3] == ':' ? 1 : 0;
  unsigned minutes = 0;
  std::size_t end = at + 3;
  if (at + 4 + colon < text.size() && two(text.data() + at + 3 + colon) < 60) {
    minutes = two(text.data() + at + 3 + colon);
    end = at + 5 + colon;
  } else if (blank || colon) {
    return false;
  }
  offset_us = (hours * kHour + minutes * kMinute) * (text[at] == '-' ? -1 : 1);
  used = end - from;
  return true;
}

}  // namespace

std::optional<TimeForm> time_form_named(std::string_view word) {
  const auto found = std::find(kFormNames.begin(), kFormNames.end(), word);
  if (found == kFormNames.end()) return std::nullopt;
  return static_cast<TimeForm>(found - kFormNames.begin());
}

bool TimeReader::valid_date(std::int64_t year, unsigned month, unsigned day) const { return any_value_ || is_date(year, month, day); }

std::int64_t TimeReader::to_utc(std::int64_t local_us) const {
  return local_us - context_->zone.offset_us(local_us);
}

const TimeReader::Minute* TimeReader::remembered(TimeForm form, std::string_view text) const {
  const Minute& minute = minutes_[static_cast<std::size_t>(form)];
  const bool same = minute.length != 0 && text.size() >= minute.length && std::memcmp(text.data(), minute.text.data(), minute.length) == 0;
  return same ? &minute : nullptr;
}

const TimeReader::Minute* TimeReader::remember(TimeForm form, std::string_view text, std::size_t length, std::int64_t local_us) {
  Minute& minute = minutes_[static_cast<std::size_t>(form)];
  minute.length = static_cast<std::uint8_t>(length);
  std::memcpy(minute.text.data(), text.data(), length);
  minute.local_us = local_us;
  minute.utc_us = to_utc(local_us);
  return &minute;
}

std::size_t TimeReader::finish(std::string_view text, std::size_t from, const Minute& minute, bool unpadded, Time& at) {
  if (from + 2 > text.size()) return 0;
  const unsigned second = two(text.data() + from);
  if (second > 60) return 0;
  std::size_t used = 0, end = from + 2;
  const std::int64_t us = second * kSecond + read_fraction(text, end, unpadded, used);
  end += used;
  std::int64_t offset = 0;
  if (end < text.size() && read_offset(text, end, offset, used)) {
    at.us = minute.local_us + us - offset;
    return end + used;
  }
  at.us = minute.utc_us + us;
  return end;
}

std::size_t TimeReader::read_iso(std::string_view text, Time& at, bool unpadded) {
  if (text.size() < 19) return 0;
  if (const Minute* minute = remembered(TimeForm::iso, text)) return finish(text, 17, *minute, unpadded, at);
  const char* c = text.data();
  if (c[4] != '-' || c[7] != '-' || (c[10] != ' ' && c[10] != 'T') || c[13] != ':' || c[16] != ':') return 0;
  const std::int64_t year = four(c);
  const unsigned month = two(c + 5), day = two(c + 8), hour = two(c + 11), minute = two(c + 14);
  if (!valid_date(year, month, day) || !valid_clock(hour, minute)) return 0;
  return finish(text, 17, *remember(TimeForm::iso, text, 17, local_minute(year, month, day, hour, minute)), unpadded, at);
}

std::size_t TimeReader::read_iso_z(std::string_view text, Time& at) {
  if (text.size() < 20 || text[10] != 'T') return 0;
  const std::size_t used = read_iso(text, at, false);
  return used != 0 && text[used - 1] == 'Z' ? used : 0;
}

std::size_t TimeReader::read_slash(std::string_view text, Time& at) {
  if (text.size() < 19) return 0;
  const std::size_t dash = text.size() >= 21 && text[11] == '-' && text[12] == ' ' ? 2 : 0;
  if (const Minute* minute = remembered(TimeForm::slash, text)) return finish(text, 17 + dash, *minute, false, at);
  const char* c = text.data();
  const char* clock = c + 11 + dash;
  if (c[4] != '/' || c[7] != '/' || c[10] != ' ' || clock[2] != ':' || clock[5] != ':') return 0;
  const std::int64_t year = four(c);
  const unsigned month = two(c + 5), day = two(c + 8), hour = two(clock), minute = two(clock + 3);
  if (!valid_date(year, month, day) || !valid_clock(hour, minute)) return 0;
  const std::size_t head = 17 + dash;
  return finish(text, head, *remember(TimeForm::slash, text, head, local_minute(year, month, day, hour, minute)), false, at);
}

std::size_t TimeReader::read_rich(std::string_view text, Time& at) {
  if (text.size() < 17) return 0;
  if (const Minute* minute = remembered(TimeForm::rich, text)) return finish(text, 15, *minute, false, at);
  const char* c = text.data();
  if (c[2] != '/' || c[5] != '/' || c[8] != ' ' || c[11] != ':' || c[14] != ':') return 0;
  const unsigned month = two(c), day = two(c + 3), year = two(c + 6), hour = two(c + 9), minute = two(c + 12);
  if (year > 99 || !valid_date(2000 + static_cast<std::int64_t>(year), month, day) || !valid_clock(hour, minute)) return 0;
  return finish(text, 15, *remember(TimeForm::rich, text, 15, local_minute(2000 + static_cast<std::int64_t>(year), month, day, hour, minute)),
                false, at);
}

std::size_t TimeReader::read_clf(std::string_view text, Time& at) {
  if (text.size() < 20) return 0;
  if (const Minute* minute = remembered(TimeForm::clf, text)) return finish(text, 18, *minute, false, at);
  const char* c = text.data();
  if (c[2] != '/' || c[6] != '/' || c[11] != ':' || c[14] != ':' || c[17] != ':') return 0;
  const std::int64_t year = four(c + 7);
  const unsigned month = month_named(text.substr(3, 3)), day = two(c), hour = two(c + 12), minute = two(c + 15);
  if (!valid_date(year, month, day) || !valid_clock(hour, minute)) return 0;
  return finish(text, 18, *remember(TimeForm::clf, text, 18, local_minute(year, month, day, hour, minute)), false, at);
}

std::size_t TimeReader::read_syslog(std::string_view text, Time& at) {
  if (text.size() < 15) return 0;
  if (const Minute* minute = remembered(TimeForm::syslog, text)) return finish(text, 13, *minute, false, at);
  const char* c = text.data();
  const unsigned month = month_named(text.substr(0, 3));
  if (month == 0 || c[3] != ' ' || c[6] != ' ' || c[9] != ':' || c[12] != ':') return 0;
  const unsigned day = c[4] == ' ' && is_digit(c[5]) ? static_cast<unsigned>(c[5] - '0') : two(c + 4);
  const unsigned hour = two(c + 7), minute = two(c + 10);
  if (!valid_date(2000, month, day) || !valid_clock(hour, minute)) return 0;
  std::int64_t year = context_->year;
  if (context_->newest.known()) {
    year = civil_from_time(context_->newest).year;
    if (to_utc(local_minute(year, month, day, hour, minute)) > context_->newest.us + kDay) --year;
  } else if (context_->month != 0 && month + 6 < context_->month) {
    ++year;
  }
  return finish(text, 13, *remember(TimeForm::syslog, text, 13, local_minute(year, month, day, hour, minute)), false, at);
}

std::size_t TimeReader::read_clock(std::string_view text, Time& at) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return 0;
  if (const Minute* minute = remembered(TimeForm::clock, text)) return finish(text, 6, *minute, false, at);
  const unsigned hour = two(text.data()), minute = two(text.data() + 3);
  if (!valid_clock(hour, minute)) return 0;
  return finish(text, 6, *remember(TimeForm::clock, text, 6, context_->day_us + hour * kHour + minute * kMinute), false, at);
}

std::size_t TimeReader::read_ctime(std::string_view text, Time& at) {
  if (text.size() < 23 || text[3] != ' ' || !is_a(text[0], kLetter)) return 0;
  const std::string_view behind = text.substr(4);
  if (is_digit(behind[0])) {
    const std::size_t used = read_iso(behind, at, false);
    if (used == 0) return 0;
    const bool utc = behind.substr(used, 4) == " UTC";
    if (utc) at.us = minutes_[static_cast<std::size_t>(TimeForm::iso)].local_us + (at.us - minutes_[static_cast<std::size_t>(TimeForm::iso)].utc_us);
    return used + 4 + (utc ? 4 : 0);
  }
  const unsigned month = month_named(behind.substr(0, 3));
  if (month == 0 || behind.size() < 20) return 0;
  const char* c = behind.data();
  const unsigned day = c[4] == ' ' && is_digit(c[5]) ? static_cast<unsigned>(c[5] - '0') : two(c + 4);
  // Apache has a fraction before the year.
  const std::size_t fraction = c[15] == '.' ? 1 + run_of(behind, 16, kDigit) : 0;
  if (behind.size() < 20 + fraction || c[15 + fraction] != ' ') return 0;
  const std::int64_t year = four(c + 16 + fraction);
  const unsigned hour = two(c + 7), minute = two(c + 10), second = two(c + 13);
  if (!valid_date(year, month, day) || !valid_clock(hour, minute) || second > 60 || c[9] != ':' || c[12] != ':') return 0;
  at.us = to_utc(local_minute(year, month, day, hour, minute)) + second * kSecond;
  std::int64_t unit = kSecond / 10;
  for (std::size_t i = 16; i < 15 + fraction; ++i, unit /= 10) at.us += (c[i] - '0') * unit;
  return 24 + fraction;
}

std::size_t TimeReader::read_any(std::string_view text, Time& at) {
  if (text.size() < 17) return 0;
  if (is_digit(text[0])) {
    if (text[4] == '-') return read_iso(text, at, false);
    if (text[4] == '/') return read_slash(text, at);
    if (text[2] == '/') return is_digit(text[3]) ? read_rich(text, at) : read_clf(text, at);
    return 0;
  }
  return text[3] == ' ' ? read_ctime(text, at) : 0;
}

namespace {

constexpr std::size_t kSecondBytes = 20, kMillisecondsEnd = 23;

// Three digits behind a second and its mark, then a blank that no offset follows.
bool has_milliseconds(std::string_view text) {
  if (text.size() < kMillisecondsEnd + 3 || (text[19] != ',' && text[19] != '.')) return false;
  const char* c = text.data();
  return is_digit(c[20]) && is_digit(c[21]) && is_digit(c[22]) && c[23] == ' ' && !is_digit(c[25]);
}

std::int64_t milliseconds_us(std::string_view text) {
  return ((text[20] - '0') * 100 + (text[21] - '0') * 10 + (text[22] - '0')) * kMillisecond;
}

}  // namespace

bool TimeReader::read_in_second(std::string_view text) {
  if (!has_milliseconds(text) || std::memcmp(text.data(), second_.data(), kSecondBytes) != 0) return false;
  first_at_.us = second_us_ + milliseconds_us(text);
  first_used_ = kMillisecondsEnd;
  return true;
}

void TimeReader::remember_second(std::string_view text) {
  if (first_used_ != kMillisecondsEnd || !has_milliseconds(text)) return;
  std::memcpy(second_.data(), text.data(), kSecondBytes);
  second_us_ = first_at_.us - milliseconds_us(text);
}

std::size_t TimeReader::read(TimeForm form, std::string_view text, Time& at) {
  switch (form) {
    case TimeForm::any: return read_any(text, at);
    case TimeForm::iso: return read_iso(text, at, false);
    case TimeForm::iso_z: return read_iso_z(text, at);
    case TimeForm::iso_unpadded: return read_iso(text, at, true);
    case TimeForm::slash: return read_slash(text, at);
    case TimeForm::rich: return read_rich(text, at);
    case TimeForm::clf: return read_clf(text, at);
    case TimeForm::syslog: return read_syslog(text, at);
    case TimeForm::clock: return read_clock(text, at);
    case TimeForm::ctime: return read_ctime(text, at);
    case TimeForm::epoch: return read_epoch(text, at, any_value_);
  }
  return 0;
}

bool TimeReader::read_whole(std::string_view text, Time& at) {
  if (const std::string iso = iso_of_display(text); !iso.empty()) return read(TimeForm::iso, iso, at) == iso.size();
  for (const TimeForm form : {TimeForm::any, TimeForm::epoch, TimeForm::syslog, TimeForm::clock}) {
    const std::size_t used = read(form, text, at);
    if (used != 0 && used == text.size()) return true;
  }
  at = Time{};
  return false;
}

std::size_t read_epoch(std::string_view text, Time& at, bool any_value) {
  std::size_t digits = 0;
  std::uint64_t read = 0;  // 19 digits fit
  for (; digits < text.size() && digits < 19 && is_digit(text[digits]); ++digits) read = read * 10 + static_cast<std::uint64_t>(text[digits] - '0');
  if (digits < 9 || read > 7'258'118'400'000'000'000) return 0;
  const auto whole = static_cast<std::int64_t>(read);
  if (digits < text.size() && is_digit(text[digits])) return 0;
  // Nanoseconds per unit, by how many digits a time between 1990 and 2200 has in it.
  const std::int64_t unit = digits <= 10 ? 1'000'000'000 : digits <= 13 ? 1'000'000 : digits <= 16 ? 1000 : 1;
  const bool plausible = digits == 9 || digits == 10 || digits == 12 || digits == 13 || digits == 15 || digits == 16 || digits >= 18;
  if (!plausible) return 0;
  std::size_t used = 0;
  const std::int64_t fraction = read_fraction(text, digits, false, used);  // in millionths of the unit
  const std::int64_t us = unit >= 1000 ? whole * (unit / 1000) : whole / 1000;
  at.us = us + fraction * (unit / 1000) / kSecond;
  if (!any_value && (at.us < 631'152'000 * kSecond || at.us > 7'258'118'400 * kSecond)) return at = Time{}, 0;
  return digits + used;
}

}  // namespace mcpscan::ingest
