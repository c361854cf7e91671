#include "ingest/har/har_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mcpscan::ingest {
namespace {

constexpr double kMost = 9007199254740992.0;     // 2^53
constexpr double kLongestMs = 366.0 * 24 * 3600 * 1000;  // no exchange lasts longer than a year

std::int64_t to_us(double ms) { return static_cast<std::int64_t>(std::llround(std::clamp(ms, 0.0, kLongestMs) * 1000)); }

bool has_zone(std::string_view stamp) {
  if (stamp.empty() || stamp.back() == 'Z' || stamp.back() == 'z') return !stamp.empty();
  const std::size_t clock = stamp.find(':');
  return clock != std::string_view::npos && stamp.find_first_of("+-", clock) != std::string_view::npos;
}

// A stamp of whole seconds may be up to a second old.
std::int64_t precision_of(std::string_view stamp) {
  std::size_t digits = stamp.find_first_of(".,");
  std::int64_t precision = kSecond;
  if (digits == std::string_view::npos) return precision;
  for (++digits; digits < stamp.size() && stamp[digits] >= '0' && stamp[digits] <= '9' && precision > 1; ++digits) precision /= 10;
  return precision;
}

}  // namespace

std::optional<double> har_number(const JsonValue& value) {
  if (value.type != JsonType::number && !value.is_text()) return std::nullopt;
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto read = std::from_chars(value.text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> har_integer(const JsonValue& value) {
  const std::optional<double> number = har_number(value);
  if (!number || std::fabs(*number) > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

void take_durations(const HarTimings& timings, double time_ms, HarEntry& entry) {
  const auto told = [](double ms) { return std::max(ms, 0.0); };
  const double head = told(timings.blocked) + told(timings.dns) + told(timings.connect) + told(timings.send) + told(timings.wait);
  const double sum = head + told(timings.receive);
  const bool any = timings.send >= 0 || timings.wait >= 0 || timings.receive >= 0;
  if (time_ms > 0) entry.total_us = to_us(time_ms);
  else if (any) entry.total_us = to_us(sum);
  else if (time_ms == 0) entry.total_us = 0;
  if (timings.wait < 0) return;
  entry.until_head_us = to_us(head);
  if (entry.total_us >= 0) entry.until_head_us = std::min(entry.until_head_us, entry.total_us);
}

bool take_start(const JsonValue& value, TimeReader& reader, HarEntry& entry) {
  if (value.type == JsonType::number) return read_epoch(value.text, entry.started) > 0;
  if (!value.is_text()) return false;
  std::size_t used = reader.read(TimeForm::iso, value.text, entry.started);
  if (used == 0) used = reader.read_whole(value.text, entry.started) ? value.text.size() : 0;
  if (used == 0) return entry.started = {}, false;
  const std::string_view stamp = value.text.substr(0, used);
  entry.has_zone = has_zone(stamp);
  entry.precision_us = precision_of(stamp);
  return true;
}

}  // namespace mcpscan::ingest
