// TimeReader: every written form of a time that logs are known to use, at the start of a text, into Time. The minute before
// the seconds is remembered, so that the next stamp of the same minute costs a compare and two digits; so is the second of the form that
// most logs have.
// Zone: what a time without a zone means (--tz); an impossible local time (DST gap) is the earliest valid one, an
// ambiguous one the first. Never the machine's zone, never its clock.
// Not thread-safe: a reader a parse call; Zone and TimeContext are shared and constant.
// Source: RFC 3339; RFC 3164 section 4.1.2; Python logging's asctime.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "base/zone.h"

namespace mcpscan::ingest {

enum class TimeForm : std::uint8_t {
  any,           // told by the shape: iso, slash, rich, clf, ctime
  iso,           // 2026-11-29 16:35:09,620  2026-11-29T16:35:09.274123456Z  ...+0000  ...+00:00  ... +0000
  iso_unpadded,  // 2026-11-29T16:35:56.4567Z whose fraction is a whole number of microseconds (agentgateway's access records)
  slash,         // 2026/11/29 16:35:56  2026/11/29 - 16:35:56
  rich,          // 11/29/26 16:35:08 (US order)
  clf,           // 29/Nov/2026:16:35:56 +0000  29/Nov/2026:16:36:34.724
  syslog,        // Nov 29 16:35:55  Nov 29 16:35:55.274000 (no year)
  clock,         // 16:35:09  16:35:09.123 (no date)
  ctime,         // Sun Nov 29 16:35:55 2026  Sun Nov 29 16:35:55.274000 2026  Sun 2026-11-29 16:35:55 UTC
  iso_z,         // 2026-02-02T15:40:55.236Z and nothing else (programs on Node.js)
  epoch,         // s, ms, us or ns since 1970 by magnitude, with or without a fraction
};
inline constexpr std::size_t kTimeForms = 11;
std::optional<TimeForm> time_form_named(std::string_view word);

// What the file tells about its times beyond each stamp.
struct TimeContext {
  Zone zone;
  std::int64_t day_us = 0;        // local midnight of the first full date; for times without a date
  std::int64_t year = 1970;       // of the head of the file; for times without a year
  unsigned month = 0;             // of the first time without a year; an earlier month by more than half a year is the next year's
  Time newest;                    // no record is newer (the file was written then); decides the year where it is known
};

class TimeReader {
 public:
  explicit TimeReader(const TimeContext& context) : context_(&context) {}
  explicit TimeReader(TimeContext&&) = delete;  // it is kept by reference
  // Of a text's shape (see shape_memo.h): what has the form of a time is one, whatever its numbers are.
  static TimeReader of_shapes(const TimeContext& context) {
    TimeReader reader(context);
    reader.any_value_ = true;
    return reader;
  }
  // Bytes of `text` that are the time; 0 when it does not begin with one of that form.
  std::size_t read(TimeForm form, std::string_view text, Time& at);
  // The same for TimeForm::any, remembering the text it was last asked about: several prefixes begin with the same time.
  std::size_t read_first(std::string_view text, Time& at) {
    if (text.data() != first_.data() || text.size() != first_.size()) {
      first_ = text;
      if (!read_in_second(text)) first_used_ = read_any(text, first_at_), remember_second(text);
    }
    at = first_at_;
    return first_used_;
  }
  // A whole text as a time: a number by magnitude, or any form, clock and syslog included.
  bool read_whole(std::string_view text, Time& at);

 private:
  struct Minute {
    std::array<char, 20> text{};
    std::uint8_t length = 0;
    std::int64_t local_us = 0;
    std::int64_t utc_us = 0;  // local_us read in the zone of the context
  };
  std::size_t read_iso(std::string_view text, Time& at, bool unpadded);
  std::size_t read_iso_z(std::string_view text, Time& at);
  std::size_t read_slash(std::string_view text, Time& at);
  std::size_t read_rich(std::string_view text, Time& at);
  std::size_t read_clf(std::string_view text, Time& at);
  std::size_t read_syslog(std::string_view text, Time& at);
  std::size_t read_clock(std::string_view text, Time& at);
  std::size_t read_ctime(std::string_view text, Time& at);
  std::size_t read_any(std::string_view text, Time& at);
  bool read_in_second(std::string_view text);
  void remember_second(std::string_view text);
  const Minute* remembered(TimeForm form, std::string_view text) const;
  const Minute* remember(TimeForm form, std::string_view text, std::size_t length, std::int64_t local_us);
  std::int64_t to_utc(std::int64_t local_us) const;
  bool valid_date(std::int64_t year, unsigned month, unsigned day) const;
  // Seconds, fraction and zone behind `minute`, whose text ends at `from`.
  std::size_t finish(std::string_view text, std::size_t from, const Minute& minute, bool unpadded, Time& at);

  const TimeContext* context_;
  bool any_value_ = false;
  std::array<Minute, kTimeForms> minutes_{};
  std::array<char, 20> second_{};   // 2026-11-29 16:35:09, as it was read last with three digits behind it
  std::int64_t second_us_ = 0;
  std::string_view first_;
  std::size_t first_used_ = 0;
  Time first_at_;
};

// s, ms, us or ns since 1970 by magnitude; nothing below 1990 or beyond 2200 is taken for a time.
std::size_t read_epoch(std::string_view text, Time& at, bool any_value = false);

}  // namespace mcpscan::ingest
